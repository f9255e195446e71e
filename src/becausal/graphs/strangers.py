# SPDX-License-Identifier: Apache-2.0
"""Events that long texts tell apart from each other: a report tells its own story, in words that others use too."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import cast

from ..domain.records import Engram, Kind, LinkKind
from ..ports.store import GraphStore

DOCUMENT = 800
"""Characters from which a text is one that tells a whole story by itself."""

MAX_TELLERS = 200


def strangers(store: GraphStore, cause: str, others: Sequence[str]) -> set[str]:
    """Return those of some causal nodes that no text tells together with ``cause``, if a document tells either.

    A few words are enough to refer to what the same text told, or a short note of the same days. Between two
    reports they are not: "an incorrect configuration" is another one in each.
    """
    if not others:
        return set()
    told: dict[str, set[str]] = defaultdict(set)
    for link in store.links([cause, *others], [LinkKind.X_RECORDS], "in", limit=MAX_TELLERS):
        told[link.dst].add(link.src)
    apart = [other for other in others if told[other] and told[cause] and not told[other] & told[cause]]
    if not apart:
        return set()
    tellers = set().union(told[cause], *(told[other] for other in apart))
    texts = {id: cast(Engram, record).content for id, record in store.get(Kind.ENGRAM, sorted(tellers)).items()}
    long = {id for id, text in texts.items() if len(text) >= DOCUMENT}
    return {other for other in apart if told[other] <= long or told[cause] <= long}
