# SPDX-License-Identifier: Apache-2.0
"""Exports cut into files."""

from __future__ import annotations

import json
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as st

from becausal.backup import shards
from becausal.backup.shards import cut


def line(number: int, note: str) -> bytes:
    record = {"kind": "engram", "id": f"{number:08}", "note": note}
    return json.dumps({"record": record}, separators=(",", ":")).encode() + b"\n"


def lines(count: int, note: str = "") -> list[bytes]:
    return [line(number, note) for number in range(count)]


@given(st.binary(max_size=400))
def test_the_files_in_their_order_are_the_export_byte_for_byte(export: bytes) -> None:
    parts = list(cut(BytesIO(export)))
    assert b"".join(part.data for part in parts) == export
    assert len({part.name for part in parts}) == len(parts)


def test_a_line_put_in_between_changes_one_file_or_cuts_it_in_two() -> None:
    export = lines(20_000)
    before = {part.name: part.data for part in cut(BytesIO(b"".join(export)))}
    export.insert(9_000, b'{"record":{"kind":"engram","id":"new"}}\n')
    after = {part.name: part.data for part in cut(BytesIO(b"".join(export)))}
    assert len(before) > 30
    assert sum(before.get(name) != data for name, data in after.items()) <= 2
    assert len(before.keys() - after.keys()) <= 1


def test_what_changes_in_a_line_after_its_id_moves_no_cut() -> None:
    names = [[part.name for part in cut(BytesIO(b"".join(lines(5_000, note))))] for note in ("", "another")]
    assert names[0] == names[1]


def test_a_file_has_a_bounded_number_of_lines() -> None:
    same = b'{"record":{"kind":"engram","id":"same"}}\n'
    assert {part.data.count(b"\n") for part in cut(BytesIO(same * (2 * shards.MOST)))} == {shards.MOST}
