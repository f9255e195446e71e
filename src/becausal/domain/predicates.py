# SPDX-License-Identifier: Apache-2.0
"""Which predicates have one value at a time, or one holder, so that a newer fact closes an older one."""

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


_OFFICES = frozenset(
    """
    captain ceo cfo chair chairman chairperson chairwoman cio ciso coo cto dean emperor governor head headmaster
    headmistress king mayor pope premier president principal queen treasurer
    """.split()
)
"""Offices that one person holds at a time."""

_THE_OFFICES = _OFFICES | frozenset(
    """
    administrator ambassador architect bishop boss chief coach commander conductor coordinator director
    editor goalkeeper janitor landlord lead leader librarian maintainer manager minister moderator organiser organizer
    owner producer scribe secretary spokesman spokesperson spokeswoman supervisor tenant
    """.split()
)
"""Those of which that holds where "the" stands before them: "the manager of the shop", but "a manager of the bank"."""


def single_holder(predicate: str) -> bool:
    """Whether one subject at a time has this predicate with an object: "is the treasurer of"."""
    words = normalize_name(predicate).removeprefix("is ").split()
    the = words[:1] == ["the"]
    words = words[the:]
    if len(words) != 2 or words[1] not in ("of", "at", "for", "in"):  # a co-chair is one of several
        return False
    return words[0] in (_THE_OFFICES if the else _OFFICES)


def holding(predicate: str) -> str:
    """Return such a predicate as it is compared: "is the treasurer of" and "is treasurer of" are the same."""
    return normalize_name(predicate).removeprefix("is ").removeprefix("the ")
