# SPDX-License-Identifier: Apache-2.0
"""Text search: the server's full-text index proposes records, over tokens that no analyser can change.

A token is a hash of owner, kind and term. So the index matches the owner's records alone, knows no stop words or
word stems, and takes terms of any length.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, TypeAlias

from ...domain.records import Kind
from ...domain.scoring import idf
from ...errors import StoreBusy
from ...ports.store import TextHit, TextMatches, Where
from ..conditions import matches_nothing
from ..graphdb.ranking import SCORE, score_params
from ..packing import DIMENSION_KEY
from ..terms import check_terms, few_records, is_selective, most_telling, rank_by_rarest, rare_first
from .reading import chunks, compile_where, known_texts, matched, matching_ids
from .root import COLUMNS, MATCH, Root, read_root, root_of
from .schema import LABELS
from .session import Session
from .values import keys_of

PATIENCE = 15.0
"""Seconds in which a search that met a write is made again."""

_PAUSE, _LONGEST_PAUSE = 0.002, 0.05

_Doc: TypeAlias = tuple[str, int, str]
"""Id, number of terms, and the terms as ``text_of`` writes them."""


def text_of(terms: Iterable[str]) -> str:
    """Return terms as one text with two blanks around each, so that a substring counts it, also twice in a row."""
    return f" {'  '.join(terms)} "


def terms_of(text: str | None) -> tuple[str, ...]:
    """Return the terms that ``text_of`` was given."""
    return tuple(text[1:-1].split("  ")) if text else ()


def token(owner: str, kind: Kind, term: str) -> str:
    """Return what stands for a term in the full-text index."""
    told = "\0".join((owner, kind.value, term)).encode("utf-8", "surrogatepass")
    return "t" + blake2b(told, digest_size=12).hexdigest()


def search_text(session: Session, kind: Kind, terms: Sequence[str], k: int, where: Where) -> TextMatches:
    """See ``GraphStore.text_search``. All of an answer is of one state: what is written meanwhile is asked again."""
    check_terms(terms)
    end = time.monotonic() + PATIENCE
    pause = _PAUSE
    while True:
        root, frequencies = _frequencies(session, kind, terms)
        documents = root.tally.get(f"documents:{kind.value}", 0)
        total = root.tally.get(f"length:{kind.value}", 0)
        mean_length = total / documents if documents else 0.0
        revs: set[int] = set()
        docs = _candidates(session, kind, frequencies, documents, mean_length, k, where, revs)
        if revs <= {root.rev}:
            break
        if time.monotonic() > end:
            raise StoreBusy(f"{session.location} is written to without a pause; try again")
        time.sleep(random.uniform(0, pause))  # by chance, so as not to keep step with who writes at regular times
        pause = min(2 * pause, _LONGEST_PAUSE)
    return TextMatches(
        hits=_counted(terms, docs),
        document_frequencies=tuple(frequencies[term] for term in terms),
        documents=documents,
        mean_length=mean_length,
    )


def count_terms(session: Session, kind: Kind, terms: Sequence[str], ids: Sequence[str]) -> tuple[TextHit, ...]:
    """See ``GraphStore.occurrences``."""
    check_terms(terms)
    known = known_texts(session, kind) or {}
    docs: list[_Doc] = [(id, *text) for id in dict.fromkeys(ids) if (text := known.get(id)) is not None]
    docs += _docs(session, kind, [id for id in ids if id not in known])
    return tuple(hit for hit in _counted(terms, docs) if any(hit.frequencies))


def _frequencies(session: Session, kind: Kind, terms: Sequence[str]) -> tuple[Root, dict[str, int]]:
    """Return the root node, and of one and the same state in how many records each term is."""
    names = {token(session.owner, kind, term): term for term in terms}
    found = dict.fromkeys(terms, 0)
    rows = session.read(
        f"{MATCH}OPTIONAL MATCH (t:Term) WHERE t.token IN $tokens AND t._owner = $o RETURN {COLUMNS}, t.token, t.n",
        tokens=list(names),
        dimension=DIMENSION_KEY,
    )
    for *_, name, n in rows:
        if name is not None:
            found[names[name]] = n
    return root_of(session, rows[0][:-2]), found


def _counted(terms: Sequence[str], docs: Sequence[_Doc]) -> tuple[TextHit, ...]:
    padded = [f" {term} " for term in terms]
    return tuple([TextHit(id, tuple([text.count(term) for term in padded]), length) for id, length, text in docs])


def _docs(session: Session, kind: Kind, ids: Sequence[str]) -> list[_Doc]:
    docs: list[_Doc] = []
    for chunk in chunks(ids):
        rows = session.read(
            f"{matched(kind)} AND t._id IN $ids AND t._length > 0 RETURN t.id, t._length, t._terms", ids=keys_of(chunk)
        )
        docs += [(id, length, text) for id, length, text in rows]
    return docs


def _candidates(
    session: Session,
    kind: Kind,
    frequencies: Mapping[str, int],
    documents: int,
    mean_length: float,
    k: int,
    where: Where,
    revs: set[int],
) -> Sequence[_Doc]:
    """Return candidates, and add to ``revs`` the states that they were found in."""
    known = rare_first(frequencies)
    if not known or matches_nothing(where):
        return []
    if is_selective(where):
        few = few_records(documents)
        ids = matching_ids(session, kind, where, limit=few + 1)
        if len(ids) <= few:
            padded = {f" {term} ": frequencies[term] for term in known}
            docs = _docs(session, kind, ids)
            revs.add(read_root(session).rev)
            return most_telling(docs, padded, k, lambda doc: doc[2])

    def rank(chosen: Sequence[str]) -> list[_Doc]:
        weights = {term: idf(documents, frequencies[term]) for term in chosen}
        return _ranked(session, kind, weights, mean_length, k, where, revs)

    return rank_by_rarest(known, frequencies, k, rank)


def _ranked(
    session: Session,
    kind: Kind,
    weights: Mapping[str, float],
    mean_length: float,
    k: int,
    where: Where,
    revs: set[int],
) -> list[_Doc]:
    """Return the best records by BM25 with each term counted once, filtered before the limit.

    The index's own score will not do: it is divided by how far apart the terms are, so that a record with two of
    them may come after any that has the more common one alone.
    """
    params: dict[str, Any] = {"match": "|".join(token(session.owner, kind, term) for term in weights), "k": k}
    query = (
        "MATCH (r:Root) WHERE r._owner = $o WITH r.rev AS rev "
        f"CALL db.idx.fulltext.queryNodes('{LABELS[kind]}', $match) YIELD node"
    )
    if not where:
        query += " WITH rev, node AS d WHERE d._owner = $o"
    elif kind is Kind.PASSAGE:
        condition = compile_where(Kind.ENGRAM, where, "t, d, rev")
        query += (
            f" WITH rev, node AS d WHERE d._owner = $o WITH rev, d MATCH (t:{LABELS[Kind.ENGRAM]}) "
            f"WHERE t._id = d._engram_id AND t._owner = $o{condition.text}"
        )
        params |= condition.params
    else:
        condition = compile_where(kind, where, "t, rev")
        query += f" WITH rev, node AS t WHERE t._owner = $o{condition.text} WITH rev, t AS d"
        params |= condition.params
    rows = session.read(
        f"{query} WITH rev, d, {SCORE.format(text='d._terms', length='d._length')} AS score "
        "RETURN d.id, d._length, d._terms, rev ORDER BY score DESC, d.id LIMIT $k",
        **params,
        **score_params({f" {term} ": weight for term, weight in weights.items()}, mean_length),
    )
    revs.update([rev for *_, rev in rows] or [read_root(session).rev])
    return [(id, length, text) for id, length, text, _ in rows]
