# SPDX-License-Identifier: Apache-2.0
"""Text search: the server's full-text index finds candidates among a user's own, and their tokens are counted here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...domain.records import Kind
from ...domain.scoring import idf
from ...ports.store import TextHit, TextMatches, Where
from ..graphdb.ranking import SCORE, score_params
from ..terms import few_records, is_selective, most_telling, rank_by_rarest, rare_first
from . import names
from .connection import Connection
from .where import among, matching, passing


def search_text(
    connection: Connection, mark: str, kind: Kind, terms: Sequence[str], k: int, where: Where
) -> TextMatches:
    """See ``GraphStore.text_search``."""
    asked = names.tokens(mark, kind, terms)
    matching(kind, where, mark)  # refuses what cannot be asked, also where no term is known

    def work(tx: Any) -> TextMatches:
        def run(query: str, **params: object) -> list[Any]:
            return tx.run(query, params, mark=mark).values()  # type: ignore[no-any-return]

        rows = run(
            f"MATCH (r:{names.ROOT} {{mark: $mark}}) OPTIONAL MATCH (f:{names.TERM}) WHERE f.pk IN $tokens "
            "RETURN r.counts, f.pk, f.n",
            tokens=list(set(asked)),
        )
        tally = json.loads(rows[0][0] or "{}") if rows else {}
        frequencies = {token: n for _, token, n in rows if token is not None and n > 0}
        documents, total = (tally.get(f"{name}:{kind.value}", 0) for name in ("documents", "length"))
        mean_length = total / documents if documents else 0.0
        found = _candidates(run, mark, kind, frequencies, documents, mean_length, k, where)
        return TextMatches(
            hits=_counted(asked, found),
            document_frequencies=tuple(frequencies.get(token, 0) for token in asked),
            documents=documents,
            mean_length=mean_length,
        )

    return connection.read_in_one(work)


def count_terms(
    connection: Connection, mark: str, kind: Kind, terms: Sequence[str], ids: Sequence[str]
) -> tuple[TextHit, ...]:
    """See ``GraphStore.occurrences``."""
    asked = names.tokens(mark, kind, terms)
    if not ids:
        return ()
    found = among(kind, (), mark, list(dict.fromkeys(ids)))
    rows = connection.read(f"{found.text} AND t.text IS NOT NULL RETURN t.id, t.text", **found.params)
    return tuple(hit for hit in _counted(asked, rows) if any(hit.frequencies))


def _counted(asked: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[TextHit, ...]:
    # Tokens are all of one length, so that a substring is always a whole one.
    size = names.TOKEN_LENGTH + 1
    return tuple(
        TextHit(id, tuple([text.count(token) for token in asked]), (len(text) + 1) // size) for id, text in rows
    )


def _candidates(
    run: Any,
    mark: str,
    kind: Kind,
    frequencies: Mapping[str, int],
    documents: int,
    mean_length: float,
    k: int,
    where: Where,
) -> Sequence[Any]:
    known = rare_first(frequencies)
    if not known:
        return []
    if is_selective(where):
        few = few_records(documents)
        found = matching(kind, where, mark)
        rows = run(f"{found.text} RETURN t.id, t.text LIMIT $few", **found.params, few=few + 1)
        if len(rows) <= few:
            return most_telling(rows, {token: frequencies[token] for token in known}, k, lambda row: row[1])

    def rank(chosen: Sequence[str]) -> list[Any]:
        weights = {token: idf(documents, frequencies[token]) for token in chosen}
        return _ranked(run, kind, weights, mean_length, k, where)

    return rank_by_rarest(known, frequencies, k, rank)


def _ranked(run: Any, kind: Kind, weights: Mapping[str, float], mean_length: float, k: int, where: Where) -> list[Any]:
    """Return the best records by BM25, filtered before the limit; no token is of another user."""
    match = (
        f"CALL db.index.fulltext.queryNodes('{names.TEXT_INDEX}', $match) YIELD node AS t WITH t WHERE t.mark = $mark"
    )
    found = passing(kind, where, match, {"match": " ".join(weights)})
    score = SCORE.format(text="t.text", length=f"((size(t.text) + 1) / {names.TOKEN_LENGTH + 1})")
    return run(  # type: ignore[no-any-return]
        f"{found.text} WITH t, {score} AS score RETURN t.id, t.text ORDER BY score DESC, t.id LIMIT $k",
        **found.params,
        **score_params(weights, mean_length),
        k=k,
    )
