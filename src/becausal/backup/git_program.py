# SPDX-License-Identifier: Apache-2.0
"""The system's Git, run so that it asks nothing, runs nothing, and tells nothing secret."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

from ..errors import BackupUnavailable

TIMEOUT = 300.0
"""Seconds for anything that goes over a network."""

_LOCKED_DOWN = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.symlinks": "false",
    "core.logAllRefUpdates": "false",
    "commit.gpgSign": "false",
    "push.gpgSign": "false",
    "gc.auto": "2000",
    "gc.autoDetach": "false",
    "fetch.recurseSubmodules": "false",
    "fetch.fsckObjects": "true",
    "transfer.fsckObjects": "true",
    "credential.interactive": "false",
    "init.templateDir": "",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "protocol.http.allow": "always",
    "protocol.ssh.allow": "always",
    "protocol.file.allow": "always",
}

_CREDENTIALS = re.compile(r"(?<=//)[^/\s]+@")

_TELL = """!printf '%s\\n' "username=$BECAUSAL_GIT_USER" "password=$BECAUSAL_GIT_PASSWORD" #"""
"""A credential helper (gitcredentials(7)) that tells Git what stands in the environment; "#" ends what Git appends."""


def masked(text: str) -> str:
    """Return a text in which addresses have lost what stands before the host."""
    return _CREDENTIALS.sub("***@", text)


def parted(remote: str) -> tuple[str, str | None, str | None]:
    """Return an address without what stands before the host, and the user name and the password that stand there.

    Only http and https addresses are parted. Git would hand them to a program of its own as an argument, which
    everybody on the machine can read.
    """
    parts = urlsplit(remote)
    before, at, host = parts.netloc.rpartition("@")
    if parts.scheme not in ("http", "https") or not at:
        return remote, None, None
    name, colon, password = before.partition(":")
    return parts._replace(netloc=host).geturl(), unquote(name), unquote(password) if colon else None


class Git:
    """Git commands in one bare repository, whose remote is known to them and written nowhere."""

    def __init__(self, folder: Path, remote: str) -> None:
        self.folder = folder
        self._remote, self._user, self._password = parted(remote)

    def __call__(self, *arguments: str, source: IO[bytes] | None = None, allow: Sequence[int] = (0,)) -> bytes:
        """Run a command and return what it prints.

        Raises:
            BackupUnavailable: there is no Git, or the command fails in another way than ``allow`` says.
        """
        return self.run(*arguments, source=source, allow=allow).stdout

    def run(
        self, *arguments: str, source: IO[bytes] | None = None, allow: Sequence[int] = (0,)
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command; see ``__call__``."""
        program = shutil.which("git")
        if program is None:
            raise BackupUnavailable("git is not installed: a backup of type git needs it")
        try:
            done = subprocess.run(
                [program, f"--git-dir={self.folder}", *arguments],
                stdin=subprocess.DEVNULL if source is None else source,
                capture_output=True,
                env=self._environment(),
                cwd=self.folder.parent,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise BackupUnavailable(f"git {arguments[0]} took longer than {TIMEOUT:.0f} seconds") from None
        except OSError as error:
            raise BackupUnavailable(f"git cannot be run: {error.strerror or error}") from error
        if done.returncode not in allow:
            raise BackupUnavailable(f"git {arguments[0]} failed: {self.complaint(done.stderr)}")
        return done

    def complaint(self, stderr: bytes) -> str:
        """Return what Git complains about in a line, without anything secret."""
        lines = [line.strip() for line in stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        told = [line for line in lines if line.startswith(("fatal:", "error:", "remote:", "!"))] or lines
        return masked(" ".join(told)[:500]) or "it says nothing more"

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        # Without a terminal ssh would ask by a window.
        asking = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "SSH_ASKPASS_REQUIRE": "never"}
        ssh = os.environ.get("GIT_SSH_COMMAND", "ssh")
        # Settings in the environment are seen by nobody else, unlike arguments, and are not left in a file.
        settings = [*_LOCKED_DOWN.items(), ("remote.origin.url", self._remote)]
        secrets = {}
        if self._user is not None:
            host = "{0.scheme}://{0.netloc}".format(urlsplit(self._remote))
            settings.append((f"credential.{host}.username", self._user))
            if self._password is not None:
                secrets = {"BECAUSAL_GIT_USER": self._user, "BECAUSAL_GIT_PASSWORD": self._password}
                # The first takes away helpers that the user has configured, which may know another password.
                settings += [("credential.helper", ""), (f"credential.{host}.helper", _TELL)]
        numbered = {"GIT_CONFIG_COUNT": str(len(settings))}
        for number, (key, value) in enumerate(settings):
            numbered |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
        return {
            **kept,
            **asking,
            **numbered,
            **secrets,
            "GIT_SSH_COMMAND": f"{ssh} -oBatchMode=yes",
            "GIT_PROTOCOL_FROM_USER": "0",
            "LC_ALL": "C",
        }
