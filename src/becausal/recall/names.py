# SPDX-License-Identifier: Apache-2.0
"""One hop through names: to the memories that a question names, and on to those that the best of them name.

"Where was the director of Blind Shaft born?" is answered by two memories, and the second has hardly a word in
common with the question. What leads there is a name: the first memory names somebody, and the second is about
that person. What a memory is about is told apart from what it only names when it is written (``ABOUT``).

Names lead on only from memories that are themselves about something few others are about, as the articles of
an encyclopedia are. Where everything is about the same few people, as in a conversation, they lead nowhere,
and looking them up costs next to nothing. What decides is the shape of the memory, never where it came from.

The figures were chosen on the questions of 2WikiMultihopQA that ``benchmarks/multihop.py`` asks, the bounds on
their first half alone.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..domain.records import Kind, LinkKind
from ..domain.scoring import idf
from ..domain.text import terms
from ..encode.heading import ABOUT
from ..graphs.entities import extracted_id
from .candidates import Pool, Step

TITLED = 0.5
"""What a memory gains that is about a name in the question."""

NAMED = 0.7
"""What one gains that is about a name in the best candidate, if nothing else names it."""

AGAIN = 0.25
"""What the best answer to the second question gains: the candidates' rarest words that were not asked for."""

HITS = 3
"""Best candidates whose names are followed and whose words are asked for."""

MAX_ABOUT = 4
"""Memories that may be about a name for it to lead to them."""

CROWD = 24
"""Memories naming a name up to which they are counted: each makes it tell less."""

MAX_RECORDED = 128
"""Links from one memory to what it records that are followed."""

MAX_READ = 800
"""Characters of a candidate in which new words are looked for."""

MAX_LOOKED_UP, MAX_WORDS = 48, 12
"""New words looked up, and the rarest of them, which are asked for."""

COMMON = 0.1
"""Share of all memories from which on a word is not asked for."""

SECOND_POOL = 40


def in_question(pool: Pool) -> dict[str, Step]:
    """Return the memories about a name that stands in the question, each with 1, or less if it shares the name."""
    spans = {extracted_id(pool.store.user, span.key): span for span in pool.plan.spans}
    about, _ = _subjects(pool, spans, MAX_ABOUT + 1)
    found: dict[str, Step] = {}
    for entity, ids in about.items():
        # "Blind Shaft" is not about a shaft.
        if len(ids) <= MAX_ABOUT and not any(spans[other].covers(spans[entity]) for other in about):
            for id in ids:
                step = Step(_rare(len(ids)), None, "about '{}', named in the question", Kind.ENTITY, entity)
                found[id] = max(step, found.get(id, step), key=lambda each: each.score)
    return found


def from_hits(pool: Pool, hits: Mapping[str, float]) -> dict[str, Step] | None:
    """Return the memories about a name in some candidates, which are given with their scores, 0 … 1.

    ``None`` where names do not lead on: no candidate is about something that few memories are about.
    """
    named: dict[str, list[str]] = defaultdict(list)
    subjects: set[str] = set()
    for edge in pool.store.edges(list(hits), [LinkKind.X_RECORDS], "out", MAX_RECORDED):
        named[edge.dst].append(edge.src)
        if edge.relation_type == ABOUT:
            subjects.add(edge.dst)
    about, _ = _subjects(pool, subjects, MAX_ABOUT + 1)
    if all(len(ids) > MAX_ABOUT for ids in about.values()):
        return None
    about, naming = _subjects(pool, named, CROWD)
    found: dict[str, Step] = {}
    for entity, ids in about.items():
        if len(ids) > MAX_ABOUT:
            continue
        for hit in named[entity]:
            step = Step(hits[hit] * _rare(naming[entity]), hit, "about '{}', named by a match", Kind.ENTITY, entity)
            for id in ids:
                if id != hit and (id not in found or step.score > found[id].score):
                    found[id] = step
    return found


def ask_again(pool: Pool, hits: Sequence[str]) -> dict[str, float]:
    """Return what holds the rarest words of some candidates that the question did not have, each with 0 … 1."""
    asked = dict.fromkeys(
        term
        for engram in pool.engrams(hits).values()
        for term in terms(engram.content[:MAX_READ])
        if term not in pool.plan.terms
    )
    new = list(asked)[:MAX_LOOKED_UP]
    if not new:
        return {}
    matches = pool.store.text_search(Kind.ENGRAM, new, SECOND_POOL, pool.where)
    often = max(2.0, COMMON * matches.documents)
    usable = [at for at, df in enumerate(matches.document_frequencies) if 2 <= df <= often]
    rarest = sorted(usable, key=lambda at: matches.document_frequencies[at])[:MAX_WORDS]
    weights = [(at, idf(matches.documents, matches.document_frequencies[at])) for at in rarest]
    scores = {
        hit.id: sum(weight for at, weight in weights if hit.frequencies[at])
        for hit in matches.hits
        if hit.id not in hits
    }
    most = max(scores.values(), default=0.0)
    return {id: score / most for id, score in scores.items() if score > 0}


def _subjects(pool: Pool, entities: Iterable[str], each: int) -> tuple[dict[str, list[str]], Counter[str]]:
    """Return the memories about some entities, and how many name each of them, both counted up to ``each``."""
    about: dict[str, list[str]] = defaultdict(list)
    naming: Counter[str] = Counter()
    wanted = list(entities)
    for edge in pool.store.edges(wanted, [LinkKind.X_RECORDS], "in", each) if wanted else ():
        naming[edge.dst] += 1
        if edge.relation_type == ABOUT:
            about[edge.dst].append(edge.src)
    return about, naming


def _rare(naming: int) -> float:
    """Return 1 for a name that one memory has, less the more have it: 1 / √log₂(1 + n)."""
    return 1 / math.sqrt(math.log2(1 + naming))
