# SPDX-License-Identifier: Apache-2.0
"""The command line as a program: exit codes, errors, encodings, signals, what it loads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from becausal import __version__
from commandline import CommandLine

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals of this kind are POSIX")


@pytest.fixture
def becausal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "storage"
    folder.mkdir()
    return CommandLine(folder)


# --- errors and exit codes ---


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["store", "   "], 2, "content"),
        (["store", "x", "--importance", "2"], 2, "--importance: must be a number from 0 to 1"),
        (["store", "x", "--importance", "nan"], 2, "--importance"),
        (["store", "x", "--importance", "much"], 2, "--importance"),
        (["store", "x", "--type", "mythical"], 2, "--type"),
        (["store", "x", "--occurred-at", "the twelfth of never"], 2, "--occurred-at"),
        (["store", "x", "--timezone", "Mars/Olympus"], 2, "--timezone"),
        (["store", "x", "--tags", ",".join(f"t{n}" for n in range(257))], 2, "--tags"),
        (["recall", "x", "--limit", "0"], 2, "--limit"),
        (["recall", "x", "--limit", "-5"], 2, "--limit"),
        (["recall", "x", "--limit", "1000000000"], 2, "--limit"),
        (["recall", "x", "--mode", "telepathy"], 2, "--mode"),
        (["recall", "x", "--max-tokens", "1"], 2, "--max-tokens"),
        (["recall", "x", "--cursor", "nonsense"], 2, "--cursor"),
        (["recall", "x", "--since", "2025-02-01", "--until", "2025-01-01"], 2, "--until"),
        (["recall", "--mode", "search"], 2, "query"),
        (["list", "--source", " "], 2, "--source"),
        (["forget", "--session", "", "--tag", "x", "--yes"], 2, "--session"),
        (["forget", "--tag", "x,", "--yes"], 2, "--tag"),
        (["show", "no-such-id"], 3, "no-such-id"),
        (["edit", "no-such-id", "--content", "x"], 3, "no-such-id"),
        (["forget", "no-such-id"], 3, "no-such-id"),
        (["undo", "no-such-change"], 3, "no-such-change"),
        (["changes", "--limit", "0"], 2, "--limit"),
        (["frobnicate"], 2, "frobnicate"),
        (["store", "x", "--frobnicate"], 2, "--frobnicate"),
        (["--path", "", "status"], 2, "--path"),
    ],
)
def test_a_mistake_is_one_readable_line_and_a_meaningful_code(
    becausal: CommandLine, args: list[str], code: int, said: str
) -> None:
    ran = becausal(*args)
    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_a_wrong_setting_is_named(becausal: CommandLine) -> None:
    ran = becausal("status", env={"UNDO_DAYS": "soon"})
    assert ran.code == 2
    assert ran.err.startswith("Error: UNDO_DAYS")


def test_every_wrong_setting_has_its_line(becausal: CommandLine) -> None:
    ran = becausal("status", env={"UNDO_DAYS": "soon", "DB_TYPE": "mysql", "BECAUSAL_TOLS": "engram"})
    assert ran.code == 2
    lines = ran.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("Error: ") for line in lines)


def test_a_store_that_cannot_be_opened_is_an_error_without_a_traceback(becausal: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ran = becausal("status", env={"STORAGE_LOCATION": str(tmp_path / "file" / "deeper")})
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("Error: ")
    assert str(tmp_path / "file") in ran.err


def test_another_embedder_is_refused_with_the_command_that_mends_it(becausal: CommandLine) -> None:
    becausal.store("One thing")
    ran = becausal("recall", "thing", env={"BECAUSAL_EMBEDDER": "minilm"})
    assert ran.code == 1
    assert "becausal reindex" in ran.err


def test_without_its_model_it_keeps_everything_says_degraded_and_heals(becausal: CommandLine, tmp_path: Path) -> None:
    broken = {"BECAUSAL_EMBEDDER": "minilm", "BECAUSAL_MODEL_PATH": str(tmp_path / "nowhere.onnx")}
    stored = becausal("store", "The boiler's pressure is 1.5 bar", env=broken)
    assert (stored.code, stored.err) == (0, "")
    assert "not indexed yet" in stored.out
    found = becausal("recall", "boiler", env=broken)
    assert "1.5 bar" in found.out
    assert found.err.startswith("degraded: ")
    status = becausal("status", "--json", env=broken).json
    assert "nowhere.onnx" in status["degraded"]
    assert (status["pending"], status["embedder_state"]) == (1, "failed")
    ran = becausal("reindex", env=broken)
    assert ran.code == 1
    assert "nowhere.onnx" in ran.err
    healed = becausal("recall", "boiler", "--json", env={"BECAUSAL_EMBEDDER": "minilm"}).json
    assert healed["degraded"] is None
    assert healed["results"][0]["content"] == "The boiler's pressure is 1.5 bar"


def test_a_change_of_embedder_is_made_by_reindex(becausal: CommandLine) -> None:
    becausal.store("The boiler's pressure is 1.5 bar")
    real = {"BECAUSAL_EMBEDDER": "minilm"}
    assert becausal("reindex", env=real).out == "1 memory reindexed.\n"
    assert becausal("recall", "heating", "--mode", "search", "--json", env=real).json["degraded"] is None
    assert becausal("list").code == 1


def test_the_log_speaks_when_it_is_asked_to(becausal: CommandLine, tmp_path: Path) -> None:
    broken = {"BECAUSAL_EMBEDDER": "minilm", "BECAUSAL_MODEL_PATH": str(tmp_path / "nowhere.onnx")}
    assert "WARNING becausal" not in becausal("recall", "x", env=broken).err
    assert "WARNING becausal" in becausal("recall", "x", env=broken | {"POLYG_LOG_LEVEL": "warning"}).err


# --- what it loads ---


@pytest.mark.parametrize("args", [["--help"], ["store", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(args: list[str]) -> None:
    code = (
        "import sys\n"
        f"sys.argv = ['becausal', *{args!r}]\n"
        "from becausal.__main__ import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(ran.stdout.splitlines()[-1].split()[1:])
    assert "click" in loaded
    assert loaded.isdisjoint({"mcp", "numpy", "onnxruntime", "pydantic", "pydantic_settings", "sqlite3", "asyncio"})


def test_help_names_every_command_and_the_exit_codes(becausal: CommandLine) -> None:
    out = becausal("--help").out
    for shown in ("store", "recall", "list", "show", "edit", "forget", "undo", "changes", "status", "reindex", "demo"):
        assert f"\n  {shown} " in out
    assert "Exit codes: 0 done" in out


def test_the_version_is_the_packages(becausal: CommandLine) -> None:
    assert becausal("--version").out == f"becausal {__version__}\n"


def test_nothing_is_written_outside_the_memory(becausal: CommandLine, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    env = {"BECAUSAL_EMBEDDER": "minilm", "HOME": str(home), "USERPROFILE": str(home)}
    ran = becausal.program("store", "One thing", env=env)
    assert ran.code == 0, ran.err
    assert "not indexed yet" not in ran.out
    assert list(home.rglob("*")) == []


# --- encodings and terminals ---

HOSTILE = "\x1b]0;owned\x07\x1b[2Jhello\rbye \x9b31m \u202eevil"


def test_stored_escape_sequences_never_reach_the_terminal(becausal: CommandLine) -> None:
    id = becausal.store(HOSTILE, "--label", HOSTILE, "--source", HOSTILE, "--tags", "\x1b[5mtag")
    for args in (["recall", "hello"], ["list"], ["show", id], ["store", HOSTILE], ["forget", id], ["changes"]):
        ran = becausal(*args)
        assert ran.code == 0, ran.err
        for unsafe in ("\x1b", "\x07", "\r", "\x9b", "\u202e"):
            assert unsafe not in ran.out + ran.err, (args, unsafe)


def test_hostile_text_is_unchanged_for_machines_and_harmless_all_the_same(becausal: CommandLine) -> None:
    id = becausal.store(HOSTILE)
    ran = becausal("show", id, "--json")
    assert ran.json["memory"]["content"] == HOSTILE
    assert not {"\x1b", "\x07", "\r", "\x9b", "\u202e"} & set(ran.out)


def test_hostile_text_in_an_error_is_harmless(becausal: CommandLine) -> None:
    for args in (["show", "\x1b[31mid"], ["\x1b[31mid"], ["list", "--\x1b[31mid"], ["list", "--type", "\x1b[31mid"]):
        ran = becausal(*args)
        assert ran.code in (2, 3)
        assert "31mid" in ran.err
        assert "\x1b" not in ran.err


def test_any_script_survives_a_c_locale(becausal: CommandLine) -> None:
    text = "記憶 — Füße — ذاكرة — 🐘"
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    ran = becausal.program("store", "-", "--json", input=text.encode(), env=plain)
    assert ran.code == 0, ran.err
    assert ran.json["memory"]["content"] == text
    shown = becausal.program("recall", "記憶", env={"LC_ALL": "C"})
    assert text in shown.out


def test_there_are_no_colours_without_a_terminal(becausal: CommandLine) -> None:
    becausal.store("One thing")
    assert "\x1b" not in becausal.program("recall", "thing").out


@POSIX
def test_there_are_colours_on_a_terminal_unless_they_are_not_wanted(becausal: CommandLine) -> None:
    becausal.store("One thing")
    assert "\x1b[" in _on_terminal(becausal, "recall", "thing")
    assert "\x1b[" not in _on_terminal(becausal, "recall", "thing", env={"NO_COLOR": "1"})


@POSIX
def test_on_a_terminal_no_arguments_show_the_help(becausal: CommandLine) -> None:
    assert "Usage: becausal" in _on_terminal(becausal)


def _on_terminal(becausal: CommandLine, *args: str, env: dict[str, str] | None = None) -> str:
    """Run the program with a pseudo-terminal as its input and output; return what it wrote."""
    import pty

    ours, theirs = pty.openpty()
    with becausal.start(
        *args, env={"TERM": "xterm", **(env or {})}, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux's way of saying that the other side is gone
                break
            if not piece:
                break
            written += piece
        process.wait(timeout=60)
    os.close(ours)
    assert process.returncode == 0, written
    return written.decode()


# --- pipes and signals ---


@POSIX
def test_nobody_reading_the_output_is_no_drama(becausal: CommandLine) -> None:
    id = becausal.store("--no-wait", "\n".join(f"Line {number}" for number in range(12_000)))
    with becausal.start("show", id) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        err = process.stderr.read().decode()
    assert process.returncode == 141
    assert err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no device that is always full")
def test_an_output_that_is_full_is_told_in_a_line(becausal: CommandLine) -> None:
    with Path("/dev/full").open("w") as full, becausal.start("list", stdout=full) as process:
        assert process.stderr is not None
        err = process.stderr.read().decode()
    assert process.returncode == 1
    assert err == "Error: the output cannot be written: No space left on device\n"


@POSIX
def test_an_interrupt_ends_it_without_a_traceback(becausal: CommandLine) -> None:
    import pty

    ours, theirs = pty.openpty()  # on a terminal, store says that it waits for its text
    # A shell has what it starts in the background ignore interrupts, these tests as well and all they start.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with becausal.start("store", "-", stdin=theirs, preexec_fn=heard) as process:
        os.close(theirs)
        assert process.stderr is not None
        assert b"Type the text" in process.stderr.readline()
        process.send_signal(signal.SIGINT)
        err = process.stderr.read().decode()
    os.close(ours)
    assert process.returncode == 130
    assert err.strip() == ""


@pytest.mark.parametrize("args", [[], ["mcp"], ["--user", "bob", "mcp"]])
def test_with_piped_input_it_is_an_mcp_server_that_ends_with_its_input(becausal: CommandLine, args: list[str]) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    with becausal.start(*args) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
        assert process.stdout.read() == b""
    assert answer["result"]["serverInfo"]["name"] == "becausal"
    assert process.returncode == 0


def test_a_wrong_setting_keeps_the_server_from_starting_and_is_named(becausal: CommandLine) -> None:
    ran = becausal.program(env={"DB_TYPE": "mysql"})
    assert ran.code == 2
    assert ran.out == ""
    assert "DB_TYPE" in ran.err
    assert "Traceback" not in ran.err


def test_an_option_that_means_nothing_to_a_command_is_not_offered_and_refused_with_a_reason(
    becausal: CommandLine,
) -> None:
    assert "--path" not in becausal("demo", "--help").out
    assert "--json" not in becausal("mcp", "--help").out
    for args in (["demo", "--path", "x"], ["--path", "x", "demo"]):
        assert (becausal(*args).code, "--keep FOLDER says where" in becausal(*args).err) == (2, True)
    for args in (["mcp", "--json"], ["--json", "mcp"]):
        ran = becausal(*args)
        assert (ran.code, ran.out) == (2, "")
        assert "--json is for the other commands" in ran.err


def test_a_blank_user_is_refused_and_not_taken_for_somebody_else(becausal: CommandLine) -> None:
    ran = becausal("list", "--user", " ")
    assert (ran.code, ran.out) == (2, "")
    assert "--user" in ran.err


def test_help_fits_eighty_columns_and_cuts_no_summary_short(becausal: CommandLine) -> None:
    names = [line.split()[0] for line in _commands(becausal("--help", env={"COLUMNS": "80"}).out)]
    assert len(names) > 15
    for name in (None, *names):
        shown = becausal(*filter(None, [name]), "--help", env={"COLUMNS": "80"}).out
        assert max(map(len, shown.splitlines())) <= 80, shown
        assert "..." not in "".join(_commands(shown)), shown


def _commands(shown: str) -> list[str]:
    _, found, rest = shown.partition("Commands:\n")
    return rest.split("\n\n")[0].splitlines() if found else []


def test_a_field_is_named_once(becausal: CommandLine) -> None:
    assert becausal("store", " ").err == "Error: content is required and must not be blank\n"
    assert becausal("recall", "--mode", "search").err == "Error: query is required for search mode\n"
    assert (
        becausal("store", "x", "--importance", "3").err == "Error: --importance: must be a number from 0 to 1, got 3\n"
    )
