# SPDX-License-Identifier: Apache-2.0
"""Text search: the server's full-text index finds candidates among a user's own, and their tokens are counted here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...domain.records import Kind
from ...domain.scoring import idf
from ...ports.store import TextHit, TextMatches, Where
from ..conditions import matches_nothing
from ..graphdb.ranking import SCORE, score_params
from ..terms import few_records, is_selective, most_telling, rank_by_rarest, rare_first
from . import names
from .connection import Connection
from .standing import COLUMNS, ROOT, Standing, keep_standing, params
from .where import among, matching, passing


def search_text(
    connection: Connection, mark: str, kind: Kind, terms: Sequence[str], k: int, where: Where
) -> TextMatches:
    """See ``GraphStore.text_search``."""
    asked = names.tokens(mark, kind, terms)
    matching(kind, where, mark)  # refuses what cannot be asked, also where no term is known

    def work(tx: Any) -> TextMatches:
        def run(query: str, **more: object) -> list[Any]:
            return tx.run(query, {**more, "mark": mark}).values()  # type: ignore[no-any-return]

        rows = run(
            f"{ROOT}OPTIONAL MATCH (f:{names.TERM}) WHERE f.pk IN $tokens RETURN {COLUMNS}, collect([f.pk, f.n])",
            **params(mark),
            tokens=list(set(asked)),
        )
        *row, terms = rows[0] if rows else (None, 0, 0, None, ())
        standing = Standing.of(row)
        keep_standing(connection, standing)
        frequencies = {token: n for token, n in terms if token is not None and n > 0}
        documents, total = (standing.counts.get(f"{name}:{kind.value}", 0) for name in ("documents", "length"))
        mean_length = total / documents if documents else 0.0
        found = _candidates(run, mark, kind, frequencies, documents, mean_length, k, where)
        return TextMatches(
            hits=_counted(asked, found),
            document_frequencies=tuple(frequencies.get(token, 0) for token in asked),
            documents=documents,
            mean_length=mean_length,
        )

    return connection.read_in_one(work)


def known_texts(connection: Connection, kind: Kind) -> dict[str, str | None] | None:
    """Return the tokens of records that this thread's snapshot has read along, by id; ``None`` without a snapshot."""
    remembered = connection.remembered()
    return None if remembered is None else remembered.setdefault(("texts", kind), {})


def count_terms(
    connection: Connection, mark: str, kind: Kind, terms: Sequence[str], ids: Sequence[str]
) -> tuple[TextHit, ...]:
    """See ``GraphStore.occurrences``."""
    asked = names.tokens(mark, kind, terms)
    if not ids:
        return ()
    known = known_texts(connection, kind) or {}
    rows = [(id, text) for id in dict.fromkeys(ids) if (text := known.get(id)) is not None]
    if unknown := list(dict.fromkeys(id for id in ids if id not in known)):
        found = among(kind, (), mark, unknown)
        query = f"{found.text} AND t.text IS NOT NULL RETURN collect([t.id, t.text])"
        rows += connection.listed(query, **found.params)
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
    if not known or matches_nothing(where):
        return []
    if is_selective(where):
        few = few_records(documents)
        found = matching(kind, where, mark)
        query = f"{found.text} WITH t LIMIT $few RETURN collect([t.id, t.text])"
        ((rows,),) = run(query, **found.params, few=few + 1)
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
    ((rows,),) = run(
        f"{found.text} WITH t, {score} AS score ORDER BY score DESC, t.id LIMIT $k RETURN collect([t.id, t.text])",
        **found.params,
        **score_params(weights, mean_length),
        k=k,
    )
    return rows  # type: ignore[no-any-return]
