# SPDX-License-Identifier: Apache-2.0
"""Which predicates have one value at a time, so that a newer fact closes an older one."""

from __future__ import annotations

from .text import normalize_name

SINGLE_VALUED = frozenset(
    normalize_name(name)
    for name in """
    age address alias-of birthday birthplace born-in born-on budget capital ceo cfo colour color coo cost cto
    current-role currency deadline default-branch died-in died-on director due-date email employer endpoint
    favourite favorite founded-in gender handle has-status head-of headquarters height hometown home hostname husband
    id in interval is-at is-based-in is-called is-dating is-hosted-by is-hosted-in is-hosted-on is-in is-located-in
    is-managed-by is-married-to is-scheduled-for is-set-to job job-title language leader lead lead-by led-by limit
    lives-at lives-in located-in location maintainer manager married-to maximum minimum moved-to name named
    nationality nickname occupation on-call owned-by owner passphrase password password-rotated-on phone phone-number
    pin population port postcode preferred president price priority profession quota rank rate region rent reports-to
    residence retention role run-by runs-on salary severity size spouse ssid stage state status threshold timeout
    timezone time-zone title token ttl url username uses-database version weight wife works-at works-as works-for
    zip-code
    """.split()
)
"""Normalised names of single-valued predicates; any other predicate may have several values at a time."""

_ALWAYS = frozenset(("favourite", "favorite", "current", "preferred", "default"))


def single_valued(predicate: str) -> bool:
    """Whether a subject has one value of this predicate at a time.

    "Is", "was" or "has" in front says nothing, nor does "is" behind: "was born in" counts as "born in". Of an
    attribute such as "work email is" the last word counts, too. A predicate that begins with a word such as
    "favourite" is single-valued, whatever of: "favourite book is".
    """
    name = normalize_name(predicate)
    attribute = name.endswith(" is")
    words = name.removesuffix(" is").removeprefix("is ").removeprefix("was ").removeprefix("has ").split()
    return (
        name in SINGLE_VALUED
        or " ".join(words) in SINGLE_VALUED
        or bool(words and (words[0] in _ALWAYS or (attribute and words[-1] in SINGLE_VALUED)))
    )
