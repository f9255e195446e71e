# SPDX-License-Identifier: Apache-2.0
"""Which predicates have one value at a time, so that a newer fact closes an older one."""

from __future__ import annotations

from .text import normalize_name

SINGLE_VALUED = frozenset(
    normalize_name(name)
    for name in """
    age address alias-of birthday born-in born-on budget capital ceo colour color cost current-role currency
    default-branch deadline director due-date email employer favourite favorite gender has-status head-of headquarters
    height home husband is-at is-based-in is-called is-located-in job job-title language leader lead-by led-by lives-at
    lives-in located-in location manager married-to moved-to name named nationality on-call owned-by owner
    password-rotated-on phone phone-number population port preferred president price priority rank region reports-to
    residence role runs-on salary size spouse stage state status timezone time-zone title uses-database version
    weight wife works-at works-as works-for zip-code
    """.split()
)
"""Normalised names of single-valued predicates; any other predicate may have several values at a time."""


def single_valued(predicate: str) -> bool:
    """Whether a subject has one value of this predicate at a time.

    "favourite colour" counts as "favourite": a predicate is single-valued if it is listed or begins with
    one of the words that make any predicate so.
    """
    name = normalize_name(predicate)
    words = name.removeprefix("is ").removeprefix("has ").split()
    return (
        name in SINGLE_VALUED
        or " ".join(words) in SINGLE_VALUED
        or bool(words and words[0] in {"favourite", "favorite", "current", "preferred", "default"})
    )
