# SPDX-License-Identifier: Apache-2.0
"""Lines into messages and back."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest
from mcp_types import JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from becausal.server import wire
from becausal.server.wire import Unreadable, encode, lines, parse


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def read(pipe: tuple[int, int], *chunks: bytes) -> list[bytes | None]:
    """Return the lines in what is written to a pipe by another thread, which then closes it."""

    def write() -> None:
        for chunk in chunks:
            os.write(pipe[1], chunk)
        os.close(pipe[1])

    writer = threading.Thread(target=write)
    writer.start()
    found = list(lines(pipe[0]))
    writer.join()
    return found


def test_lines_are_put_together_from_whatever_pieces_arrive(pipe: tuple[int, int]) -> None:
    assert read(pipe, b'{"a"', b":1}\n{", b'"b":2}\n') == [b'{"a":1}', b'{"b":2}']


def test_blank_lines_are_nothing(pipe: tuple[int, int]) -> None:
    assert read(pipe, b"\n  \n\r\nx\n\n") == [b"x"]


def test_a_last_line_needs_no_end(pipe: tuple[int, int]) -> None:
    assert read(pipe, b"a\nb") == [b"a", b"b"]


def test_a_line_that_is_too_long_is_skipped_and_the_next_one_is_read(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_LINE", 10)
    assert read(pipe, b"x" * 11 + b"\n", b"y" * 30, b"y\nfine\n", b"z" * 11) == [None, None, b"fine", None]


def test_a_line_of_the_greatest_length_is_read(pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_LINE", 10)
    assert read(pipe, b"x" * 10 + b"\n") == [b"x" * 10]


def test_requests_and_notifications_are_told_apart() -> None:
    assert isinstance(parse(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'), JSONRPCRequest)
    assert isinstance(parse(b'{"jsonrpc":"2.0","method":"notifications/initialized"}'), JSONRPCNotification)


@pytest.mark.parametrize(
    ("written", "told"),
    [(rb"\ud800", "\ud800"), (b"caf\xe9", "caf\udce9"), (b"\xed\xa0\x80", "\udced\udca0\udc80")],
    ids=["an escaped lone surrogate", "a byte of another encoding", "an encoded surrogate"],
)
def test_text_that_is_not_unicode_reaches_the_tool_that_can_name_it(written: bytes, told: str) -> None:
    message = parse(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"text":"' + written + b'"}}')
    assert isinstance(message, JSONRPCRequest)
    assert message.params == {"text": told}


def test_a_byte_order_mark_before_the_first_message_is_ignored() -> None:
    assert isinstance(parse('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode()), JSONRPCRequest)


@pytest.mark.parametrize(
    ("line", "code", "id"),
    [
        (b"hello", -32700, None),
        (b"{", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b"[1]", -32600, None),
        (b"null", -32600, None),
        (b'{"id": 7, "method": "ping"}', -32600, 7),
        (b'{"id": "seven"}', -32600, "seven"),
        (b'{"id": true}', -32600, None),
        (b'{"id": 1.5}', -32600, None),
        (b'{"id": "\\ud800"}', -32600, None),
    ],
)
def test_what_is_no_message_is_answered_under_the_id_it_has(line: bytes, code: int, id: object) -> None:
    with pytest.raises(Unreadable) as refused:
        parse(line)
    assert (refused.value.answer.error.code, refused.value.answer.id) == (code, id)


def test_messages_are_one_line_of_utf8() -> None:
    line = encode(JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "two\nlines, 日本語, 🙂"}))
    assert line.count(b"\n") == 1
    assert "日本語, 🙂".encode() in line


def test_an_answer_that_cannot_be_written_becomes_an_error_under_its_id() -> None:
    line = encode(JSONRPCResponse(jsonrpc="2.0", id=9, result={"text": "\ud800"}))
    assert b'"id":9' in line
    assert b"-32603" in line
