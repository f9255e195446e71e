# SPDX-License-Identifier: Apache-2.0
"""What a key and a node say: their words, and whether those of the one answer for the other."""

from __future__ import annotations

import re
from functools import cache

from ..domain.text import query_terms

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BETWEEN = re.compile(r"[\W_]+")

_KINDS = """
analysis answer code config configuration content current data default description detail doc document entry example
file final first format function group id info information input item key kind last latest line list load main message
method name new next note number object old option output overview page part previous problem project question reason
report request response result row section set setting start state status step string summary system table task temp
test text thing time title topic type update use user value version work
"""
"""Words that say what kind of thing something is, or where it stands, and not what it is about."""


def apart(text: str) -> str:
    """Return a text with its identifiers and paths as words: ``user_login``, ``userLogin`` and ``user/login`` alike."""
    return " ".join(_BETWEEN.sub(" ", _HUMP.sub(" ", text)).split())


def about(text: str) -> frozenset[str]:
    """Return the words of a short text, stemmed, as they are in the text index; stop words are none."""
    return frozenset(query_terms(apart(text)))


def fits(key: frozenset[str], shared: frozenset[str], label: frozenset[str]) -> bool:
    """Return whether a node answers for a key, from the words of the key, those the node has of them, and its label's.

    More than half of the key must be there, with a word that is more than a kind of thing. Or the whole label is in
    the key, and has such a word itself if the key has one.
    """
    if 2 * len(shared) > len(key) and shared - _kinds():
        return True
    return bool(label) and label <= key and bool(label - _kinds() or not key - _kinds())


@cache
def _kinds() -> frozenset[str]:
    return frozenset(term for word in _KINDS.split() for term in about(word))
