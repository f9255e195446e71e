# SPDX-License-Identifier: Apache-2.0
"""What another memory's graphs say, stated in this one's, each thing at the time that it was stated there."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo

from ...domain.interval import Interval, to_utc
from ...domain.records import Cue, Kind, LinkKind
from ...domain.text import normalize_name, terms
from ...domain.time import parse_when
from ...errors import Conflict, InvalidInput, NotFound
from ...formats.items import Assertion, Concept, Happening, Moment, Name, Reason, Stated, Thing, Tie
from ...graphs.causes import cause_id, make_cause
from ...graphs.concepts import concept_id, cue_id
from ...graphs.entities import Entities
from ...graphs.linking import ENDS, Draft, Node
from ...graphs.timeline import event_id, fact_id
from ...ports.batch import Batch, PutVector
from ...ports.clock import Clock
from ...ports.store import GraphStore
from .. import validate
from ..embedding import VECTORS_DUE
from ..graph.graphs import Graphs
from ..graph.terms import MAX_DESCRIPTION
from .foreseeing import Foresight
from .report import Report

LINKS = 512
"""Links written in one transaction."""

ATTEMPTS = 5
MAX_LINKS = 10_000

KINDS: dict[type, Kind] = {
    Thing: Kind.ENTITY,
    Concept: Kind.CUE,
    Name: Kind.CUE,
    Happening: Kind.EVENT,
    Assertion: Kind.FACT,
    Reason: Kind.CAUSE,
}
NO_TIME = "times that cannot be read"


class Then:
    """A clock that can be set to a moment in the past, at which something was stated."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.moment: datetime | None = None

    def now(self) -> datetime:
        return self.moment or self._clock.now()


class Stating:
    """States what comes from one source. ``graphs`` must go by the clock that is given."""

    def __init__(self, store: GraphStore, graphs: Graphs, clock: Then, zone: tzinfo, report: Report) -> None:
        self._store = store
        self._graphs = graphs
        self._clock = clock
        self._zone = zone
        self._report = report
        self.foresight = Foresight(store, clock)
        self._nodes: dict[str, Node] = {}
        self._waiting: list[tuple[Tie, Node, Node]] = []

    def called(self, key: str, node: Node) -> None:
        """Remember what a key of the source means here."""
        self._nodes[key] = node

    # --- records ---

    def take(self, item: Stated, dry_run: bool) -> None:
        """State one thing, or report why that cannot be."""
        kind = KINDS[type(item)]
        try:
            if dry_run:
                id, created = self._foreseen(item)
            else:
                self._clock.moment = self.moment(item.created_at)
                id, created = self._state(item)
        except (InvalidInput, NotFound) as error:
            self._report.refuse(item.where, str(error))
            return
        finally:
            self._clock.moment = None
        if created:
            self._report.add(kind)
        else:
            self._report.known += 1
        if item.key is not None:
            self._nodes[item.key] = Node(kind, id)

    def _foreseen(self, item: Stated) -> tuple[str, bool]:
        """Return the id that a thing would have here, and whether it would be new."""
        user = self._store.user
        match item:
            case Thing():
                name = validate.text(item.name, "name", longest=validate.MAX_NAME)
                return self.foresight.thing(name, validate.text(item.entity_type, "type", longest=validate.MAX_NAME))
            case Concept():
                id = concept_id(user, validate.text(item.name, "name", longest=validate.MAX_NAME))
            case Happening():
                text = validate.text(item.description, "description", longest=MAX_DESCRIPTION)
                id = event_id(user, text, self._when(item.occurred_at, "occurred_at"))
            case Assertion():
                since, until = self._span(item)
                id = fact_id(user, item.subject, item.predicate, item.object, since, until)
            case Reason():
                id = cause_id(user, validate.text(item.description, "description", longest=MAX_DESCRIPTION).strip())
            case Name():
                id = cue_id(user, item.cue_type, self._cue_name(item))
        return id, self.foresight.record(KINDS[type(item)], id)

    def _cue_name(self, item: Name) -> str:
        name = normalize_name(validate.text(item.name, "name", longest=validate.MAX_NAME))
        if not name:
            raise InvalidInput("name", "must contain at least one letter or digit")
        return name

    def _span(self, item: Assertion) -> tuple[datetime, datetime | None]:
        since = self._when(item.valid_from or item.created_at, "valid_from").start
        return since, None if item.valid_to is None else self._when(item.valid_to, "valid_to").start

    def _state(self, item: Stated) -> tuple[str, bool]:
        """Return the id that a thing has here, and whether it is new; one that was stated already stays as it is."""
        user = self._store.user
        match item:
            case Thing():
                known = Entities(self._store).named(item.name)
                same = [each for each in known if each.entity_type.casefold() == item.entity_type.strip().casefold()]
                if stated := next((each for each in same if each.asserted), None):
                    return stated.id, False
                entity = self._graphs.add_entity(item.name, item.entity_type, item.properties, item.aliases)
                return entity.entity.id, entity.created
            case Concept():
                if self._stated(Kind.CUE, id := concept_id(user, item.name)):
                    return id, False
                concept = self._graphs.add_concept(item.name, item.description)
                return concept.cue.id, concept.created
            case Happening():
                when = self._when(item.occurred_at, "occurred_at")
                if self._stated(Kind.EVENT, id := event_id(user, item.description, when)):
                    return id, False
                event = self._graphs.add_event(item.description, self._local(item.occurred_at), duration=item.duration)
                return event.event.id, event.created
            case Assertion():
                return self._fact(item)
            case Reason():
                text = validate.text(item.description, "description", longest=MAX_DESCRIPTION).strip()
                kind = validate.text(item.node_type, "node_type", longest=validate.MAX_NAME).strip()
                id = cause_id(user, text)
                return id, self._written(id, Kind.CAUSE, lambda draft: self._cause(draft, text, kind))
            case Name():
                name = self._cue_name(item)
                id = cue_id(user, item.cue_type, name)
                cue = Cue(id=id, name=name, cue_type=item.cue_type, created_at=self._clock.now())
                return id, self._written(id, Kind.CUE, lambda draft: self._cue(draft, cue))

    def _stated(self, kind: Kind, id: str) -> bool:
        return self._store.peek(kind, [id], ["asserted"]).get(id) == (True,)

    def _when(self, value: Moment, field: str) -> Interval:
        if value is None:
            raise InvalidInput(field, "is missing")
        return parse_when(value, field=field, zone=self._zone)

    def _fact(self, item: Assertion) -> tuple[str, bool]:
        since, until = self._span(item)
        id = fact_id(self._store.user, item.subject, item.predicate, item.object, since, until)
        if self._stated(Kind.FACT, id):
            return id, False
        fact = self._graphs.add_fact(item.subject, item.predicate, item.object, since, until)
        return fact.fact.id, fact.created

    def _cause(self, draft: Draft, description: str, node_type: str) -> None:
        cause = make_cause(draft, description, node_type)
        if known := self._store.get(Kind.CAUSE, [cause.id]).get(cause.id):
            draft.puts.clear()
            draft.pin(known)  # type: ignore[arg-type]
        else:
            draft.vectors.append(PutVector(Kind.CAUSE, cause.id, None))
            draft.meta[VECTORS_DUE] = "1"

    def _cue(self, draft: Draft, cue: Cue) -> None:
        # It stays as long as a memory has it, like one that is read here, so nobody states it.
        if not self._store.peek(Kind.CUE, [cue.id], ["id"]):
            draft.put(cue, terms(cue.name), if_absent=True)
            draft.vectors.append(PutVector(Kind.CUE, cue.id, None))

    def _written(self, id: str, kind: Kind, build: Callable[[Draft], None]) -> bool:
        """Write what ``build`` drafts; return whether the record is new."""
        for _ in range(ATTEMPTS):
            draft = Draft(self._store.user, self._clock.now())
            build(draft)
            try:
                return id in self._store.write(draft.batch()).created
            except Conflict:
                continue
        raise Conflict(f"the {kind.value} is being changed elsewhere; import again, and it goes on where it was")

    # --- links ---

    def tie(self, tie: Tie, dry_run: bool) -> None:
        """Link two things that have been taken, or report why that cannot be. ``finish`` writes what is gathered."""
        source, target = self._nodes.get(tie.source), self._nodes.get(tie.target)
        if source is None or target is None:
            self._report.refuse(tie.where, "something that it joins was not taken")
            return
        if not dry_run:
            self._clock.moment = self.moment(tie.created_at)
        try:
            if dry_run:
                self._count(self._tie_foreseen(tie, source, target))
            elif tie.kind is LinkKind.C_CAUSES:
                self._count(self._causes(tie, source, target))
            elif tie.kind is LinkKind.E_RELATES:
                self._count(self._graphs.link_entities(source.id, tie.relation, target.id).created)
            else:
                self._waiting.append((tie, *self._ends(tie, source, target)))
        except (InvalidInput, NotFound) as error:
            self._report.refuse(tie.where, str(error))
        finally:
            self._clock.moment = None
        if len(self._waiting) >= LINKS:
            self.finish()

    def _tie_foreseen(self, tie: Tie, source: Node, target: Node) -> bool:
        """Return whether a link would be new."""
        if tie.kind is LinkKind.E_RELATES:
            return self.foresight.relation(source.id, tie.relation, target.id)
        if tie.kind is LinkKind.C_CAUSES:
            if not source.kind is target.kind is Kind.CAUSE:
                raise InvalidInput("link", "must join a cause and an effect")
            return self.foresight.link(tie.kind, source.id, target.id, asserted=True)
        source, target = self._ends(tie, source, target)
        return self.foresight.link(self._kind(tie, source), source.id, target.id)

    def _causes(self, tie: Tie, cause: Node, effect: Node) -> bool:
        """State a causal link, unless it is known: what it says then stays as it is."""
        if not cause.kind is effect.kind is Kind.CAUSE:
            raise InvalidInput("link", "must join a cause and an effect")
        known = self._store.links([cause.id], [LinkKind.C_CAUSES], "out", limit=MAX_LINKS)
        if any(link.dst == effect.id and link.asserted for link in known):
            return False
        return self._graphs.add_causal_link(
            cause.id, effect.id, tie.confidence, evidence=tie.evidence and tie.evidence[:MAX_DESCRIPTION]
        ).created

    def _ends(self, tie: Tie, source: Node, target: Node) -> tuple[Node, Node]:
        """Return the ends of a link in the order that they have here.

        A memory that stands for an event has what it is about recorded.
        """
        kind = self._kind(tie, source)
        if kind is LinkKind.CO_OCCURS and source.id > target.id:
            source, target = target, source
        froms, tos = ENDS[kind]
        if source.kind not in froms or target.kind not in tos or source.id == target.id:
            raise InvalidInput("link", f"a {source.kind.value} has no link of the kind {kind} to that")
        for name, value in (("strength", tie.strength), ("confidence", tie.confidence)):
            if not 0 <= value < math.inf:
                raise InvalidInput(name, f"must be a number from 0, got {value!r}")
        return source, target

    def _kind(self, tie: Tie, source: Node) -> LinkKind:
        about = tie.kind in (LinkKind.X_INVOLVES, LinkKind.X_REFERS_TO)
        return LinkKind.X_RECORDS if about and source.kind is Kind.ENGRAM else tie.kind

    def finish(self) -> None:
        """Write the links that have been gathered."""
        if not self._waiting:
            return
        made: dict[str, None] = {}
        puts = []
        for tie, source, target in self._waiting:
            draft = Draft(self._store.user, self.moment(tie.created_at) or self._clock.now())
            kind = self._kind(tie, source)
            strength = tie.strength if kind is LinkKind.CO_OCCURS else min(1.0, tie.strength)
            link = draft.link(
                kind, source, target, strength=strength, confidence=min(1.0, tie.confidence), merge="keep"
            )
            if link.id in made:
                self._report.known += 1
                continue
            made[link.id] = None
            puts += draft.links
        self._waiting.clear()
        written = self._store.write(Batch(links=tuple(puts)))
        for id in made:
            self._count(id in written.created)

    def _count(self, created: bool) -> None:
        if created:
            self._report.add_link()
        else:
            self._report.known += 1

    # --- times ---

    def moment(self, value: Moment) -> datetime | None:
        """Return a time of the source in UTC; one that cannot be read is left out, and reported."""
        return moment(value, self._zone, self._report)

    def _local(self, value: Moment) -> datetime | str:
        return to_utc(value, self._zone) if isinstance(value, datetime) and value.tzinfo is None else value or ""


def moment(value: Moment, zone: tzinfo, report: Report) -> datetime | None:
    """Return a time in UTC, without a zone of its own that of ``zone``; one that cannot be read is reported."""
    if value is None:
        return None
    try:
        return parse_when(value, field="created_at", zone=zone).start.astimezone(UTC)
    except InvalidInput:
        report.passed(NO_TIME)
        return None
