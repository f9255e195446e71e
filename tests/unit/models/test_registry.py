# SPDX-License-Identifier: Apache-2.0
"""Embedders are made by name, and only the one asked for is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from becausal.errors import ModelUnavailable, SettingsError
from becausal.models.registry import make_embedder
from becausal.settings import EMBEDDER_DIMENSIONS


@pytest.mark.parametrize("name", EMBEDDER_DIMENSIONS)
def test_every_embedder_that_settings_know_is_made_with_the_dimension_they_state(name: str) -> None:
    assert make_embedder(name).dimension == EMBEDDER_DIMENSIONS[name]


def test_an_unknown_embedder_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="embedder: must be one of hashing, minilm, not 'word2vec'"):
        make_embedder("word2vec")


def test_the_path_of_the_model_is_passed_on(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"elsewhere\.onnx does not exist"):
        make_embedder("minilm", path=tmp_path / "elsewhere.onnx", threads=1).load()


def test_an_embedder_without_a_model_needs_neither_path_nor_threads(tmp_path: Path) -> None:
    make_embedder("hashing", path=tmp_path / "elsewhere.onnx", threads=1).load()


def test_only_the_embedder_asked_for_is_imported() -> None:
    program = """
import sys
from becausal.models.registry import make_embedder
make_embedder("hashing")
print([name for name in sys.modules if "minilm" in name or name == "numpy"])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"
