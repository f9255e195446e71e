# SPDX-License-Identifier: Apache-2.0
"""``setup`` puts one entry into a client's configuration, and leaves everything else as it is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from becausal.cli.clients import CLIENTS, Place
from commandline import CommandLine, Ran

POSIX = pytest.mark.skipif(os.name == "nt", reason="modes and links of files are POSIX")

WHERE = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
}
ON_A_MAC = {
    "claude-desktop": "Library/Application Support/Claude/claude_desktop_config.json",
    "vscode": "Library/Application Support/Code/User/mcp.json",
}
ON_WINDOWS = {
    "claude-desktop": "AppData/Roaming/Claude/claude_desktop_config.json",
    "vscode": "AppData/Roaming/Code/User/mcp.json",
    "zed": "AppData/Roaming/Zed/settings.json",
}
SECTIONS = {"vscode": "servers", "zed": "context_servers"}
URL = "http://127.0.0.1:3000/mcp"
TOKEN = "becausal_" + "t" * 43


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_CONFIG_HOME", "APPDATA", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    return folder


@pytest.fixture
def becausal(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def succeeded(ran: Ran) -> str:
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def files(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


def own(home: Path, client: str) -> Any:
    written = json.loads((home / WHERE[client]).read_text(encoding="utf-8"))
    return written[SECTIONS.get(client, "mcpServers")]["becausal"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_without_a_configuration_gets_one_and_undo_takes_it_away(
    becausal: CommandLine, home: Path, client: str
) -> None:
    assert str(home / WHERE[client]) in succeeded(becausal("setup", client))
    assert Path(own(home, client)["command"]).name in ("becausal", "becausal.exe")
    assert own(home, client)["args"] == []
    succeeded(becausal("setup", client, "--undo"))
    assert files(home) == {}


@pytest.mark.parametrize(
    ("platform", "paths"), [("linux", WHERE), ("darwin", WHERE | ON_A_MAC), ("win32", WHERE | ON_WINDOWS)]
)
def test_each_platform_keeps_them_elsewhere(platform: str, paths: dict[str, str]) -> None:
    place = Place(platform=platform, home=Path("/home/alice"), environ={})
    assert {name: client.file(place).as_posix() for name, client in CLIENTS.items()} == {
        name: f"/home/alice/{path}" for name, path in paths.items()
    }


def test_folders_that_the_environment_names_are_used() -> None:
    environ = {"XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c", "APPDATA": "/a"}
    linux = Place(platform="linux", home=Path("/home/alice"), environ=environ)
    assert CLIENTS["zed"].file(linux) == Path("/x/zed/settings.json")
    assert CLIENTS["claude-code"].file(linux) == Path("/c/.claude.json")
    windows = Place(platform="win32", home=Path("/home/alice"), environ=environ)
    assert CLIENTS["vscode"].file(windows) == Path("/a/Code/User/mcp.json")
    relative = Place(platform="linux", home=Path("/home/alice"), environ={"XDG_CONFIG_HOME": "here"})
    assert CLIENTS["zed"].file(relative) == Path("/home/alice/.config/zed/settings.json")


def test_comments_and_other_servers_stay_and_undo_brings_back_every_byte(becausal: CommandLine, home: Path) -> None:
    file = home / WHERE["zed"]
    file.parent.mkdir(parents=True)
    before = (
        '\ufeff// mine\r\n{\r\n  "context_servers": {\r\n    "files": {"command": "npx"}, // keep\r\n  },\r\n}\r\n'
    ).encode()
    file.write_bytes(before)
    succeeded(becausal("setup", "zed"))
    after = file.read_bytes().decode()
    for kept in ("\ufeff// mine\r\n", '"files": {"command": "npx"}, // keep\r\n', '"becausal": {\r\n'):
        assert kept in after
    assert after.count("\n") == after.count("\r\n")
    (backup,) = file.parent.glob("*.before-becausal")
    assert backup.read_bytes() == before
    succeeded(becausal("setup", "zed", "--undo"))
    assert file.read_bytes() == before
    assert not backup.exists()


def test_setting_up_twice_changes_nothing(becausal: CommandLine, home: Path) -> None:
    succeeded(becausal("setup", "cursor"))
    once = files(home)
    assert "set up already" in succeeded(becausal("setup", "cursor"))
    assert files(home) == once


def test_a_dry_run_shows_the_change_and_makes_none(becausal: CommandLine, home: Path) -> None:
    shown = succeeded(becausal("setup", "vscode", "--dry-run"))
    assert '+    "becausal": {' in shown
    assert files(home) == {}
    told = becausal("setup", "vscode", "--dry-run", "--json").json
    assert (told["changed"], told["backup"]) == (False, None)
    assert told["diff"] == shown.splitlines()


def test_what_is_printed_is_what_would_be_written(becausal: CommandLine, home: Path) -> None:
    for client in CLIENTS:
        for options in ([], ["--url", URL, "--token", TOKEN]):
            printed = json.loads(succeeded(becausal("setup", client, "--print", *options)))
            assert files(home) == {}
            succeeded(becausal("setup", client, *options))
            assert json.loads((home / WHERE[client]).read_text(encoding="utf-8")) == printed
            succeeded(becausal("setup", client, "--undo"))


def test_settings_go_into_the_entry(becausal: CommandLine, home: Path, tmp_path: Path) -> None:
    succeeded(
        becausal("setup", "cursor", "--user", "bob", "--path", str(tmp_path / "m"), "--env", "BECAUSAL_TOOLS=all")
    )
    assert own(home, "cursor")["env"] == {
        "STORAGE_LOCATION": str(tmp_path / "m"),
        "ACCESSING_USER": "bob",
        "BECAUSAL_TOOLS": "all",
    }


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("claude-code", {"type": "http", "url": URL, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
        ("cursor", {"url": URL, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
        ("vscode", {"type": "http", "url": URL, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
        ("zed", {"url": URL, "headers": {"Authorization": f"Bearer {TOKEN}"}}),
    ],
)
@pytest.mark.parametrize("url", [URL, "http://127.0.0.1:3000", "http://127.0.0.1:3000/"])
def test_a_running_service_is_reached_by_address_and_token(
    becausal: CommandLine, home: Path, client: str, entry: dict[str, Any], url: str
) -> None:
    ran = becausal("setup", client, "--url", url, "--token", "-", input=TOKEN + "\n")
    assert TOKEN not in succeeded(ran)
    assert own(home, client) == entry


def test_claude_desktop_reaches_it_through_a_bridge(becausal: CommandLine, home: Path) -> None:
    succeeded(becausal("setup", "claude-desktop", "--url", URL, "--token", TOKEN))
    entry = own(home, "claude-desktop")
    assert (entry["command"], entry["env"]) == ("npx", {"BEARER": f"Bearer {TOKEN}"})
    assert {URL, "Authorization:${BEARER}", "--allow-http"} <= set(entry["args"])
    assert TOKEN not in " ".join(entry["args"])


@POSIX
def test_a_file_with_a_token_in_it_is_the_owners_alone_and_a_link_stays_one(becausal: CommandLine, home: Path) -> None:
    kept = home / "dotfiles.json"
    kept.write_text('{"mcpServers": {"files": {"command": "npx"}}}', encoding="utf-8")
    kept.chmod(0o644)
    (home / ".cursor").mkdir()
    (home / WHERE["cursor"]).symlink_to(kept)
    succeeded(becausal("setup", "cursor"))
    assert kept.stat().st_mode & 0o777 == 0o644
    succeeded(becausal("setup", "cursor", "--url", URL, "--token", TOKEN))
    assert (home / WHERE["cursor"]).is_symlink()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert "url" in own(home, "cursor")


def test_no_token_is_shown_by_a_dry_run(becausal: CommandLine, home: Path) -> None:
    shown = succeeded(becausal("setup", "cursor", "--url", URL, "--token", TOKEN, "--dry-run"))
    assert "Bearer TOKEN" in shown
    assert TOKEN not in shown


def test_undo_goes_back_to_the_entry_that_was_there_and_leaves_what_came_since(
    becausal: CommandLine, home: Path
) -> None:
    file = home / WHERE["claude-code"]
    file.write_text('{"mcpServers": {"becausal": {"command": "old"}}, "runs": 1}', encoding="utf-8")
    succeeded(becausal("setup", "claude-code"))
    now = json.loads(file.read_text(encoding="utf-8"))
    now["runs"] = 2
    file.write_text(json.dumps(now), encoding="utf-8")
    succeeded(becausal("setup", "claude-code", "--undo"))
    assert json.loads(file.read_text(encoding="utf-8")) == {"mcpServers": {"becausal": {"command": "old"}}, "runs": 2}


def test_undo_takes_out_only_what_setup_put_in_when_the_client_wrote_since(becausal: CommandLine, home: Path) -> None:
    file = home / WHERE["claude-code"]
    file.write_text('{"runs": 1}', encoding="utf-8")
    succeeded(becausal("setup", "claude-code"))
    file.write_text(file.read_text(encoding="utf-8").replace('"runs": 1', '"runs": 2'), encoding="utf-8")
    succeeded(becausal("setup", "claude-code", "--undo"))
    assert json.loads(file.read_text(encoding="utf-8")) == {"runs": 2}


def test_after_several_changes_undo_goes_back_one_after_the_other(becausal: CommandLine, home: Path) -> None:
    file = home / ".cursor/mcp.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"mcpServers": {"other": {"command": "x"}}} // mine\n', encoding="utf-8")
    states = [file.read_text(encoding="utf-8")]
    for options in ([], ["--url", "http://127.0.0.1:3000", "--token", "one"], ["--env", "BECAUSAL_TOOLS=all"]):
        succeeded(becausal("setup", "cursor", *options))
        states.append(file.read_text(encoding="utf-8"))
    assert len(set(states)) == 4
    for state in states[-2::-1]:
        succeeded(becausal("setup", "cursor", "--undo"))
        assert file.read_text(encoding="utf-8") == state
    assert "nothing to undo" in becausal("setup", "cursor", "--undo").err
    assert [each.name for each in file.parent.iterdir()] == ["mcp.json"]


def test_undoing_what_was_not_done_says_so(becausal: CommandLine, home: Path) -> None:
    ran = becausal("setup", "cursor", "--undo")
    assert (ran.code, ran.out) == (3, "")
    assert "nothing to undo" in ran.err


@pytest.mark.parametrize(
    "content",
    [
        b'{"mcpServers": {"files": {}',
        b'{"mcpServers": [], "x": 1}',
        b"[]",
        b'{"mcpServers": {}, "mcpServers": {}}',
        b"\xff\xfe{\x00}\x00",
        b"{" + b'"a": {' * 100 + b"}" * 100 + b"}",
    ],
)
def test_what_cannot_be_edited_safely_is_left_alone_with_what_to_paste(
    becausal: CommandLine, home: Path, content: bytes
) -> None:
    file = home / WHERE["cursor"]
    file.parent.mkdir()
    file.write_bytes(content)
    ran = becausal("setup", "cursor", "--url", URL, "--token", TOKEN)
    assert (ran.code, ran.out) == (1, "")
    assert "is left as it is" in ran.err
    snippet = ran.err[ran.err.index("{") : ran.err.rindex("}") + 1]
    assert json.loads(snippet)["mcpServers"]["becausal"]["url"] == URL
    assert TOKEN not in ran.err
    assert files(home) == {WHERE["cursor"]: content}


def test_a_projects_file_and_another_name_may_be_chosen(becausal: CommandLine, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "project" / ".vscode" / "mcp.json"
    succeeded(becausal("setup", "vscode", "--file", str(file), "--name", "team"))
    assert list(json.loads(file.read_text(encoding="utf-8"))["servers"]) == ["team"]
    assert files(home) == {}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--url", "ftp://x"], "--url: must be an http or https address"),
        (["--url", "http://[", "--token", TOKEN], "--url: must be"),
        (["--url", "http://a:b@host/mcp", "--token", TOKEN], "--url: must be"),
        (["--url", URL], "--token: must be a token"),
        (["--url", URL, "--token", "two words"], "--token: must be a token"),
        (["--token", TOKEN], "--token: belongs to an address"),
        (["--url", URL, "--token", TOKEN, "--user", "bob"], "--url: a running server has its own settings"),
        (["--env", "BECAUSAL_TOOLS"], "--env: must be NAME=VALUE"),
        (["--name", "a b"], "--name: must be 1 to 64 letters"),
        (["--print", "--undo"], "exclude each other"),
        (["--dry-run", "--print"], "exclude each other"),
    ],
)
def test_a_mistake_is_told_by_the_options_name(
    becausal: CommandLine, home: Path, options: list[str], said: str
) -> None:
    ran = becausal("setup", "cursor", *options)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert files(home) == {}


def test_a_client_that_is_not_known_is_refused_with_those_that_are(becausal: CommandLine, home: Path) -> None:
    ran = becausal("setup", "emacs")
    assert ran.code == 2
    assert all(client in ran.err for client in CLIENTS)
