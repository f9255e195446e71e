# SPDX-License-Identifier: Apache-2.0
"""Why it happened, as an answer: a chain of causes, each hop with what says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from ...domain.records import Engram, Kind, Link
from ...domain.text import query_terms
from ...graphs.chains import Hop
from ...magma import synthesize
from ...magma.contradiction import MAX_AGAINST
from ...magma.denials import denial
from ...magma.synthesize import Against, Also, Denied
from ...magma.tracing import Trace
from ...ports.store import GraphStore
from ..graph.stated import stated_cause
from ..results import ChainStep
from .asked import Found, Said
from .citing import Citations, citations

DENIALS, DENIED_WORDS = 20, 40
"""Memories that are looked at for a denial of a chain, and words of the chain by which they are found."""

CONTRARY = 0.5
"""What it keeps where the event found says the opposite of the one asked about."""

ALONE = 0.45
"""Share of a chain's confidence that goes by its own sentences; the rest goes by all of the memories that tell it."""

LAST_HOP = 0.25
"""Share of a chain's confidence that hangs on its last hop: whether the event asked about is explained at all."""


class Chains:
    """Answers with chains of causes."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def chained(self, found: Found, traced: Trace, cited: Citations | None = None) -> Said:
        """Tell a chain, each hop with what says so, then what was told beside it and against it."""
        cited = cited or citations(self._store, found)
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
