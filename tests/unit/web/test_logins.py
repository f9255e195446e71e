# SPDX-License-Identifier: Apache-2.0
"""Browsers that are logged in."""

from __future__ import annotations

from becausal.web import logins
from becausal.web.logins import Logins


def test_a_login_ends_twelve_hours_after_its_last_use() -> None:
    now = [0.0]
    kept = Logins(lambda: now[0])
    cookie, login = kept.begin("digest")
    for now[0] in (43_200.0, 86_400.0):
        assert kept.find(cookie) == login
    now[0] = 86_400.0 + 43_200.1
    assert kept.find(cookie) is None


def test_each_login_has_a_cookie_and_a_csrf_token_of_its_own_and_ends_alone() -> None:
    kept = Logins()
    (one, first), (other, second) = kept.begin("digest"), kept.begin("digest")
    assert len({one, other, first.csrf, second.csrf}) == 4
    kept.end(one)
    assert (kept.find(one), kept.find(other)) == (None, second)
    assert kept.find("made up") is None


def test_beyond_the_most_logins_the_one_used_longest_ago_ends() -> None:
    kept = Logins()
    cookies = [kept.begin("digest")[0] for _ in range(logins.MOST)]
    assert kept.find(cookies[0]) is not None
    kept.begin("digest")
    assert (kept.find(cookies[0]) is not None, kept.find(cookies[1])) == (True, None)
