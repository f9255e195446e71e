# SPDX-License-Identifier: Apache-2.0
"""Where a user's files live."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from becausal.errors import InvalidInput, StoreUnavailable
from becausal.stores.paths import folder_name, private_file, private_folder


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    old = os.umask(request.param)
    yield
    os.umask(old)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize(
    ("user", "name"),
    [
        ("alice-1_b", "alice-1_b"),
        ("Alice", "%41lice"),
        ("../x", "%2e%2e%2fx"),
        ("a%62", "a%2562"),
        ("é", "%c3%a9"),
        ("nul", "%6eul"),
        ("com1", "%63om1"),
        ("NUL", "%4e%55%4c"),
        ("nul.txt", "nul%2etxt"),
    ],
)
def test_a_folder_name_is_the_user_name_with_everything_unusual_encoded(user: str, name: str) -> None:
    assert folder_name(user) == name


def test_a_long_name_is_cut_and_told_apart_by_its_hash() -> None:
    names = {folder_name(user) for user in ("x" * 161, "x" * 162, "x" * 10_000, "X" * 54, "é" * 27)}
    assert len(names) == 5
    assert all(len(name) == 64 + 1 + 64 for name in names)
    assert folder_name("x" * 160) == "x" * 160


USER = st.text(min_size=1).filter(lambda user: "\0" not in user) | st.text("aAbB%~.é", min_size=1, max_size=4)


@settings(deadline=None)  # a busy machine is no failure
@given(USER, USER)
@example("\ud800", "\ud801")
@example("con", "%63on")
def test_two_users_never_share_a_folder_also_where_case_does_not_count(one: str, two: str) -> None:
    first, second = folder_name(one), folder_name(two)
    assert (first.casefold() == second.casefold()) == (one == two)
    assert first.isascii()
    assert not set(first) & set('/\\:.*?"<>| ')
    assert len(first) < 200


@pytest.mark.parametrize("user", ["", "\0", "a\0"])
def test_a_name_that_is_empty_or_holds_nul_is_refused(user: str) -> None:
    with pytest.raises(InvalidInput, match="user"):
        folder_name(user)


@pytest.mark.usefixtures("umask")
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    folder = private_folder(tmp_path / "memories", "alice")
    private_file(folder / "file")
    assert (mode(folder), mode(folder / "file")) == (0o700, 0o600)


def test_what_others_could_read_is_closed_to_them_and_kept(tmp_path: Path) -> None:
    (tmp_path / "alice").mkdir(mode=0o755)
    file = tmp_path / "alice" / "file"
    file.write_text("kept")
    file.chmod(0o644)
    private_file(private_folder(tmp_path, "alice") / "file")
    assert (mode(tmp_path / "alice"), mode(file), file.read_text()) == (0o700, 0o600, "kept")


def test_a_place_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnavailable, match="file"):
        private_folder(tmp_path / "file", "alice")
    with pytest.raises(StoreUnavailable, match="missing"):
        private_file(tmp_path / "missing" / "file")
