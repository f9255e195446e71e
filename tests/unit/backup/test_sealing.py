# SPDX-License-Identifier: Apache-2.0
"""Files that only the holder of the key opens."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.backup import sealing
from becausal.backup.sealing import MAGIC, SALT, seal, unseal
from becausal.errors import BackupCorrupt

KEY = "correct horse battery staple"


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "PIECE", 10)


def sealed(tmp_path: Path, data: bytes) -> Path:
    (tmp_path / "clear").write_bytes(data)
    seal(tmp_path / "clear", tmp_path / "sealed", KEY)
    return tmp_path / "sealed"


def opened(file: Path, key: str = KEY) -> bytes:
    unseal(file, file.with_name("again"), key)
    return file.with_name("again").read_bytes()


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 20, 35])
def test_what_is_sealed_opens_with_its_key_whatever_its_size(tmp_path: Path, size: int) -> None:
    data = bytes(range(size))
    file = sealed(tmp_path, data)
    assert opened(file) == data
    assert size < 3 or data not in file.read_bytes()


def test_the_same_file_sealed_twice_is_not_the_same(tmp_path: Path) -> None:
    assert sealed(tmp_path, b"same").read_bytes() != sealed(tmp_path, b"same").read_bytes()


def test_another_key_opens_nothing(tmp_path: Path) -> None:
    with pytest.raises(BackupCorrupt, match="BACKUP_KEY is another key"):
        opened(sealed(tmp_path, b"secret"), KEY + "!")


@pytest.mark.usefixtures("small_pieces")
def test_a_sealed_file_that_was_changed_anywhere_or_cut_off_does_not_open(tmp_path: Path) -> None:
    file = sealed(tmp_path, bytes(range(25)))
    whole = file.read_bytes()
    piece = 4 + 10 + 16
    start = len(MAGIC) + SALT
    changed = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in range(0, len(whole), 7)]
    cut = [whole[:start], whole[: start + piece], whole[: start + 2 * piece], whole[:-1], whole[:10]]
    swapped = whole[:start] + whole[start + piece : start + 2 * piece] + whole[start : start + piece]
    for damaged in (*changed, *cut, swapped + whole[start + 2 * piece :], whole + whole[start:]):
        file.write_bytes(damaged)
        with pytest.raises(BackupCorrupt):
            opened(file)
