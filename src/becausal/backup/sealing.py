# SPDX-License-Identifier: Apache-2.0
"""Files encrypted with a key that only their owner has.

AES-256-GCM in pieces, each with a counter as its nonce, and the last one marked: a file that was cut off, put
together anew or changed in a single bit does not open. The key is derived from what its owner wrote by scrypt
(RFC 7914, N = 2¹⁵, r = 8, p = 1) with a salt of the file's own, so that no nonce is used twice with one key.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from ..errors import BackupCorrupt, NotSupported

MAGIC = b"becausal sealed 1\n"
SALT = 16
PIECE = 1 << 20
TAG = 16
_LENGTH = 4


def seal(source: Path, target: Path, key: str) -> None:
    """Encrypt a file into another one.

    Raises:
        NotSupported: the library that does it is not installed.
    """
    salt = os.urandom(SALT)
    cipher = _cipher(key, salt)
    with source.open("rb") as clear, target.open("wb") as sealed:
        sealed.write(MAGIC + salt)
        number, piece = 0, clear.read(PIECE)
        while True:
            following = clear.read(PIECE)
            data = cipher.encrypt(_nonce(number), piece, _mark(last=not following))
            sealed.write(len(data).to_bytes(_LENGTH, "big") + data)
            if not following:
                return
            number, piece = number + 1, following


def unseal(source: Path, target: Path, key: str) -> None:
    """Decrypt a file into another one.

    Raises:
        BackupCorrupt: the key is another one, or the file is damaged.
        NotSupported: the library that does it is not installed.
    """
    with source.open("rb") as sealed, target.open("wb") as clear:
        if sealed.read(len(MAGIC)) != MAGIC:
            raise BackupCorrupt("the copy is damaged: it does not begin like an encrypted one")
        cipher = _cipher(key, sealed.read(SALT))
        number, data = 0, _piece(sealed)
        while data:
            following = _piece(sealed)
            clear.write(_opened(cipher, number, data, last=not following))
            number, data = number + 1, following
        if not number:
            raise BackupCorrupt("the copy is damaged: it is cut off")


def _piece(sealed: IO[bytes]) -> bytes:
    head = sealed.read(_LENGTH)
    length = int.from_bytes(head, "big")
    if not head:
        return b""
    data = sealed.read(length) if TAG <= length <= PIECE + TAG else b""
    if len(head) != _LENGTH or len(data) != length or not data:
        raise BackupCorrupt("the copy is damaged: it is cut off, or was changed")
    return data


def _cipher(key: str, salt: bytes):  # type: ignore[no-untyped-def]
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ImportError:
        raise NotSupported("BACKUP_KEY", "encryption needs the extra 's3': pip install 'becausal[s3]'") from None
    return AESGCM(Scrypt(salt=salt, length=32, n=1 << 15, r=8, p=1).derive(key.encode()))


def _opened(cipher, number: int, data: bytes, *, last: bool) -> bytes:  # type: ignore[no-untyped-def]
    from cryptography.exceptions import InvalidTag

    try:
        return bytes(cipher.decrypt(_nonce(number), data, _mark(last=last)))
    except InvalidTag:
        raise BackupCorrupt("the copy does not open: BACKUP_KEY is another key, or the copy is damaged") from None


def _nonce(number: int) -> bytes:
    return number.to_bytes(12, "big")


def _mark(*, last: bool) -> bytes:
    return b"last" if last else b"more"
