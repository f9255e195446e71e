# SPDX-License-Identifier: Apache-2.0
"""``serve`` and ``token`` as a person meets them."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from becausal.web.tokens import Tokens
from commandline import CommandLine
from webclient import serving


@pytest.fixture
def becausal(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def test_a_token_is_made_for_the_user_that_is_named_listed_without_itself_and_revoked(
    becausal: CommandLine, tmp_path: Path
) -> None:
    assert becausal("token", "list").out == (
        "There are no tokens yet. The first start of 'becausal serve' makes one.\n"
    )
    made = becausal("token", "create", "--user", "bob", "--note", "laptop").out
    secret = re.match(r"Token of bob, shown this once: (becausal_\S{43})\n", made)
    assert secret is not None
    found = Tokens(tmp_path).find(secret[1])
    assert found is not None
    assert made.endswith(f"To revoke it: becausal token revoke {found.id} --user bob\n")
    assert (found.user, found.note) == ("bob", "laptop")
    listed = becausal("token", "list").out
    assert re.fullmatch(rf"{found.id}  \d{{4}}-\d\d-\d\d \d\d:\d\d  bob  laptop\n", listed)
    assert secret[1] not in listed
    assert becausal("token", "revoke", found.id).out == f"Token {found.id} is revoked.\n"
    assert Tokens(tmp_path).find(secret[1]) is None


def test_programs_get_tokens_as_json(becausal: CommandLine, tmp_path: Path) -> None:
    made = becausal("token", "create", "--json").json
    (listed,) = becausal("token", "list", "--json").json["tokens"]
    assert made == {"token": made["token"], **listed}
    assert listed["user"] == "alice"
    assert becausal("token", "revoke", "--json", listed["id"]).json == {"revoked": listed}


def test_revoking_what_is_no_token_says_so(becausal: CommandLine) -> None:
    gone = becausal("token", "revoke", "0" * 12)
    assert (gone.code, gone.err) == (3, f"Error: token '{'0' * 12}' not found\n")
    wrong = becausal("token", "revoke", "bob")
    assert wrong.code == 2
    assert "12 hexadecimal digits" in wrong.err


def test_the_first_start_shows_a_token_once_and_the_second_none(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        first = service.process.stdout
        assert first is not None
        told = first.readline().decode() + first.readline().decode()
        shown = re.search(r"Token of alice, shown this once: (\S+)\n", told)
        assert shown is not None
        assert str(tmp_path / "first-token.txt") in told
        assert (tmp_path / "first-token.txt").read_text(encoding="utf-8").strip() == shown[1]
        with service.http(shown[1]) as http:
            assert http.get("/session").json()["user"] == "alice"
        assert service.stop() == 0
        assert first.read() == b""
    with serving(tmp_path) as service:
        assert service.stop() == 0
        assert service.process.stdout is not None
        assert service.process.stdout.read() == b""


def test_listening_for_others_says_what_that_means(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as service:
        assert service.stop() == 0
        assert service.process.stdout is not None
        told = service.process.stdout.read().decode()
    assert "Everybody who can reach this address may try a token, and what is sent is not encrypted" in " ".join(
        told.split()
    )


def test_a_port_that_is_taken_is_an_error_that_names_it(becausal: CommandLine) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ran = becausal.program("serve", "--port", str(port))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"Error: 127.0.0.1:{port} cannot be listened on: Address already in use\n"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--port", "70000"), "--port: '70000' is not allowed; use a whole number from 0 to 65535"),
        (("--host", "two words"), "--host: 'two words' is not allowed; use an IP address, or the name of a host"),
    ],
)
def test_a_wrong_option_is_told_by_its_name(becausal: CommandLine, options: tuple[str, str], told: str) -> None:
    ran = becausal.program("serve", *options)
    assert (ran.code, ran.err) == (2, f"Error: {told}\n")


def test_the_port_is_that_of_polyg_mcp_its_other_variable_or_3000(becausal: CommandLine) -> None:
    from becausal.settings import Settings

    assert Settings.load().listening_port == 3000
    assert Settings.load(port=4000).listening_port == 4000
    assert Settings.load(port=4000, http_port=5000).listening_port == 5000
    assert Settings.load(POLYG_PORT="0", PORT="4000").listening_port == 0


def test_json_means_nothing_to_serve(becausal: CommandLine) -> None:
    ran = becausal("serve", "--json")
    assert ran.code == 2
    assert "--json is for the other commands" in ran.err
