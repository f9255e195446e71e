# SPDX-License-Identifier: Apache-2.0
"""Copies in an S3 bucket: compressed objects, and one object that lists them.

That list is only ever replaced by somebody who has seen the one that is there (a conditional put), so that two
machines cannot overwrite each other unseen.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast
from urllib.parse import urlsplit

from ..errors import BackupCorrupt, BackupDiverged, BackupError, BackupUnavailable, NotSupported
from ..ports.backup import Fetched, Kept, Manifest, Version
from .choosing import meant
from .manifest import LARGEST, from_json, read_json, to_json
from .sealing import seal, unseal

if TYPE_CHECKING:
    from obstore.store import S3Store

HEAD = "versions.json"
STATE = "backup-s3.json"
MOST_VERSIONS = 1000
PIECE = 1 << 20
STRAY = timedelta(days=1)
"""Age from which an object that no version names is left over from a process that died."""

_OBJECT = re.compile(r"[0-9]{8}T[0-9]{6}Z-[0-9a-f]{12}\.jsonl\.gz(\.sealed)?")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Settings:
    """Where the bucket is and how it is opened. Without an ``endpoint`` it is at Amazon."""

    region: str
    access_key: str
    secret_key: str
    endpoint: str | None = None
    bucket: str | None = None
    prefix: str = "becausal"
    key: str | None = None
    keep: int = 30


def default_bucket(user: str) -> str:
    """Return the bucket of a user who names none: ``{user}-smriti`` where a bucket may be called that.

    Other names are spelt in what is allowed (small letters, digits, hyphens; 3 to 63 of them) and told apart by a
    digest.
    """
    plain = re.sub(r"[^a-z0-9]+", "-", user.lower()).strip("-")[:40].strip("-")
    if plain == user and plain:
        return f"{plain}-smriti"
    digest = hashlib.sha256(user.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return "-".join(filter(None, (plain, digest, "smriti")))


class S3Place:
    """A folder of a bucket."""

    def __init__(self, *, folder: Path, user: str, settings: S3Settings) -> None:
        """Use the bucket's folder for ``user``; ``folder`` is the user's own on this machine."""
        self._settings = settings
        self._state = folder / STATE
        self._folder = folder
        self._bucket = settings.bucket or default_bucket(user)
        self._path = "/".join(filter(None, (settings.prefix.strip("/"), _segment(user))))
        self._opened: S3Store | None = None

    @property
    def name(self) -> str:
        return f"bucket {self._bucket}/{self._path} at {self.hosts[0]}"

    @property
    def hosts(self) -> tuple[str, ...]:
        if self._settings.endpoint is None:
            return (f"s3.{self._settings.region}.amazonaws.com",)
        return (urlsplit(self._settings.endpoint).hostname or "",)

    @property
    def remembers(self) -> str:
        return f"the last {self._settings.keep} copies in the {self.name}"

    # --- putting ---

    def put(
        self, export: Path, manifest: Manifest, at: datetime, *, known: str | None = None, overwrite: bool = False
    ) -> Kept:
        head, tag = self._head()
        newest = head[-1] if head else None
        same = newest is not None and (newest["sha256"], newest["size"]) == (manifest.sha256, manifest.size)
        # A copy that is the same but open where a key is set, or that is to be replaced all the same, is made anew.
        if newest is not None and same and newest["sealed"] is (self._settings.key is not None) and not overwrite:
            self.accept(newest["id"])
            return Kept(version=newest["id"], changed=False)
        if newest is not None and newest["id"] not in (known, *self._known()) and not overwrite:
            raise BackupDiverged(
                f"another machine has written to the {self.name}, or this memory was never backed up there: "
                "restore from it, or back up with --overwrite to put this memory on top (its versions stay)"
            )
        id = f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(6)}"
        entry = self._upload(id, export, manifest, at)
        # Before it is listed: whoever comes after a crash must not take the copy for another machine's.
        self._note(newest["id"] if newest else None, coming=id)
        kept = [*head, entry][-self._settings.keep :]
        try:
            self._put_head(kept, tag)
        except BaseException:
            with suppress(BackupError):
                self._delete([entry["object"]])
            raise
        self.accept(id)
        with suppress(BackupError):  # what is left over is taken away next time
            self._delete([old["object"] for old in head[: max(0, len(head) + 1 - self._settings.keep)]])
            self._sweep({each["object"] for each in kept})
        return Kept(version=id, changed=True)

    def _upload(self, id: str, export: Path, manifest: Manifest, at: datetime) -> dict[str, Any]:
        packed = export.with_suffix(".gz")
        # Neither a name nor a time in it: the same memory is the same bytes.
        with (
            export.open("rb") as source,
            packed.open("wb") as target,
            gzip.GzipFile(filename="", mode="wb", fileobj=target, mtime=0) as pressed,
        ):
            shutil.copyfileobj(source, pressed, PIECE)
        name = f"{id}.jsonl.gz"
        if self._settings.key is not None:
            name += ".sealed"
            sealed = export.with_suffix(".sealed")
            seal(packed, sealed, self._settings.key)
            packed = sealed
        size = packed.stat().st_size
        self._do(lambda store: _obstore().put(store, name, packed))
        stored = {"object": name, "stored": size, "sealed": self._settings.key is not None}
        return {"id": id, "at": at.astimezone(UTC).isoformat(), **stored, **to_json(manifest)}

    def _put_head(self, versions: list[dict[str, Any]], tag: str | None) -> None:
        told = {"becausal": "backups", "format": 1, "versions": versions}
        data = json.dumps(told, indent=1, ensure_ascii=False).encode()
        mode: Any = "create" if tag is None else {"e_tag": tag}
        from obstore.exceptions import AlreadyExistsError, PreconditionError

        def conditionally(store: S3Store) -> None:
            try:
                _obstore().put(store, HEAD, data, mode=mode)
            except (AlreadyExistsError, PreconditionError):
                raise BackupDiverged(f"another machine has just written to the {self.name}; back up again") from None

        self._do(conditionally)

    # --- getting ---

    def get(self, into: Path, *, limit: int, version: str | None = None, afresh: bool = False) -> Fetched | None:
        head, _ = self._head()
        if version is None and not head:
            return None
        known = {each["id"]: each for each in head}
        entry = head[-1] if version is None else known[meant(version, known)]
        manifest = from_json(entry, f"the copy in the {self.name}")
        if max(manifest.size, entry["stored"]) > limit:
            raise BackupCorrupt(f"the copy in the {self.name} is larger than the {limit:,} bytes allowed")
        packed = into.with_suffix(".gz")
        self._download(entry["object"], packed, entry["stored"])
        if entry["sealed"]:
            if self._settings.key is None:
                raise BackupCorrupt(f"the copy in the {self.name} is encrypted: set BACKUP_KEY to the key it has")
            sealed = packed.rename(into.with_suffix(".sealed"))
            unseal(sealed, packed, self._settings.key)
        self._unpack(packed, into, manifest.size)
        at = datetime.fromisoformat(entry["at"])
        return Fetched(version=entry["id"], at=at, newest=head[-1]["id"], manifest=manifest)

    def _download(self, name: str, target: Path, size: int) -> None:
        def fetch(store: S3Store) -> None:
            received = 0
            with target.open("wb") as file:
                for piece in _obstore().get(store, name).stream(min_chunk_size=PIECE):
                    received += len(piece)
                    if received > size:
                        break
                    file.write(piece)
            if received != size:
                raise BackupCorrupt(f"the copy in the {self.name} is damaged: it is not as long as it should be")

        self._do(fetch)

    def _unpack(self, packed: Path, into: Path, size: int) -> None:
        left = size
        try:
            with gzip.open(packed, "rb") as pressed, into.open("wb") as file:
                while piece := pressed.read(PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise BackupCorrupt(f"the copy in the {self.name} is damaged: it is longer than it should be")
                    file.write(piece)
        except (OSError, EOFError, zlib.error):
            raise BackupCorrupt(f"the copy in the {self.name} is damaged: it cannot be unpacked") from None

    def accept(self, version: str) -> None:
        self._note(version)

    def _note(self, version: str | None, *, coming: str | None = None) -> None:
        """Note which version the memory here goes on from, and which one is about to be listed."""
        fresh = self._state.with_suffix(".new")
        told = {"place": self.name, "version": version, "coming": coming}
        fresh.write_text(json.dumps(told), encoding="utf-8")
        os.replace(fresh, self._state)

    def _known(self) -> tuple[str | None, ...]:
        """Return the versions that the memory here may go on from."""
        try:
            told = json.loads(self._state.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return ()
        return (told.get("version"), told.get("coming")) if told.get("place") == self.name else ()

    def versions(self, limit: int) -> tuple[Version, ...]:
        head, _ = self._head()
        return tuple(
            Version(id=each["id"], at=datetime.fromisoformat(each["at"]), memories=each["memories"])
            for each in reversed(head[-limit:])
        )

    # --- the list ---

    def _head(self) -> tuple[list[dict[str, Any]], str | None]:
        """Return what is listed, the newest last, and the list's tag; nothing and ``None`` if there is no list."""

        def fetch(store: S3Store) -> tuple[bytes, str | None]:
            try:
                got = _obstore().get(store, HEAD)
            except FileNotFoundError as error:
                if "NoSuchBucket" in str(error):
                    raise
                return b"", None
            if got.meta["size"] > LARGEST:
                raise BackupCorrupt(f"the list in the {self.name} is damaged: it is too long")
            return bytes(got.bytes()), got.meta["e_tag"]

        data, tag = self._do(fetch)
        if tag is None:
            return [], None
        told = read_json(data, f"the list in the {self.name}")
        versions = told.get("versions")
        if told.get("becausal") != "backups" or not isinstance(versions, list) or len(versions) > MOST_VERSIONS:
            raise BackupCorrupt(f"the list in the {self.name} is damaged, or not one of becausal")
        if told.get("format") != 1:
            raise BackupCorrupt(f"the list in the {self.name} has format {told.get('format')!r}, this becausal knows 1")
        return [self._entry(each) for each in versions], tag

    def _entry(self, data: object) -> dict[str, Any]:
        entry = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        from_json(entry, f"the list in the {self.name}")
        try:
            datetime.fromisoformat(entry["at"])
            whole = _OBJECT.fullmatch(entry["object"]) and entry["object"].startswith(f"{entry['id']}.")
            whole = whole and isinstance(entry["stored"], int) and isinstance(entry["sealed"], bool)
        except (KeyError, TypeError, ValueError):
            whole = False
        if not whole:
            raise BackupCorrupt(f"the list in the {self.name} is damaged: an entry lacks something")
        return entry

    def _delete(self, names: list[str]) -> None:
        if names:
            self._do(lambda store: _obstore().delete(store, names))

    def _sweep(self, named: set[str]) -> None:
        """Delete copies that are in no list, and have not just been made by somebody."""

        def strays(store: S3Store) -> list[str]:
            found = [each for page in _obstore().list(store) for each in page]
            old = datetime.now(UTC) - STRAY
            return [
                name
                for each in found
                if each["last_modified"] < old
                and _OBJECT.fullmatch(name := each["path"].rsplit("/", 1)[-1])
                and name not in named
            ]

        self._delete(self._do(strays))

    # --- the service ---

    def _do(self, work: Callable[[S3Store], T]) -> T:
        """Let something be done with the bucket; whatever goes wrong is told without anything secret."""
        with self._errors():
            return work(self._store())

    def _store(self) -> S3Store:
        if self._opened is None:
            from obstore.store import S3Store

            settings = self._settings
            endpoint: dict[str, Any] = {} if settings.endpoint is None else {"endpoint": settings.endpoint}
            self._opened = S3Store(
                self._bucket,
                prefix=self._path,
                region=settings.region,
                access_key_id=settings.access_key,
                secret_access_key=settings.secret_key,
                virtual_hosted_style_request=False,
                client_options={"allow_http": True, "timeout": "300s", "connect_timeout": "10s"},
                retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=30)},
                **endpoint,
            )
        return self._opened

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            from obstore.exceptions import BaseError
        except ImportError:
            raise NotSupported("BACKUP_TYPE", "s3 needs the extra of that name: pip install 'becausal[s3]'") from None
        try:
            yield
        except (BaseError, OSError) as error:
            told = str(error)
            if "NoSuchBucket" in told:
                raise BackupUnavailable(
                    f"there is no bucket {self._bucket} at {self.hosts[0]}: make it, or name another in S3_BUCKET"
                ) from None
            raise BackupUnavailable(f"the {self.name} cannot be used: {self._complaint(told)}") from None

    def _complaint(self, told: str) -> str:
        """Return what the service complains about in a line, without anything secret."""
        if code := re.search(r"<Code>(\w+)</Code>(?:.*?<Message>([^<]*)</Message>)?", told, re.DOTALL):
            shown = ": ".join(filter(None, code.groups()))
        else:
            shown = " ".join(told.split("Debug source")[0].split())
        for secret in (self._settings.secret_key, self._settings.access_key):
            shown = shown.replace(secret, "***")
        return shown[:400]


def _segment(user: str) -> str:
    """Return a user's name as one segment of an object's path."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else f"={ord(c):x}=" for c in user)


def _obstore() -> Any:
    import obstore

    return obstore
