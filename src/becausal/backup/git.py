# SPDX-License-Identifier: Apache-2.0
"""Copies in a Git repository: one per user, which holds the memory as JSON lines, cut into files.

There is no working tree: commits are written and read as objects, so that nothing in a repository, whoever has
written to it, is ever a path, a link or a program on this machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit

from ..errors import BackupCorrupt, BackupDiverged, BackupUnavailable
from ..ports.backup import HISTORY, Fetched, Kept, Manifest, Version
from .choosing import meant
from .git_program import Git, masked
from .manifest import LARGEST, from_json, read_json, to_json
from .shards import cut

BRANCH = "refs/heads/main"
SEEN = "refs/remotes/origin/main"
MANIFEST = "manifest.json"
SHARDS = "memory/"
MOST_FILES = 1_000_000
_NAME = re.compile(r"memory/[a-z0-9-]{1,64}\.jsonl")
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_FURNITURE = re.compile(
    r"(?:README|LICEN[SC]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT|SECURITY|CODEOWNERS)(?:[.-][\w.-]+)?"
    r"|\.gitignore|\.gitattributes|\.editorconfig|\.gitlab-ci\.yml|\.git(?:hub|lab|ea)/[^\0-\x1f\"\ufffd]+",
    re.IGNORECASE,
)
"""Files that a repository may have about itself. They are left alone, and never read."""


class GitPlace:
    """A repository below an address, and its copy on this machine."""

    def __init__(self, *, folder: Path, base: str, user: str) -> None:
        """Use ``{base}/{user}_smriti.git`` by way of a bare repository in ``folder``."""
        if "://" not in base and not re.match(r"[^/\\]{2,}:", base):  # a path, and not host:path
            base = os.path.abspath(os.path.expanduser(base))
        self._base, self._user = base, user
        self._remote = f"{base.rstrip('/')}/{quote(user, safe='')}_smriti.git"
        self._folder = folder / HISTORY
        self._git = Git(self._folder, self._remote)

    @property
    def name(self) -> str:
        return f"git repository {masked(self._remote)}"

    @property
    def hosts(self) -> tuple[str, ...]:
        parts = urlsplit(self._remote)
        if parts.scheme in ("http", "https", "ssh"):
            return (parts.hostname or "",)
        place = re.match(r"(?:[^@/:]+@)?([^/:]+):(?!//)", self._remote)  # user@host:path
        return (place[1],) if place and not parts.scheme else ()

    @property
    def remembers(self) -> str:
        return f"the history of the {self.name}, and its copy in {self._folder}"

    # --- putting ---

    def put(
        self, export: Path, manifest: Manifest, at: datetime, *, known: str | None = None, overwrite: bool = False
    ) -> Kept:
        self._prepare()
        self._unlock()
        remote = self._remote_head()
        mine = self._resolve(BRANCH)
        # Whoever has emptied the repository wants the history gone: it does not come back from here.
        parent = mine if remote is not None else None
        anew = mine is not None and parent is None
        if remote is not None and remote != mine and not self._contains(mine, remote):
            self._fetch()
            blank = not self._copies(remote, 1)
            same = any(self._is_same(remote, each) for each in (mine, known))
            if not (blank or same or overwrite or remote == known):
                raise BackupDiverged(
                    f"another machine has written to the {self.name}, or this memory was never backed up there: "
                    "restore from it, or back up with --overwrite to put this memory on top (its versions stay)"
                )
            parent, anew = remote, mine is not None and blank
        commit = self._commit(export, manifest, at, parent)
        changed = commit != parent
        # Before it is pushed: whatever becomes of that, what is there then is this commit or one before it.
        self._git("update-ref", BRANCH, commit)
        if commit != remote:
            self._push(commit)
        self._git("update-ref", SEEN, commit)
        with suppress(BackupUnavailable):  # the copy is kept; tidying the local one can wait
            self._git("gc", "--quiet", *(["--prune=now"] if anew else ["--auto"]))
        return Kept(version=commit, changed=changed)

    def _commit(self, export: Path, manifest: Manifest, at: datetime, parent: str | None) -> str:
        """Write a commit on top of another one; return that one if it would say the same."""
        known = {name: blob for name, _, blob, _ in self._files(parent)} if parent else {}
        names: list[str] = []
        with tempfile.TemporaryFile(dir=self._folder) as stream, export.open("rb") as file:
            stream.write(b"commit refs/becausal/next\n")
            stream.write(f"committer becausal <becausal@localhost> {int(at.timestamp())} +0000\n".encode())
            stream.write(_counted(f"becausal: {manifest.memories} memories\n".encode()))
            stream.write(f"from {parent}\n".encode() if parent else b"")
            for ours in (MANIFEST, SHARDS.rstrip("/")) if parent else ():  # what else is there stays
                stream.write(f"D {ours}\n".encode())
            for shard in cut(file):
                names.append(shard.name)
                name = SHARDS + shard.name
                stream.write(_file(name, shard.data, known.get(name)))
            told = json.dumps({**to_json(manifest), "files": names}, indent=1, ensure_ascii=False).encode() + b"\n"
            stream.write(_file(MANIFEST, told, known.get(MANIFEST)))
            stream.write(b"done\n")
            stream.flush()
            stream.seek(0)
            self._git("fast-import", "--quiet", "--done", "--force", source=stream)
        made = self._resolve("refs/becausal/next") or ""
        self._git("update-ref", "-d", "refs/becausal/next")
        if parent is not None and self._resolve(f"{made}^{{tree}}") == self._resolve(f"{parent}^{{tree}}"):
            return parent
        return made

    def _push(self, commit: str) -> None:
        done = self._git.run("push", "--quiet", "--porcelain", "origin", f"{commit}:{BRANCH}", allow=(0, 1, 128))
        if done.returncode == 0:
            return
        told = done.stdout + done.stderr
        if b"[rejected]" in told or b"non-fast-forward" in told or b"fetch first" in told:
            raise BackupDiverged(f"another machine has just written to the {self.name}; back up again")
        raise BackupUnavailable(f"the {self.name} does not take the copy: {self._git.complaint(told)}")

    # --- getting ---

    def get(self, into: Path, *, limit: int, version: str | None = None, afresh: bool = False) -> Fetched | None:
        if afresh:
            with tempfile.TemporaryDirectory(dir=into.parent) as folder:
                anew = GitPlace(folder=Path(folder), base=self._base, user=self._user)
                return anew.get(into, limit=limit, version=version)
        self._prepare()
        head = self._remote_head()
        if head is None:
            return None
        self._fetch()
        if version is None and not self._copies(head, 1):
            return None
        commit = head if version is None else meant(version, self._git("rev-list", head).decode("ascii").split())
        files = list(self._files(commit))
        told = self._manifest(files)
        manifest = from_json(told, self.name)
        names = told.get("files")
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise BackupCorrupt(f"the {self.name} is damaged: its manifest names no files")
        blobs = {name: (blob, size) for name, mode, blob, size in files if name.startswith(SHARDS)}
        if sum(size for _, size in blobs.values()) > limit or manifest.size > limit:
            raise BackupCorrupt(f"the copy in the {self.name} is larger than the {limit:,} bytes allowed")
        missing = [name for name in names if SHARDS + name not in blobs]
        if missing or len(set(names)) != len(names):
            raise BackupCorrupt(f"the {self.name} is damaged: {missing[0] if missing else 'a file'} is not as it says")
        with into.open("wb") as file:
            for name in names:
                file.write(self._git("cat-file", "blob", blobs[SHARDS + name][0]))
        return Fetched(version=commit, at=self._made(commit), newest=head, manifest=manifest)

    def _manifest(self, files: list[tuple[str, str, str, int]]) -> dict[str, object]:
        found = {name: (blob, size) for name, _, blob, size in files if name == MANIFEST}
        if not found or found[MANIFEST][1] > LARGEST:
            raise BackupCorrupt(f"the {self.name} holds no backup of becausal")
        return read_json(self._git("cat-file", "blob", found[MANIFEST][0]), f"the manifest in the {self.name}")

    def _files(self, commit: str) -> Iterator[tuple[str, str, str, int]]:
        """Yield name, mode, object and size of the files of a copy; what a repository has beside it is left out.

        Raises:
            BackupCorrupt: there is anything else in it, such as a link or a name of another sort.
        """
        listed = self._git("ls-tree", "-r", "-z", "--long", "--full-tree", commit).split(b"\0")
        if len(listed) > MOST_FILES:
            raise BackupCorrupt(f"the {self.name} holds more than {MOST_FILES:,} files")
        for line in filter(None, listed):
            head, _, raw = line.partition(b"\t")
            mode, kind, blob, size = head.split()
            name = raw.decode("utf-8", "replace")
            ours = mode == b"100644" and (name == MANIFEST or _NAME.fullmatch(name))
            furniture = mode in (b"100644", b"100755") and _FURNITURE.fullmatch(name)
            if kind != b"blob" or not (ours or furniture):
                raise BackupCorrupt(
                    f"the {self.name} holds {name!r}, which no backup of becausal has: take it out of there, or keep "
                    "backups in a repository that is for nothing else"
                )
            if ours:
                yield name, mode.decode(), blob.decode(), int(size)

    def accept(self, version: str) -> None:
        self._git("update-ref", BRANCH, version)
        self._git("update-ref", SEEN, version)

    def versions(self, limit: int) -> tuple[Version, ...]:
        self._prepare()
        head = self._remote_head()
        if head is None:
            return ()
        self._fetch()
        found = []
        for commit in self._copies(head):
            with suppress(BackupCorrupt):  # somebody has written there what no backup writes
                manifest = from_json(self._manifest(list(self._files(commit))), self.name)
                found.append(Version(id=commit, at=self._made(commit), memories=manifest.memories))
            if len(found) == limit:
                break
        return tuple(found)

    def _copies(self, head: str, most: int | None = None) -> list[str]:
        """Return the commits up to ``head`` that have put a copy there, the newest first."""
        only = () if most is None else (f"--max-count={most}",)
        told = self._git("log", *only, "--format=%H", "--diff-filter=AM", "--full-history", head, "--", MANIFEST)
        return told.decode("ascii").split()

    def _made(self, commit: str) -> datetime:
        """Return when a commit was made."""
        return datetime.fromtimestamp(int(self._git("log", "--max-count=1", "--format=%ct", commit)), UTC)

    def _is_same(self, remote: str, other: str | None) -> bool:
        """Whether one commit comes after another and holds the same copy."""
        if other is None or not self._contains(remote, other):
            return False
        return self._resolve(f"{remote}:{MANIFEST}") == self._resolve(f"{other}:{MANIFEST}")

    # --- the repository ---

    def _prepare(self) -> None:
        if not (self._folder / "HEAD").exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._git("init", "--quiet", "--bare", "--initial-branch=main")

    def _unlock(self) -> None:
        """Take away locks that a process that died has left: only one at a time puts."""
        for lock in self._folder.rglob("*.lock"):
            with suppress(OSError):
                lock.unlink()

    def _remote_head(self) -> str | None:
        try:
            told = self._git("ls-remote", "origin", BRANCH).decode("ascii", "replace").split()
        except BackupUnavailable as error:
            if re.search("does not appear to be a git repository|not found", str(error)):
                advice = "make an empty one there, or name another address in GIT_BASE_URL"
                raise BackupUnavailable(f"there is no {self.name}: {advice} ({error})") from None
            raise
        return told[0] if told and _COMMIT.fullmatch(told[0]) else None

    def _fetch(self) -> None:
        self._git("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "origin", f"+{BRANCH}:{SEEN}")

    def _resolve(self, name: str) -> str | None:
        told = self._git("rev-parse", "--verify", "--quiet", name, allow=(0, 1, 128)).decode().strip()
        return told or None

    def _contains(self, commit: str | None, other: str) -> bool:
        """Whether ``other`` is known here and is ``commit`` or comes before it."""
        if commit is None:
            return False
        return self._git.run("merge-base", "--is-ancestor", other, commit, allow=(0, 1, 128)).returncode == 0


def _file(name: str, data: bytes, known: str | None) -> bytes:
    """Return the lines for fast-import that put a file into a commit; what is known already is only named."""
    blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    if blob == known:
        return f"M 100644 {blob} {name}\n".encode()
    return f"M 100644 inline {name}\n".encode() + _counted(data)


def _counted(data: bytes) -> bytes:
    return b"data %d\n" % len(data) + data + b"\n"
