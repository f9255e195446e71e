# SPDX-License-Identifier: Apache-2.0
"""Text search: candidates and the statistics that rank them, over every store."""

from __future__ import annotations

import random
import string
from collections.abc import Sequence

import pytest

from becausal.domain.records import Kind
from becausal.errors import InvalidInput
from becausal.ports.batch import Batch, Put
from becausal.ports.store import Condition, GraphStore, Op, TextHit, TextMatches, Where
from contract.samples import T0, cue, engram, passage, put

LIVE: Where = (Condition("archived_at", Op.NULL, True),)


def search(
    store: GraphStore, terms: Sequence[str], k: int = 10, where: Where = (), kind: Kind = Kind.ENGRAM
) -> TextMatches:
    matches = store.text_search(kind, terms, k, where)
    return TextMatches(
        tuple(sorted(matches.hits, key=lambda hit: hit.id)),
        matches.document_frequencies,
        matches.documents,
        matches.mean_length,
    )


def test_a_search_returns_frequencies_lengths_and_statistics(store: GraphStore) -> None:
    put(store, engram("a"), terms=("red", "red", "fish"))
    put(store, engram("b"), terms=("blue", "fish", "swim", "far", "away"))
    put(store, engram("c"), terms=("sky",))
    assert search(store, ["red", "fish", "nothing"]) == TextMatches(
        hits=(TextHit("a", (2, 1, 0), 3), TextHit("b", (0, 1, 0), 5)),
        document_frequencies=(1, 2, 0),
        documents=3,
        mean_length=3.0,
    )


def test_every_query_term_is_counted_also_when_asked_twice(store: GraphStore) -> None:
    put(store, engram("a"), terms=("x", "x", "x", "y"))
    matches = search(store, ["x", "y", "x"])
    assert (matches.hits, matches.document_frequencies) == ((TextHit("a", (3, 1, 3), 4),), (1, 1, 1))


def test_no_terms_and_unknown_terms_find_nothing_but_tell_the_statistics(store: GraphStore) -> None:
    assert search(store, []) == TextMatches((), (), 0, 0.0)
    put(store, engram("a"), terms=("one", "two"))
    assert search(store, []) == TextMatches((), (), 1, 2.0)
    assert search(store, ["unknown"]) == TextMatches((), (0,), 1, 2.0)


def test_a_record_without_terms_is_no_document(store: GraphStore) -> None:
    put(store, engram("a"), engram("b"))
    store.write(Batch(puts=(Put(engram("b"), ()),)))
    assert search(store, ["a"]) == TextMatches((), (0,), 0, 0.0)


def test_terms_stay_until_others_are_given(store: GraphStore) -> None:
    put(store, engram("a"), terms=("first", "word"))
    put(store, engram("a", summary="changed"))
    assert search(store, ["first"]).hits == (TextHit("a", (1,), 2),)
    put(store, engram("a"), terms=("second",))
    assert search(store, ["first", "second"]) == TextMatches((TextHit("a", (0, 1), 1),), (0, 1), 1, 1.0)
    put(store, engram("a"), terms=())
    assert search(store, ["second"]) == TextMatches((), (0,), 0, 0.0)


def test_frequencies_and_statistics_cover_one_kind_whatever_the_filter(store: GraphStore) -> None:
    put(store, engram("a"), engram("b", archived_at=T0), terms=("fish",))
    put(store, cue("c"), terms=("fish", "and", "more"))
    assert search(store, ["fish"], where=LIVE) == TextMatches((TextHit("a", (1,), 1),), (2,), 2, 1.0)
    assert search(store, ["fish"], kind=Kind.CUE) == TextMatches((TextHit("c", (1,), 3),), (1,), 1, 3.0)


ODD_TERMS = [
    *string.punctuation,
    *(f"a{mark}b" for mark in string.punctuation),
    "it's", 'say"so"', '""', "a*", "^a", "^^", "near(a", "or", "and", "not", "terms:x", "-a",
    "Fish", "fish", "FISH", "^fish", "^Fish", "ñandú", "nandu", "straße", "strasse", "漢字", "漢", "字", "🦉",
    "ı", "i", "İ", "0", "00", "1.5", "e0", "p", "\u200b", "a\u00a0b",
    "x" * 200, "x" * 201, "x" * 40_000, "x" * 40_001, "X" * 201, "é" * 201,
]  # fmt: skip


def test_every_term_is_found_and_no_other_with_it(store: GraphStore) -> None:
    store.write(Batch(puts=tuple(Put(engram(f"id{i}"), (term,)) for i, term in enumerate(ODD_TERMS))))
    for i, term in enumerate(ODD_TERMS):
        matches = search(store, [term])
        assert (matches.hits, matches.document_frequencies) == ((TextHit(f"id{i}", (1,), 1),), (1,)), term
    assert store.check() == ()


@pytest.mark.parametrize("term", ["", "two words", "a\tb", "a\nb", "a\0b", "\x1f", "\x7f"])
def test_a_term_with_blanks_or_control_characters_is_refused(store: GraphStore, term: str) -> None:
    with pytest.raises(InvalidInput, match="terms"):
        put(store, engram("a"), terms=("good", term))
    with pytest.raises(InvalidInput, match="terms"):
        store.text_search(Kind.ENGRAM, [term], 5)
    assert store.count()["engram"] == 0


def test_the_filter_comes_before_the_limit(store: GraphStore) -> None:
    puts = [Put(engram(f"old{i:03}", archived_at=T0), ("fish", "fish", "rare")) for i in range(300)]
    store.write(Batch(puts=(*puts, Put(engram("live", tags=("t",), source="s")), Put(engram("other"), ("fish",)))))
    long = ("fish", *("word" for _ in range(500)))
    store.write(Batch(puts=(Put(engram("live", tags=("t",), source="s"), long),)))
    for where in (
        (*LIVE, Condition("source", Op.EQ, "s")),
        (Condition("tags", Op.HAS, ("t", "u")),),
        (Condition("id", Op.IN, ("live", "nobody")),),
        (Condition("summary", Op.GE, "li"), Condition("summary", Op.LT, "lj")),
    ):
        assert [hit.id for hit in search(store, ["fish", "rare"], 1, where).hits] == ["live"]
    assert [hit.id for hit in search(store, ["fish", "rare"], 5, LIVE).hits] == ["live", "other"]


def test_common_terms_find_what_the_filter_leaves_when_rare_ones_do_not(store: GraphStore) -> None:
    """Many records match the rare term, none of them passes; many pass that only match the common one."""
    store.write(
        Batch(
            puts=(
                *(Put(engram(f"no{i}", archived_at=T0), ("rare", "common")) for i in range(1500)),
                *(Put(engram(f"yes{i:04}"), ("common",)) for i in range(1600)),
            )
        )
    )
    matches = search(store, ["rare", "common"], 20, LIVE)
    assert len(matches.hits) == 20
    assert all(hit.id.startswith("yes") and hit.frequencies == (0, 1) for hit in matches.hits)
    assert matches.document_frequencies == (1500, 3100)


def test_the_most_promising_are_those_with_rare_terms(store: GraphStore) -> None:
    rng = random.Random(7)
    store.write(
        Batch(puts=tuple(Put(engram(f"e{i}"), ("common", f"w{rng.randrange(50)}", f"f{i}")) for i in range(3000)))
    )
    put(store, engram("wanted"), terms=("common", "unique", "w7"))
    hits = store.text_search(Kind.ENGRAM, ["common", "unique", "w7"], 100).hits
    assert len(hits) == 100
    assert "wanted" in {hit.id for hit in hits}
    assert sum(hit.frequencies[2] for hit in hits) > 40


def test_a_filter_on_passages_is_about_their_engram(store: GraphStore) -> None:
    put(store, engram("a", source="s"), engram("b"), engram("c", source="s", archived_at=T0))
    for id in "abc":
        put(store, passage(f"{id}1", id), passage(f"{id}2", id, 1), terms=("fish",))
    where = (*LIVE, Condition("source", Op.EQ, "s"))
    assert [hit.id for hit in search(store, ["fish"], 10, where, Kind.PASSAGE).hits] == ["a1", "a2"]
    by_id = (Condition("id", Op.EQ, "b"),)
    assert [hit.id for hit in search(store, ["fish"], 10, by_id, Kind.PASSAGE).hits] == ["b1", "b2"]


def test_more_terms_than_one_ranking_takes_still_find(store: GraphStore) -> None:
    put(store, engram("a"), terms=tuple(f"t{i}" for i in range(2000)))
    matches = search(store, [f"t{i}" for i in range(2000)])
    assert matches.hits == (TextHit("a", (1,) * 2000, 2000),)


def test_a_k_below_one_is_refused(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="k"):
        store.text_search(Kind.ENGRAM, ["a"], 0)


# --- in known records ---------------------------------------------------------------------------


def occurrences(store: GraphStore, terms: Sequence[str], ids: Sequence[str]) -> list[TextHit]:
    return sorted(store.occurrences(Kind.ENGRAM, terms, ids), key=lambda hit: hit.id)


def test_terms_are_counted_in_known_records_as_a_search_counts_them(store: GraphStore) -> None:
    put(store, engram("a"), terms=("red", "red", "Fish"))
    put(store, engram("b"), terms=("blue", "Fish", "swim"))
    put(store, engram("c"), terms=("red",))
    asked = ["red", "Fish", "red"]
    assert occurrences(store, asked, ["a", "b"]) == [TextHit("a", (2, 1, 2), 3), TextHit("b", (0, 1, 0), 3)]
    assert [hit for hit in search(store, asked).hits if hit.id != "c"] == occurrences(store, asked, ["a", "b"])


def test_known_records_that_hold_none_of_the_terms_are_left_out(store: GraphStore) -> None:
    put(store, engram("a"), terms=("red",))
    put(store, engram("b"), terms=("reddish",))
    put(store, cue("m"), terms=("red",))
    put(store, engram("bare"))
    assert occurrences(store, ["red"], ["b", "m", "bare", "nobody"]) == []
    assert occurrences(store, [], ["a"]) == []
    assert occurrences(store, ["red"], []) == []


def test_terms_are_counted_in_two_thousand_records_at_once(store: GraphStore) -> None:
    put(store, *(engram(f"e{i}") for i in range(2000)), terms=("red",))
    assert len(occurrences(store, ["red"], [f"e{i}" for i in range(2000)])) == 2000


def test_a_term_that_cannot_be_indexed_cannot_be_counted(store: GraphStore) -> None:
    with pytest.raises(InvalidInput, match="terms"):
        store.occurrences(Kind.ENGRAM, ["two words"], ["a"])


def test_more_matches_than_wanted_are_chosen_by_what_each_term_tells_wherever_it_stands(store: GraphStore) -> None:
    filler = [f"f{i}" for i in range(30)]
    store.write(Batch(puts=tuple(Put(engram(f"common{i}"), ("common", "short")) for i in range(60))))
    put(store, engram("both"), terms=("rare", *filler, "common"))
    put(store, engram("one"), terms=(*filler, "seldom"))
    found = store.text_search(Kind.ENGRAM, ["common", "rare", "seldom"], 5)
    assert {"both", "one"} <= {hit.id for hit in found.hits}
    assert len(found.hits) == 5
