# SPDX-License-Identifier: Apache-2.0
"""The benchmarks' arithmetic, and the page made from their results."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from becausal.models.fake import FakeEmbedder

ROOT = Path(__file__).parents[3]


@pytest.fixture
def measuring(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return imported("measuring", monkeypatch)


def imported(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.delitem(sys.modules, name, raising=False)
    return __import__(name)


def test_the_benchmark_page_is_what_its_results_make(monkeypatch: pytest.MonkeyPatch) -> None:
    page = imported("page", monkeypatch)
    results = json.loads((ROOT / "docs" / "benchmarks.json").read_text(encoding="utf-8"))

    assert (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8") == page.page(results)


def test_recall_is_the_share_of_what_is_wanted_among_the_first(measuring: ModuleType) -> None:
    assert measuring.recall_at(["a", "x", "b", "y"], {"a", "b", "c", "d"}, (1, 3, 9)) == [0.25, 0.5, 0.5]


def test_auroc_is_how_often_a_positive_beats_a_negative_and_ties_count_half(measuring: ModuleType) -> None:
    assert measuring.auroc([3, 4], [1, 2]) == 1.0
    assert measuring.auroc([1, 2], [3, 4]) == 0.0
    assert measuring.auroc([1, 1], [1, 1]) == 0.5
    assert measuring.auroc([2, 3], [1, 2, 4]) == pytest.approx((1 + 0.5 + 0 + 1 + 1 + 0) / 6)


def test_a_bootstrap_interval_holds_its_mean_and_does_not_change_from_run_to_run(measuring: ModuleType) -> None:
    values = [0.0, 1.0] * 50
    mean, low, high = measuring.interval(values)

    assert mean == 0.5
    assert 0.38 < low < 0.45 < 0.55 < high < 0.62  # ± 1.96 · ½ / √100
    assert measuring.interval(values) == [mean, low, high]
    assert measuring.interval([0.25] * 7) == [0.25, 0.25, 0.25]


def test_parts_of_recall_are_left_out_by_their_names(measuring: ModuleType) -> None:
    weights = measuring.weights_without("cues,names", "time=0.5")

    assert (weights.cue, weights.names, weights.time) == (0.0, 0.0, 0.5)
    assert weights.text > 0
    with pytest.raises(TypeError):
        measuring.weights_without("magic")


def test_plain_rankings_find_by_words_and_by_likeness(measuring: ModuleType) -> None:
    texts = {"kettle": "The blue kettle boils.", "tax": "Tax returns are due in May.", "tea": "A kettle makes tea."}
    found = measuring.Plain(texts, FakeEmbedder()).rankings("What boils in the blue kettle?")

    assert found["BM25"] == ["kettle", "tea"]
    assert found["dense"][0] == found["rank fusion"][0] == found["score fusion"][0] == "kettle"
    assert set(found["score fusion"]) == set(texts)
