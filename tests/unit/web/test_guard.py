# SPDX-License-Identifier: Apache-2.0
"""What a ``Host`` header names."""

from __future__ import annotations

import pytest

from becausal.web.guard import host_name


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:3000", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[0:0:0:0:0:0:0:1]:3000", "::1"),
        ("memory.example.org", "memory.example.org"),
        ("", None),
        (":3000", None),
        ("localhost:", None),
        ("localhost:x", None),
        ("localhost:3000:4000", "localhost:3000"),
        ("[::1", None),
        ("[evil.example]", None),
        ("localhost@evil.example", "localhost@evil.example"),
    ],
)
def test_the_name_in_a_host_header_is_what_stands_before_the_port(header: str, name: str | None) -> None:
    assert host_name(header) == name
