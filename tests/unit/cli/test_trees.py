# SPDX-License-Identifier: Apache-2.0
"""Trees on a terminal."""

from __future__ import annotations

import pytest

from becausal.cli.terminal import Screen
from becausal.cli.trees import LEAST_WIDTH, Branch, draw


@pytest.fixture(autouse=True)
def _forty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def drawn(tree: Branch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    draw(Screen(), tree)
    return capsys.readouterr().out.splitlines()


def chain(length: int) -> Branch:
    tree = Branch(text="end")
    for number in range(length):
        tree = Branch(text=f"step {number}", branches=(tree,))
    return tree


def test_lines_join_a_branch_to_its_siblings_and_to_what_grows_out_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    tree = Branch(
        text="root",
        branches=(
            Branch(text="one", notes=("a note",), branches=(Branch(text="leaf"),)),
            Branch(text="two", branches=(Branch(text="leaf"), Branch(text="last"))),
        ),
    )
    assert drawn(tree, capsys) == [
        "root",
        "├─ one",
        "│  a note",
        "│  └─ leaf",
        "└─ two",
        "   ├─ leaf",
        "   └─ last",
    ]


def test_long_text_is_wrapped_beside_the_lines_and_cut_after_some(capsys: pytest.CaptureFixture[str]) -> None:
    tree = Branch(text="root", branches=(Branch(text="word " * 60, mark="9% → "), Branch(text="after")))
    lines = drawn(tree, capsys)
    assert lines[1].startswith("├─ 9% → word word")
    assert [line[:3] for line in lines[2:5]] == ["│  "] * 3
    assert lines[4].endswith(" …")
    assert lines[5] == "└─ after"
    assert max(len(line) for line in lines) <= 42


def test_a_tree_deeper_than_the_window_is_wide_keeps_room_for_its_text(capsys: pytest.CaptureFixture[str]) -> None:
    lines = drawn(chain(64), capsys)
    assert len(lines) == 65
    assert max(len(line) for line in lines) <= 40
    assert max(line.index("└─") for line in lines[1:-1]) <= 40 - LEAST_WIDTH


def test_text_is_one_line_and_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn(Branch(text="a\nb\x1b[2J", notes=("c\nd",)), capsys) == ["a b\\x1b[2J", "c d"]
