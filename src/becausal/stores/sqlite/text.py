# SPDX-License-Identifier: Apache-2.0
"""The full-text index: which records hold a term, how rare it is, and the most promising records for a query.

The engine makes the terms; the index must keep each one whole and apart from all others. A term becomes one
FTS5 token: a letter for its kind of record (so that frequencies are counted per kind) and the term, with
what the tokenizer would fold together, ASCII capitals, written as ``^`` and the small letter, and ``^`` as
``^^``. A term too long for a token is cut and ends in its SHA-256.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TypeAlias

from ...domain.records import Kind
from ...domain.scoring import idf
from ...ports.store import TextHit, TextMatches, Where
from ..columns import Flat
from ..terms import check_terms, few_records, is_selective, most_telling, rank_by_rarest, rare_first
from .postings import Postings, Snapshot, best_numbers, start_text_epoch
from .sql import chunks, in_list
from .transaction import Transaction
from .where import compile_where, matching_ids

K1, B = 1.2, 0.75
"""Of the BM25 by which candidates are chosen; the engine scores them anew."""

SPARE = 2
"""Records looked at for each one wanted: how often they hold a term, and how long they are, is not known before."""

ENOUGH_NUMBERS = 100_000
"""Postings that a ranking reads, the rarest terms' first: those of common terms are remembered."""

_LONGEST = 200  # characters of a term kept as they are
_KEPT = 64
_CODES: Mapping[Kind, str] = {
    Kind.ENGRAM: "e",
    Kind.PASSAGE: "p",
    Kind.CUE: "c",
    Kind.ENTITY: "n",
    Kind.EVENT: "v",
    Kind.FACT: "f",
    Kind.CAUSE: "k",
    Kind.CHANGE: "h",
}
_FOLDED = re.compile("[A-Z^]")

_Doc: TypeAlias = tuple[str, int, str]
"""Id, length and tokens of a record."""


def tokens(kind: Kind, terms: Sequence[str]) -> list[str]:
    """Return the token of each term.

    Raises:
        InvalidInput: a term is empty or holds a space or a control character.
    """
    check_terms(terms)
    code = _CODES[kind]
    return [code + (term if len(term) <= _LONGEST and not _FOLDED.search(term) else _unusual(term)) for term in terms]


def _unusual(term: str) -> str:
    if len(term) > _LONGEST:
        digest = hashlib.sha256(term.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{_escaped(term[:_KEPT])}^~{digest}"
    return _escaped(term)


def _escaped(term: str) -> str:
    return _FOLDED.sub(lambda found: "^" + found[0].lower(), term)


def put_terms(tx: Transaction, kind: Kind, terms: Mapping[str, Sequence[str]]) -> None:
    """Make the index hold exactly these terms, by record id; no terms takes the record out of it.

    Raises:
        InvalidInput: see ``tokens``.
    """
    # Two blanks around each token let a substring count it, also twice in a row.
    texts = {id: f" {'  '.join(tokens(kind, words))} " for id, words in terms.items()}
    new = dict(texts)
    for chunk in chunks(id for id in texts if id not in tx.created):
        marks, params = in_list(chunk)
        rows = tx.db.execute(
            f"SELECT id, number, length, terms FROM doc WHERE kind = ? AND id IN {marks} ORDER BY number",
            [kind.value, *params],
        )
        for id, number, length, old in rows.fetchall():
            del new[id]
            if not terms[id]:
                _remove(tx, kind, [(number, length, old)])
            elif texts[id] != old:
                start_text_epoch(tx, kind)
                tx.db.execute("INSERT INTO fulltext (fulltext, rowid, terms) VALUES ('delete', ?, ?)", (number, old))
                tx.db.execute("INSERT INTO fulltext (rowid, terms) VALUES (?, ?)", (number, texts[id]))
                tx.db.execute(
                    "UPDATE doc SET length = ?, terms = ? WHERE number = ?", (len(terms[id]), texts[id], number)
                )
                tx.tally[f"length:{kind.value}"] += len(terms[id]) - length
    for id, text in new.items():
        if terms[id]:
            added = tx.db.execute(
                "INSERT INTO doc (kind, id, length, terms) VALUES (?, ?, ?, ?)", (kind.value, id, len(terms[id]), text)
            )
            tx.db.execute("INSERT INTO fulltext (rowid, terms) VALUES (?, ?)", (added.lastrowid, text))
            tx.tally[f"documents:{kind.value}"] += 1
            tx.tally[f"length:{kind.value}"] += len(terms[id])


def drop_terms(tx: Transaction, kind: Kind, ids: Sequence[str]) -> None:
    """Take records out of the index."""
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        rows = tx.db.execute(
            f"SELECT number, length, terms FROM doc WHERE kind = ? AND id IN {marks} ORDER BY number",
            [kind.value, *params],
        )
        _remove(tx, kind, rows.fetchall())


def _remove(tx: Transaction, kind: Kind, rows: Sequence[tuple[int, int, str]]) -> None:
    if rows:
        start_text_epoch(tx, kind)
    tx.db.executemany(
        "INSERT INTO fulltext (fulltext, rowid, terms) VALUES ('delete', ?, ?)",
        [(number, terms) for number, _, terms in rows],
    )
    tx.db.executemany("DELETE FROM doc WHERE number = ?", [(number,) for number, _, _ in rows])
    tx.tally[f"documents:{kind.value}"] -= len(rows)
    tx.tally[f"length:{kind.value}"] -= sum(length for _, length, _ in rows)


def search_text(
    db: sqlite3.Connection, known: Postings, kind: Kind, terms: Sequence[str], k: int, where: Where
) -> TextMatches:
    """See ``GraphStore.text_search``."""
    asked = tokens(kind, terms)
    seen = known.at(db, kind)
    frequencies = seen.frequencies(dict.fromkeys(asked))
    names = (f"documents:{kind.value}", f"length:{kind.value}")
    counts = dict(db.execute("SELECT name, n FROM tally WHERE name IN (?, ?)", names))
    documents, total = (counts.get(name, 0) for name in names)
    mean_length = total / documents if documents else 0.0
    return TextMatches(
        hits=_counted(asked, _candidates(db, seen, kind, frequencies, documents, mean_length, k, where)),
        document_frequencies=tuple(frequencies[token] for token in asked),
        documents=documents,
        mean_length=mean_length,
    )


def count_terms(db: sqlite3.Connection, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
    """See ``GraphStore.occurrences``."""
    return tuple(hit for hit in _counted(tokens(kind, terms), _docs(db, kind, ids)) if any(hit.frequencies))


def _counted(asked: Sequence[str], docs: Sequence[_Doc]) -> tuple[TextHit, ...]:
    padded = [f" {token} " for token in asked]
    return tuple([TextHit(id, tuple([text.count(token) for token in padded]), length) for id, length, text in docs])


def _docs(db: sqlite3.Connection, kind: Kind, ids: Sequence[str]) -> list[_Doc]:
    docs: list[_Doc] = []
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        docs += db.execute(
            f"SELECT id, length, terms FROM doc WHERE kind = ? AND id IN {marks}", [kind.value, *params]
        ).fetchall()
    return docs


def _candidates(
    db: sqlite3.Connection,
    seen: Snapshot,
    kind: Kind,
    frequencies: Mapping[str, int],
    documents: int,
    mean_length: float,
    k: int,
    where: Where,
) -> Sequence[_Doc]:
    known = rare_first(frequencies)
    if not known:
        return []
    if is_selective(where):
        few = few_records(documents)
        ids = matching_ids(db, kind, where, few + 1)
        if len(ids) <= few:
            padded = {f" {token} ": frequencies[token] for token in known}
            return most_telling(_docs(db, kind, ids), padded, k, lambda doc: doc[2])
    weights = {token: idf(documents, frequencies[token]) for token in known}

    def rank(chosen: Sequence[str]) -> list[_Doc]:
        postings = {token: seen.numbers(token) for token in chosen}
        found: list[_Doc] = []
        looked_at, most = 0, SPARE * k
        while len(found) < k and len(numbers := best_numbers(postings, weights, most)) > looked_at:
            found += _passing(db, kind, numbers[looked_at:], where)
            looked_at, most = len(numbers), 8 * most
        return _best(found, {f" {token} ": weights[token] for token in chosen}, mean_length)[:k]

    return rank_by_rarest(known, frequencies, k, rank, ENOUGH_NUMBERS)


def _passing(db: sqlite3.Connection, kind: Kind, numbers: Sequence[int], where: Where) -> list[_Doc]:
    """Return those records of some numbers that match."""
    join, condition = "", ""
    params: list[Flat] = []
    if where and kind is Kind.PASSAGE:
        join = "CROSS JOIN passage AS p ON p.id = d.id CROSS JOIN engram AS t ON t.id = p.engram_id"
        condition, params = compile_where(Kind.ENGRAM, where, "t", known_row=True)
    elif where:
        join = f'CROSS JOIN "{kind.value}" AS t ON t.id = d.id'
        condition, params = compile_where(kind, where, "t", known_row=True)
    docs: list[_Doc] = []
    for chunk in chunks(numbers):
        marks, those = in_list(chunk)
        query = f"SELECT d.id, d.length, d.terms FROM doc AS d {join} WHERE d.number IN {marks}{condition}"
        docs += db.execute(query, [*those, *params]).fetchall()
    return docs


def _best(docs: Sequence[_Doc], weights: Mapping[str, float], mean_length: float) -> list[_Doc]:
    """Return records by BM25 (see ``domain.scoring.bm25``), the best first; ``weights`` are idf by padded token."""
    short, long = K1 * (1 - B), K1 * B / mean_length if mean_length else 0.0
    scored = []
    for doc in docs:
        _, length, text = doc
        norm = short + long * length
        score = 0.0
        for token, weight in weights.items():
            if n := text.count(token):
                score += weight * n / (n + norm)
        scored.append((score, doc))
    scored.sort(key=itemgetter(0), reverse=True)
    return [doc for _, doc in scored]
