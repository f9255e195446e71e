# SPDX-License-Identifier: Apache-2.0
"""What is a secret by its form, and what only looks like one."""

from __future__ import annotations

import pytest

from becausal.domain.redaction import Secret, is_card, redactor

REDACT = redactor([Secret.KEYS, Secret.CARDS])
DIGITS = "0a1B2c3D4e5F6g7H8i9J" * 5


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"use ghp_{DIGITS[:36]} for CI", "use [redacted: GitHub token] for CI"),
        (f"github_pat_{DIGITS[:40]}", "[redacted: GitHub token]"),
        ("key AKIAIOSFODNN7EXAMPLE.", "key [redacted: AWS key]."),
        (f"xoxb-{DIGITS[:30]}", "[redacted: Slack token]"),
        (f"sk_live_{DIGITS[:24]}", "[redacted: Stripe key]"),
        (f"OPENAI: sk-proj-{DIGITS[:40]}", "OPENAI: [redacted: API key]"),
        (f"AIza{DIGITS[:35]}", "[redacted: Google key]"),
        (f"glpat-{DIGITS[:20]}", "[redacted: GitLab token]"),
        (f"npm_{DIGITS[:36]}", "[redacted: package token]"),
        (f"Authorization: Bearer {DIGITS[:40]}", "Authorization: Bearer [redacted: token]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "[redacted: token]"),
        ("postgres://app:s3cr3t@db.local/x", "postgres://[redacted: password]@db.local/x"),
        ("the password is hunter2, do not tell", "the password is [redacted: password], do not tell"),
        ('API_KEY="a1b2c3d4e5"', 'API_KEY="[redacted: password]"'),
        ("client_secret: 9f8e7d6c5b", "client_secret: [redacted: password]"),
        ("card 4111 1111 1111 1111, exp 12/29", "card [redacted: card number], exp 12/29"),
        ("5500-0000-0000-0004", "[redacted: card number]"),
        ("amex 378282246310005", "amex [redacted: card number]"),
    ],
)
def test_a_secret_is_replaced_by_what_it_was(text: str, said: str) -> None:
    assert REDACT(text) == said


def test_a_private_key_goes_as_a_whole() -> None:
    key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC+/=\n-----END RSA PRIVATE KEY-----"
    assert REDACT(f"before\n{key}\nafter") == "before\n[redacted: private key]\nafter"


@pytest.mark.parametrize(
    "text",
    [
        "the token expired, and the password is forgotten",
        "password: none",
        "Bearer of bad news arrived at the harbour yesterday",
        "sk-learn is a library, sk-something-with-many-letters-only",
        "call 4111 1111 1111 1112 instead",  # the checksum is wrong
        "order 1234567890123456 and 0000000000000000",
        "between 2021-03-04 and 2022-05-06 it took 17,000,000,000,000 steps",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id 01a22a34-59c1-73e4-8602-b727ad9d97ba",
        "http://example.org/path:with@sign",
        "version 3.14.159265358979323846",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert REDACT(text) == text


def test_each_kind_is_chosen_for_itself() -> None:
    text = "AKIAIOSFODNN7EXAMPLE 4111111111111111"
    assert redactor([Secret.KEYS])(text) == "[redacted: AWS key] 4111111111111111"
    assert redactor([Secret.CARDS])(text) == "AKIAIOSFODNN7EXAMPLE [redacted: card number]"
    assert redactor([])(text) == text


def test_the_checksum_is_luhns() -> None:
    # 79927398713: the example of ISO/IEC 7812-1, here with zeros before it, which do not change the sum
    assert is_card("0079927398713")
    assert [last for last in range(10) if is_card(f"007992739871{last}")] == [3]
    assert not is_card("79927398713")  # too short for a card


def test_a_long_text_is_read_in_time_that_grows_with_it() -> None:
    for piece in ("password " * 60_000, "4 " * 300_000, "-----BEGIN PRIVATE KEY-----" * 20_000, "eyJ" * 200_000):
        assert len(REDACT(piece)) > 0
