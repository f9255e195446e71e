# SPDX-License-Identifier: Apache-2.0
"""Wrong tokens: how many may come from where, and whom that stops."""

from __future__ import annotations

from pathlib import Path

import pytest

from becausal.web.attempts import Attempts, TooManyWrong, address_of
from becausal.web.tokens import Tokens, digest_of


def at(address: str) -> dict[str, object]:
    return {"client": (address, 5000)}


def test_after_too_many_wrong_tokens_none_is_looked_at_for_a_while_but_those_that_were_good_before(
    tmp_path: Path,
) -> None:
    now = [100.0]
    tokens = Tokens(tmp_path)
    attempts = Attempts(tokens, 20, monotonic=lambda: now[0])  # two at once, then one every three seconds
    known, late = tokens.create("alice")[0], tokens.create("alice")[0]
    assert attempts.find(known, at("192.0.2.1")) is not None
    assert [attempts.find("wrong", at("192.0.2.1")) for _ in range(2)] == [None, None]
    with pytest.raises(TooManyWrong) as waits:
        attempts.find(late, at("192.0.2.1"))
    assert waits.value.seconds == 3
    assert attempts.find(known, at("192.0.2.1")) is not None
    assert attempts.find(late, at("192.0.2.2")) is not None
    now[0] += 3
    assert attempts.find(tokens.create("bob")[0], at("192.0.2.1")) is not None


def test_a_token_that_was_revoked_counts_as_wrong(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    attempts = Attempts(tokens, 10, monotonic=lambda: 0.0)
    secret = tokens.create("alice")[0]
    assert attempts.find(secret, at("192.0.2.1")) is not None
    tokens.revoke(digest_of(secret)[:12])
    assert attempts.find(secret, at("192.0.2.1")) is None
    with pytest.raises(TooManyWrong):
        attempts.find(secret, at("192.0.2.1"))


def test_without_a_limit_any_number_may_be_wrong(tmp_path: Path) -> None:
    attempts = Attempts(Tokens(tmp_path), 0, monotonic=lambda: 0.0)
    assert [attempts.find("wrong", at("192.0.2.1")) for _ in range(100)] == [None] * 100


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("192.0.2.1", 1), "192.0.2.1"),
        (("2001:db8:1:2:3:4:5:6", 1), "2001:db8:1:2::/64"),
        (("fe80::1%eth0", 1), "fe80::/64"),
        (("::ffff:192.0.2.1", 1), "192.0.2.1"),
        (("testclient", 1), "testclient"),
        (None, ""),
    ],
    ids=str,
)
def test_whoever_has_a_network_of_addresses_counts_as_one(client: object, address: str) -> None:
    assert address_of({"client": client}) == address
