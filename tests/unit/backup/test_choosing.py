# SPDX-License-Identifier: Apache-2.0
"""Which version somebody means."""

from __future__ import annotations

import pytest

from becausal.backup.choosing import meant
from becausal.errors import InvalidInput, NotFound

VERSIONS = ["c53d15b3aa", "c53d99", "0011223344", "0011"]


@pytest.mark.parametrize(
    ("given", "version"),
    [("c53d15b3aa", "c53d15b3aa"), ("c53d1", "c53d15b3aa"), ("00112", "0011223344"), ("0011", "0011")],
)
def test_a_version_is_given_in_full_or_by_a_beginning_of_its_own(given: str, version: str) -> None:
    assert meant(given, VERSIONS) == version


@pytest.mark.parametrize("given", ["", "c53", "ffff", "c53d15b3aab", "HEAD"])
def test_no_other_beginning_is_a_version(given: str) -> None:
    with pytest.raises(NotFound, match="version"):
        meant(given, VERSIONS)


def test_a_beginning_of_several_is_refused() -> None:
    with pytest.raises(InvalidInput, match="2 begin with 'c53d': give more of it"):
        meant("c53d", VERSIONS)
