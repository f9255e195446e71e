# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.domain.markup import without_tags


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("The <b>pump</b> failed.", "The    pump     failed."),
        ("<p>One.</p><P class='x'>Two.</P>", "\n  One.\n   \n            Two.\n   "),
        ("One<br/>two<hr />three", "One\n    two\n     three"),
        ("a List<String> of x < y and y > z", "a List<String> of x < y and y > z"),
        ("an <arrow> and an <imgage>", "an <arrow> and an <imgage>"),
        ("an unclosed <b", "an unclosed <b"),
        ("nothing at all", "nothing at all"),
    ],
)
def test_blanks_take_the_place_of_tags_and_nothing_else(text: str, read: str) -> None:
    assert len(read) == len(text)
    assert without_tags(text) == read
