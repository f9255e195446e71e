# SPDX-License-Identifier: Apache-2.0
"""Which version somebody means."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import InvalidInput, NotFound

SHORTEST = 4
"""Characters of the beginning of a version that stand for it at least."""


def meant(version: str, versions: Iterable[str]) -> str:
    """Return the version that is given in full, or by a beginning that no other has.

    Raises:
        NotFound: there is none.
        InvalidInput: there are several.
    """
    found = [each for each in versions if each.startswith(version)]
    if version in found:
        return version
    if not found or len(version) < SHORTEST:
        raise NotFound("version", version)
    if len(found) > 1:
        raise InvalidInput("version", f"must be one version, and {len(found)} begin with '{version}': give more of it")
    return found[0]
