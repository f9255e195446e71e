# SPDX-License-Identifier: Apache-2.0
"""The undo log: what a change keeps of the state before it, and how facts go back to that."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import cast

from ..domain.ids import new_id
from ..domain.records import Change, Engram, Fact, Json, Kind, Link, LinkKind
from ..graphs.timeline import Closing, Timeline
from ..ports.batch import Batch, Patch, Ref
from ..ports.store import GraphStore
from ..stores.codec import link_to_json, record_from_json, record_to_json

MAX_LINKS = 100_000


def make_change(
    action: str,
    targets: Sequence[str],
    note: str,
    *,
    now: datetime,
    kept_for: timedelta,
    id: str | None = None,
    engrams: Iterable[Engram] = (),
    links: Iterable[Link] = (),
    healed: Iterable[str] = (),
    closings: Iterable[Closing] = (),
    made: Iterable[str] = (),
    archived: Iterable[str] = (),
) -> Change:
    """Return the record of something done to the records ``targets``.

    Args:
        id: its id, if it has been told already.
        engrams: the memories as they were before.
        links: their links that telling them again would not make.
        healed: ids of links that the change made.
        closings: how it changed the ends of facts. Only the ends are kept, so that nothing is left here of a
            fact whose memory is purged.
        made: ids of facts that the change made.
        archived: ids of memories that the change put into the archive beside what else it did.
    """
    return Change(
        id=id or new_id(),
        action=action,
        targets=tuple(targets),
        note=note,
        inverse={
            "engrams": [record_to_json(engram) for engram in engrams],
            "links": [link_to_json(link) for link in links],
            "healed": list(healed),
            "facts": [_ends(each) for each in closings],
            "made": list(made),
            "archived": list(archived),
        },
        created_at=now,
        expires_at=now + kept_for,
    )


def engrams_before(change: Change) -> list[Engram]:
    """Return the memories as they were before a change."""
    kept = cast("list[dict[str, object]]", change.inverse.get("engrams", []))
    return [cast(Engram, record_from_json(each)) for each in kept]


def facts_before(store: GraphStore, inverse: Mapping[str, Json], but: Collection[str] = ()) -> Batch:
    """Return what takes back a change's work on facts, except some.

    A fact it made goes, unless a memory tells it as well, and what that fact had closed ends as it would have
    without it. Otherwise facts get back the ends they had, if nobody has changed them since or they had ended
    earlier.
    """
    made = cast("list[str]", inverse.get("made", []))
    if made:
        told = {link.dst for link in store.links(made, [LinkKind.X_RECORDS], "in", limit=MAX_LINKS)}
        gone = [id for id in made if id not in told]
        unstated = tuple(Patch(Kind.FACT, id, set={"asserted": False}) for id in sorted(told))
        reopened = Timeline.patches(Timeline(store).reopened(gone))
        return Batch(deletes=tuple(Ref(Kind.FACT, id) for id in gone), patches=unstated + reopened)
    ends = {str(each["id"]): each for each in cast("list[dict[str, Json]]", inverse.get("facts", []))}
    patches = []
    for id, record in store.get(Kind.FACT, [id for id in ends if id not in but]).items():
        fact, kept = cast(Fact, record), ends[id]
        before, after = _moment(kept["valid_to"]), _moment(kept["until"])
        untouched = (fact.valid_to, fact.superseded_by) == (after, kept["by"])
        if untouched or (before is not None and (fact.valid_to is None or before < fact.valid_to)):
            patches.append(Patch(Kind.FACT, id, set={"valid_to": before, "superseded_by": kept["superseded_by"]}))
    return Batch(patches=tuple(patches))


def _moment(text: Json) -> datetime | None:
    return datetime.fromisoformat(text) if isinstance(text, str) else None


def _ends(closing: Closing) -> dict[str, Json]:
    """Return how a fact ended before, and how it ends since: ``until`` and ``by``."""
    before, after = closing.before, closing.after
    return {
        "id": before.id,
        "valid_to": before.valid_to.isoformat() if before.valid_to else None,
        "superseded_by": before.superseded_by,
        "until": after.valid_to.isoformat() if after.valid_to else None,
        "by": after.superseded_by,
    }
