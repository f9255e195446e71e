# SPDX-License-Identifier: Apache-2.0
"""Access tokens: who has one may use one user's memory.

A token is 256 random bits, so that its SHA-256 tells nothing about it and needs no salt. Each is a file of its own,
named by that digest: making and revoking one is a single step of the file system, which every process sees at once.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ..errors import InvalidInput, NotFound, StoreUnavailable

PREFIX = "becausal_"
ID_LENGTH = 12
FOLDER = "tokens.d"  # no user's folder has a full stop in its name
FIRST = "first-token.txt"
MAX_NOTE = 100

_DIGEST = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH},64}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What is known of a token: whose memory it opens, since when there is it, and what its maker noted of it.

    ``digest`` is the SHA-256 of the token itself, in hexadecimal digits; ``id`` the beginning of it.
    """

    digest: str
    user: str
    created_at: datetime
    note: str = ""

    @property
    def id(self) -> str:
        return self.digest[:ID_LENGTH]


def digest_of(secret: str) -> str:
    """Return what is kept of a token."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Tokens:
    """The tokens for the memories in one folder. Any number of processes may use it at the same time."""

    def __init__(self, location: Path) -> None:
        self._folder = location / FOLDER
        self.first = location / FIRST
        """The file that holds the token of the first start, until that is revoked."""

    def create(self, user: str, note: str = "") -> tuple[str, Token]:
        """Make a token for a user's memory; return it, which nobody can do again, and what is kept of it.

        Raises:
            InvalidInput: the note is longer than 100 characters or holds line breaks.
            StoreUnavailable: it cannot be written.
        """
        if len(note) > MAX_NOTE or not note.isprintable():
            raise InvalidInput("note", f"must be at most {MAX_NOTE} printable characters")
        secret = PREFIX + secrets.token_urlsafe(32)
        token = Token(digest=digest_of(secret), user=user, created_at=datetime.now(UTC), note=note)
        told = {"user": user, "created_at": token.created_at.isoformat(), "note": note}
        try:
            _make_private(self._folder)
            _write(self._folder / token.digest, json.dumps(told, ensure_ascii=False) + "\n")
        except OSError as error:
            raise StoreUnavailable(f"the folder {self._folder} cannot be written: {error.strerror}") from error
        return secret, token

    def create_first(self, user: str) -> str | None:
        """Make the token of a first start, and keep it in a file that only its owner reads; ``None`` if there are any.

        Raises:
            StoreUnavailable: it cannot be written.
        """
        if self.all():
            return None
        secret, token = self.create(user, "first start")
        try:
            self.first.unlink(missing_ok=True)
            _write(self.first, secret + "\n")
        except OSError as error:
            self._path(token).unlink(missing_ok=True)
            raise StoreUnavailable(f"the file {self.first} cannot be written: {error.strerror}") from error
        return secret

    def find(self, secret: str) -> Token | None:
        """Return what is known of a token, ``None`` if it is none or no longer one."""
        return self.known(digest_of(secret))

    def known(self, digest: str) -> Token | None:
        """Return the token of a digest, ``None`` if there is none."""
        try:
            told = json.loads((self._folder / digest).read_text(encoding="utf-8"))
            return Token(
                digest=digest,
                user=str(told["user"]),
                created_at=datetime.fromisoformat(told["created_at"]),
                note=str(told.get("note", "")),
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None  # a file that cannot be read lets nobody in

    def all(self) -> list[Token]:
        """Return all tokens, by user and age."""
        try:
            names = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StoreUnavailable(f"the folder {self._folder} cannot be read: {error.strerror}") from error
        found = [token for name in names if _DIGEST.fullmatch(name) and (token := self.known(name)) is not None]
        return sorted(found, key=lambda token: (token.user, token.created_at))

    def revoke(self, id: str) -> Token:
        """Make a token worthless, at once and for good; return what it was.

        ``id`` is what ``list`` shows, or more of the digest.

        Raises:
            InvalidInput: this is no id.
            NotFound: no token has it.
        """
        if not _ID.fullmatch(id):
            raise InvalidInput("id", f"must be {ID_LENGTH} hexadecimal digits, as 'becausal token list' shows them")
        for token in self.all():
            if token.digest.startswith(id):
                try:
                    self._path(token).unlink(missing_ok=True)
                    if self._holds_first(token):
                        self.first.unlink(missing_ok=True)
                except OSError as error:
                    raise StoreUnavailable(f"{self._folder} cannot be written: {error.strerror}") from error
                return token
        raise NotFound("token", id)

    def _path(self, token: Token) -> Path:
        return self._folder / token.digest

    def _holds_first(self, token: Token) -> bool:
        try:
            return digest_of(self.first.read_text(encoding="utf-8").strip()) == token.digest
        except (OSError, UnicodeDecodeError):
            return False


def _make_private(folder: Path) -> None:
    if not folder.parent.is_dir():
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.parent.chmod(0o700)
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)  # whatever the umask has taken, and whoever made it


def _write(path: Path, text: str) -> None:
    """Write a new file that only its owner reads, whole or not at all."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
