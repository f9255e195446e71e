# SPDX-License-Identifier: Apache-2.0
"""From what was found to what is said: for each kind of question its own way of answering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, cast

from ...domain.causal.text import find_causes
from ...domain.interval import INSTANT, Interval
from ...domain.records import Engram, Event, Kind, Link, LinkKind, Precision
from ...domain.text import query_terms
from ...graphs.chains import Hop
from ...magma import synthesize
from ...magma.contradiction import MAX_AGAINST
from ...magma.denials import denial
from ...magma.evidence import coverage
from ...magma.intent import Intent, Placed, asks_of_now, counts, items, lasts_still
from ...magma.matching import Timing
from ...magma.synthesize import Against, Also, Denied, Held, Moment
from ...magma.tracing import Trace
from ...ports.store import GraphStore
from ..graph.stated import Sort, Statement, stated_cause
from ..results import ChainStep
from . import findings
from .appointments import current_first, without_old
from .asked import Found, Said
from .citing import Citations
from .durations import Length, how_long, so_far
from .order import told_beside

if TYPE_CHECKING:
    from ...ports.models import Vectors

READ_RESULTS = 3
"""Best results whose text counts as what was found."""

TIMED = 40
"""Memories of a time asked for that are looked at for what happened then."""

DENIALS, DENIED_WORDS = 20, 40
"""Memories that are looked at for a denial of a chain, and words of the chain by which they are found."""

MAX_LINKS = 2_000
MEANT = 0.5
"""Share of a question's words that a cause or an effect must have to be the event that the question is about."""

UNEXPLAINED = 0.7
"""What confidence keeps where a reason is asked for and only what was said about the event is known."""

CONTRARY = 0.5
"""What it keeps where the event found says the opposite of the one asked about."""

ALONE = 0.45
"""Share of a chain's confidence that goes by its own sentences; the rest goes by all of the memories that tell it."""

LAST_HOP = 0.25
"""Share of a chain's confidence that hangs on its last hop: whether the event asked about is explained at all."""

ANSWERS = 0.5
"""Share of a question's words that a statement must hold to answer it, ..."""

AS_GOOD = 0.9
"""... and share of what the best statement, or the best sentence of a memory, holds of them."""

MERELY_TOLD = 0.9
"""What confidence keeps where a time is asked for and only when it was told is known."""

LENGTH_UNKNOWN = 0.7
"""What it keeps where a length is asked for and only some time was told."""

PAST = 0.7
"""What it keeps where the present is asked about and only what no longer holds is known."""

WEIGHED = 4
"""Statements nobody told that are compared with the question by meaning: the model has to read them first."""

ALSO_QUOTED = 0.8
"""Share of the best quote's words from which another one is given beside it, where one answer is asked for."""


class Composer:
    """Puts answers together. ``embed`` returns the vectors of some texts, or ``None`` without a model."""

    def __init__(
        self, store: GraphStore, embed: Callable[[Sequence[str]], Vectors | None], now: Callable[[], datetime]
    ) -> None:
        self._store = store
        self._embed = embed
        self._now = now

    # --- what was said ---

    def quoted(self, found: Found) -> Said:
        """Let the memories found speak: of those that answer nearly as well as the best, all for a survey, few else."""
        cited = self.citations(found)
        results = found.about_it
        quotes = findings.comparable(results, found.weights, counted=counts(found.asked))
        quotes = [each for each in quotes if not found.is_of_another(each.text)]
        if found.intent is Intent.WHY:
            quotes = [each for each in quotes if not _tells_what_came(found, each.text)]
        if found.intent is not Intent.EXPLORE:
            least = ALSO_QUOTED * max((each.share for each in quotes), default=0.0)
            quotes = [each for each in quotes if each.share >= least][: synthesize.SHOWN_QUOTES]
        quotes = [replace(each, number=number) for number, each in enumerate(quotes[: found.question.limit], 1)]
        for quote in quotes:
            cited.memory(quote.engram, quote.text)
        read = results[:READ_RESULTS]
        if not read or not quotes:
            return Said(text="", sure=0.0, cited=cited)
        sure = found.sure([found.said_of_it(result.text) for result in read], [result.engram.id for result in read])
        if found.intent is Intent.WHY:
            sure *= UNEXPLAINED
        return Said(text=synthesize.quotes(quotes), sure=sure, cited=cited)

    def nearest(self, found: Found) -> Said:
        """Say that nothing told answers the question, and what comes nearest."""
        cited = self.citations(found)
        quotes = findings.comparable(found.results, found.weights)[:1]
        for quote in quotes:
            cited.memory(quote.engram, quote.text)
        return Said(text=synthesize.declined(synthesize.quotes(quotes)), sure=0.0, cited=cited)

    # --- what holds ---

    def held(self, found: Found, most: int = synthesize.SHOWN_FACTS) -> Said | None:
        """Tell the statements that answer as much of the question as anything told, if there are any."""
        best = self._best(found)
        if not best:
            return None
        cited = self.citations(found)
        shown = []
        for each in best[: min(most, found.question.limit)]:
            number = self._cite(cited, each)
            shown.append(Held(text=each.text, until=each.until, number=number))
        return Said(text=synthesize.holds(shown), sure=self._sure_of(found, best), cited=cited)

    def _best(self, found: Found) -> list[Statement]:
        """Return the statements that hold most of a question's words; of the time asked for, if any hold then."""
        if not found.topic:
            return []
        shares = {each.id: coverage(found.topic, (each.words,)) for each in found.statements}
        told = max((each.share for each in findings.quotes(found.results, found.topic)), default=0.0)
        least = max(ANSWERS, AS_GOOD * max((told, *shares.values()), default=0.0))
        windows = found.pool.plan.windows
        good = [each for each in found.statements if shares[each.id] >= least and not found.is_of_another(each.words)]
        if windows and any(each.holds_in(windows) for each in good):
            good = [each for each in good if each.holds_in(windows)]
        good.sort(key=lambda each: (not each.holds_in(windows), -shares[each.id], len(each.text), each.id))
        return list({each.text.casefold(): each for each in reversed(good)}.values())[::-1]

    def _sure_of(self, found: Found, best: Sequence[Statement]) -> float:
        """Return how sure it is that one of some statements answers the question."""
        texts = [each.words for each in best[:READ_RESULTS]]
        tellers = [engram for each in best[:READ_RESULTS] for engram in each.tellers]
        near = self._nearness(found, [each for each in best[:WEIGHED] if not each.tellers])
        engrams = found.engrams
        whole = [engrams[id].content for id in tellers if id in engrams]
        windows = found.pool.plan.windows
        held = None
        if windows:
            held = Timing.INSIDE if any(each.holds_in(windows) for each in best) else Timing.ELSEWHERE
        sure = found.sure([*texts, *whole], tellers, near, held)
        over = not windows and all(each.until is not None for each in best)
        return sure * (PAST if over and asks_of_now(found.question.text) else 1.0)

    def _nearness(self, found: Found, untold: Sequence[Statement]) -> float | None:
        """Return the cosine of the question and the nearest of some statements."""
        vector = found.pool.vector
        vectors = self._embed([each.text for each in untold]) if untold and vector is not None else None
        return None if vectors is None or vector is None else float((vectors @ vector).max())

    def _cite(self, cited: Citations, each: Statement) -> int | None:
        """Cite what told a statement, with the sentence that does; without a teller the statement itself."""
        for engram in each.tellers:
            if record := cited.look_up(engram):
                words = dict.fromkeys(query_terms(each.text), 1.0)
                return cited.memory(engram, findings.quote(record.content[: findings.READ], words))
        return cited.statement(each)

    # --- when ---

    def timed(self, found: Found, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say when it happened, or what happened then."""
        windows = found.pool.plan.windows
        engrams = found.engrams
        if windows:
            timed = sorted(found.in_time, key=lambda id: (-found.pool.by_id[id].score, id))[:TIMED]
            fresh = [id for id in timed if id not in engrams]
            if fresh:
                engrams |= {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, fresh).items()}
                links = self._store.links(fresh, [LinkKind.X_RECORDS], "out", limit=MAX_LINKS)
                events = {**events, **findings.events_of(self._store, links)}
        untold = {each.id: each for each in found.statements if each.when is not None and not each.tellers}
        happened = findings.happenings(list(engrams.values()), events, found.topic, windows)
        happened += findings.stated(list(untold.values()), found.topic, windows)
        happened = _of_it(found, happened, engrams)
        happened = without_old(happened, found.question.request.zone)
        if not found.topic:
            happened = findings.happened_then(happened, windows)
        moments = _moments(found, happened if windows else findings.timed_first(happened))
        if not moments:
            return None
        moments, planned = current_first(moments, happened, found.question.text, found.question.request.zone)
        cited = self.citations(found)
        numbers = [
            cited.statement(untold[each.engram]) if each.engram in untold else cited.memory(each.engram, each.text)
            for each in moments
        ]
        stated = [untold[each.engram] for each in moments if each.engram in untold]
        tellers = [each.engram for each in moments if each.engram not in untold]
        near = self._nearness(found, stated[:WEIGHED])
        sure = found.sure([each.text for each in moments], tellers, near, Timing.INSIDE if stated else None)
        if all(each.told for each in moments):
            sure *= MERELY_TOLD
        zone = found.question.request.zone
        return Said(text=synthesize.when(moments, numbers, zone, planned), sure=sure, cited=cited)

    def beside(self, found: Found, placed: Placed, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say what happened before or after an event, if that was told."""
        told = told_beside(self._store, found, placed, events)
        if told is None:
            return None
        cited = self.citations(found)
        number = cited.memory(told.event.engram, told.event.text)
        numbers = [cited.memory(each.engram, each.text) for each in told.moments]
        zone = found.question.request.zone
        text = synthesize.on_one_side(told.side, (told.event, number), told.moments, numbers, zone)
        both = (told.event, *told.moments)
        return Said(
            text=text, sure=found.sure([each.text for each in both], [each.engram for each in both]), cited=cited
        )

    def lasted(self, found: Found, events: Mapping[str, Sequence[Event]]) -> Said | None:
        """Say how long it lasted, if that was told, or when it began and when it was over; else say that it was not."""
        zone = found.question.request.zone
        happened = findings.happenings([each.engram for each in found.about_it], events, found.topic, ())
        happened = _of_it(found, happened, found.engrams)
        untold = {each.id: each for each in found.statements if not each.tellers}
        stated = [
            (coverage(found.topic, (each.text,)), Length(text=each.duration, moments=(_moment(each),)))
            for each in untold.values()
            if each.duration and found.topic and not found.is_of_another(each.text)
        ]
        length = how_long(found.about_it, happened, stated, found.topic, zone)
        still = length is None and lasts_still(found.question.text)
        if still:
            length = so_far(happened, self._now(), zone)
        if length is None:
            said = self.timed(found, events)
            if said is None or still:
                return said
            text = f"{said.text[:1].upper()}{said.text[1:]}"
            return replace(said, text=f"How long was not told. {text}", sure=said.sure * LENGTH_UNKNOWN)
        cited = self.citations(found)
        numbers = [
            cited.statement(untold[each.engram]) if each.engram in untold else cited.memory(each.engram, each.text)
            for each in length.moments
        ]
        tellers = [each.engram for each in length.moments if each.engram not in untold]
        near = self._nearness(found, [untold[each.engram] for each in length.moments if each.engram in untold])
        sure = found.sure([each.text for each in length.moments], tellers, near)
        tell = synthesize.lasts if still else synthesize.lasted
        return Said(text=tell(length.text, length.moments, numbers, zone), sure=sure, cited=cited)

    # --- why ---

    def chained(self, found: Found, traced: Trace, cited: Citations | None = None) -> Said:
        """Tell a chain, each hop with what says so, then what was told beside it and against it."""
        cited = cited or self.citations(found)
        steps = self._steps(found, traced, cited)
        names = {id: node.description for id, node in traced.graph.nodes.items()}

        def cite(link: Link) -> int | None:
            return self._cite_link(found, cited, link, names[link.src], names[link.dst])

        tellers = [source.engram for source in cited.sources if source.engram]
        far = "dst" if found.forward else "src"

        def also(links: Sequence[Link]) -> list[Also]:
            return [
                Also(text=names[getattr(each, far)], confidence=each.confidence, number=cite(each))
                for each in links
                if len(cited.sources) < found.question.limit or cited.has(self._teller(found, each))
            ]

        others, suspected = also(traced.others), also(traced.suspected)
        against = [
            Against(cause=names[each.src], effect=names[each.dst], confidence=each.confidence, number=cite(each))
            for each in traced.against
        ]
        denied = [
            Denied(text=text, number=cited.memory(engram, text))
            for engram, text in self._denied(found, traced, len(against))
        ]
        numbers = [step.source for step in steps]
        forward = found.forward
        text = synthesize.why(
            traced.chain, numbers, others, against, denied, suspected=suspected, cut=traced.cut, forward=forward
        )
        remarks = synthesize.beside(traced.chain, others, against, denied, suspected=suspected, forward=forward)
        sure = self._sure_of_chain(found, traced, steps, tellers)
        return Said(text=text, sure=sure, cited=cited, chain=steps, traced=traced, remarks=remarks)

    def _denied(self, found: Found, traced: Trace, known: int) -> list[tuple[str, str]]:
        """Return memories that deny a chain, each with the sentence, beside so many contradictions that are known."""
        said = traced.chain.told()
        words = query_terms(" ".join(said))[:DENIED_WORDS]
        where = found.question.request.where
        hits = self._store.text_search(Kind.ENGRAM, words, DENIALS, where).hits if words else ()
        engrams = found.engrams
        fresh = [hit.id for hit in hits if hit.id not in engrams]
        engrams |= {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, fresh).items()}
        if found.pool.plan.windows:
            engrams = {id: each for id, each in engrams.items() if id in found.in_time}
        own = {" ".join((hop.link.evidence or "").split()) for hop in traced.chain.hops}
        told = ((id, denial(said, each.content)) for id, each in engrams.items())
        return [(id, text) for id, text in told if text is not None and text not in own][: max(0, MAX_AGAINST - known)]

    def _steps(self, found: Found, traced: Trace, cited: Citations) -> tuple[ChainStep, ...]:
        steps = []
        through = 1.0
        told = traced.chain.told()
        for at, hop in enumerate(traced.chain.hops):
            through *= hop.confidence
            steps.append(
                ChainStep(
                    cause=told[at],
                    cause_id=hop.cause.id,
                    effect=told[at + 1],
                    effect_id=hop.effect.id,
                    confidence=hop.confidence,
                    cumulative=through,
                    evidence=hop.link.evidence,
                    source=self._cite_hop(found, cited, hop),
                    stated=not hop.link.sources,
                )
            )
        return tuple(steps)

    def _cite_hop(self, found: Found, cited: Citations, hop: Hop) -> int | None:
        return self._cite_link(found, cited, hop.link, hop.cause.description, hop.effect.description)

    def _cite_link(self, found: Found, cited: Citations, link: Link, cause: str, effect: str) -> int | None:
        """Cite a memory that a causal link was read from, of the time asked for if it may be, or the link itself."""
        if not link.sources:
            return cited.statement(stated_cause(link, cause, effect))
        return cited.memory(self._teller(found, link), link.evidence or "")

    def _teller(self, found: Found, link: Link) -> str:
        """Return what is cited for a link: a memory that told it, of the time asked for if it may be, or itself."""
        return next((id for id in link.sources if id in found.in_time), (*link.sources, link.id)[0])

    def _sure_of_chain(self, found: Found, traced: Trace, steps: Sequence[ChainStep], tellers: Sequence[str]) -> float:
        texts = [step.evidence or "" for step in steps] + [f"{step.cause} {step.effect}" for step in steps]
        whole = [engram.content for id, engram in found.engrams.items() if id in tellers]
        # A report names its subject once, and need not do so in the sentences that explain it.
        alone = found.sure(texts, tellers, traced.cosine, traced.timing, focused=True)
        around = found.sure([*texts, *whole], tellers, traced.cosine, traced.timing, focused=True)
        last = steps[0].confidence if found.forward else traced.chain.outright
        explained = 1.0 - LAST_HOP + LAST_HOP * last
        return (ALONE * alone + (1.0 - ALONE) * around) * explained * (CONTRARY if traced.opposed else 1.0)

    # --- all there is ---

    def explored(self, found: Found, traced: Trace | None) -> Said:
        """Tell what holds, what led to what happened, and what was said, from one list of sources."""
        quoted = self.quoted(found)
        cited = self.citations(found)
        parts = []
        sure = [quoted.sure]
        chained = None
        said = {each.engram for each in findings.comparable(found.about_it, found.weights)}
        best = [each for each in self._best(found) if said.isdisjoint(each.tellers)]
        if held := best[: min(synthesize.SHOWN_FACTS, found.question.limit)]:
            shown = [Held(text=each.text, until=each.until, number=self._cite(cited, each)) for each in held]
            parts.append(synthesize.holds(shown))
            sure.append(self._sure_of(found, held))
        if traced is not None and len(cited.sources) + len(traced.chain.hops) <= found.question.limit:
            chained = self.chained(found, traced, cited)
            parts.append(chained.text)
            sure.append(chained.sure)
        known = {source.engram for source in cited.sources}
        least = ANSWERS if parts else 0.0
        quotes = [
            each
            for each in findings.comparable(found.about_it, found.weights)
            if each.engram not in known and each.share >= least
        ]
        quotes = quotes[: max(0, found.question.limit - len(cited.sources))]
        quotes = [replace(each, number=cited.memory(each.engram, each.text) or 0) for each in quotes]
        parts.append(synthesize.quotes(quotes))
        return Said(
            text=" ".join(filter(None, parts)),
            sure=max(sure),
            cited=cited,
            chain=chained.chain if chained else (),
            traced=traced if chained else None,
            remarks=chained.remarks if chained else (),
        )

    def citations(self, found: Found) -> Citations:
        known = found.engrams
        return Citations(lambda id: known.get(id) or cast("Engram | None", self._store.get(Kind.ENGRAM, [id]).get(id)))


def _tells_what_came(found: Found, text: str) -> bool:
    """Whether a text tells by its own "because" what came of the event whose reason is asked for, and no reason."""
    weights = found.topic or found.weights
    links = [link for link in find_causes(text) if link.cause is not None]
    as_cause = max((coverage(weights, (link.cause.text,)) for link in links if link.cause), default=0.0)
    as_effect = max((coverage(weights, (link.effect.text,)) for link in links), default=0.0)
    return as_cause >= MEANT > as_effect


def _of_it(
    found: Found, happened: Sequence[tuple[float, Moment]], engrams: Mapping[str, Engram]
) -> list[tuple[float, Moment]]:
    """Return moments without those of others of the kind that a question asks about."""
    told = {id: engram.content[: findings.READ] for id, engram in engrams.items()}
    return [each for each in happened if not found.tells_of_another(each[1].text, told.get(each[1].engram, ""))]


def _moment(each: Statement) -> Moment:
    """Return a statement as something that happened."""
    when = each.when or Interval(each.stated_at, each.stated_at + INSTANT, Precision.INSTANT)
    return Moment(when=when, text=each.text, engram=each.id)


def _moments(found: Found, happened: Sequence[tuple[float, Moment]]) -> list[Moment]:
    """Return the moments to tell: one for each thing that the question lists, else those that answer most of it."""
    asked = [set(query_terms(item)) for item in items(found.question.text)]
    listed = [{word: weight for word, weight in found.topic.items() if word in each} for each in asked]
    moments = findings.one_each(happened, listed) if all(listed) and listed else []
    if len(moments) < len(listed) or not listed:
        moments = findings.foremost(happened, synthesize.SHOWN_MOMENTS)
    return moments


def facts_of(found: Found) -> list[Statement]:
    """Return the facts that hold part of a question's words, those that hold at the time asked for first."""
    windows = found.pool.plan.windows
    scored = [(coverage(found.topic, (each.text,)) if found.topic else 0.0, each) for each in found.statements]
    facts = [(share, each) for share, each in scored if each.sort is Sort.FACT and share >= ANSWERS]
    facts.sort(key=lambda pair: (not pair[1].holds_in(windows), -pair[0], pair[1].id))
    return [each for _, each in facts[: findings.MAX_FACTS]]
