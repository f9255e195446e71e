# SPDX-License-Identifier: Apache-2.0
"""Tokens: shown once, kept as a digest, worthless once revoked."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from becausal.errors import InvalidInput, NotFound, StoreUnavailable
from becausal.web.tokens import Tokens

posix = pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def everything_in(folder: Path) -> str:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return "\n".join([str(path) + path.read_text(encoding="utf-8") for path in files])


def test_a_token_is_found_by_itself_alone_and_nothing_that_is_kept_holds_it(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    secret, made = tokens.create("zoë", "laptop")

    assert tokens.find(secret) == made
    assert (made.user, made.note, made.digest) == ("zoë", "laptop", hashlib.sha256(secret.encode()).hexdigest())
    assert [tokens.find(wrong) for wrong in (secret[:-1], secret + "x", made.digest, made.id, "", "..", "\ud800")] == (
        [None] * 7
    )
    assert secret not in everything_in(tmp_path)
    assert len(secret) == len("becausal_") + 43  # 256 bits, six to a character


@posix
def test_only_its_owner_can_read_what_is_kept_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        tokens = Tokens(tmp_path / "memories")
        tokens.create_first("alice")
    finally:
        os.umask(before)
    folder = tmp_path / "memories" / "tokens.d"
    (file,) = folder.iterdir()
    assert [mode(path) for path in (folder.parent, folder, file, tokens.first)] == [0o700, 0o700, 0o600, 0o600]


def test_the_first_token_is_made_once_and_kept_in_a_file_until_it_is_revoked(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    secret = tokens.create_first("alice")
    assert secret is not None
    assert tokens.first.read_text(encoding="utf-8").strip() == secret
    assert tokens.create_first("alice") is None
    found = tokens.find(secret)
    assert found is not None
    tokens.create("bob")
    assert tokens.revoke(found.id) == found
    assert not tokens.first.exists()
    assert tokens.find(secret) is None


def test_revoking_one_leaves_the_others_and_the_first_ones_file_alone(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    first = tokens.create_first("alice")
    secret, made = tokens.create("bob")
    tokens.revoke(made.digest)
    assert (tokens.find(secret), tokens.first.exists()) == (None, True)
    assert first is not None
    assert tokens.find(first) is not None
    with pytest.raises(NotFound, match=f"token '{made.id}' not found"):
        tokens.revoke(made.id)


@pytest.mark.parametrize("id", ["", "abc", "../first-token.txt", "G" * 12, "A" * 12, "a" * 65])
def test_what_is_no_id_revokes_nothing(tmp_path: Path, id: str) -> None:
    tokens = Tokens(tmp_path)
    tokens.create("alice")
    with pytest.raises(InvalidInput, match="12 hexadecimal digits"):
        tokens.revoke(id)
    assert len(tokens.all()) == 1


def test_tokens_are_listed_by_user_and_age_and_what_is_no_token_is_left_out(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    assert tokens.all() == []
    made = [tokens.create(user)[1] for user in ("bob", "alice", "bob")]
    folder = tmp_path / "tokens.d"
    (folder / "notes").write_text("{}", encoding="utf-8")
    (folder / ("0" * 64)).write_text('{"user": "mallory"', encoding="utf-8")
    (folder / ("1" * 64)).write_text("[]", encoding="utf-8")
    assert tokens.all() == [made[1], made[0], made[2]]


@pytest.mark.parametrize("note", ["x" * 101, "two\nlines", "\x1b[2J"])
def test_a_note_is_short_and_printable(tmp_path: Path, note: str) -> None:
    with pytest.raises(InvalidInput, match="note: must be at most 100 printable characters"):
        Tokens(tmp_path).create("alice", note)


def test_a_folder_that_cannot_be_made_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "tokens.d").write_text("", encoding="utf-8")
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        Tokens(tmp_path).create("alice")


def test_tokens_made_at_the_same_time_are_all_there(tmp_path: Path) -> None:
    makers = [threading.Thread(target=lambda: Tokens(tmp_path).create("alice")) for _ in range(20)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert len(Tokens(tmp_path).all()) == 20
