# SPDX-License-Identifier: Apache-2.0
"""Services that speak S3, on this machine, each a process of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

BIN = Path(sys.executable).parent


@contextmanager
def moto(folder: Path) -> Iterator[str]:
    """Run moto's server, which knows conditional puts; yields its address."""
    port = _free_port()
    with _running([str(BIN / "moto_server"), "-H", "127.0.0.1", "-p", str(port)], port, folder) as address:
        yield address


@contextmanager
def rclone(folder: Path, access_key: str, secret_key: str) -> Iterator[str]:
    """Serve a folder by rclone, which checks keys; its folders are the buckets. Yields its address."""
    program = shutil.which("rclone", path=str(BIN)) or shutil.which("rclone")
    assert program is not None
    port = _free_port()
    keys = f"--auth-key={access_key},{secret_key}"
    command = [program, "serve", "s3", f"--addr=127.0.0.1:{port}", keys, "--config=", str(folder)]
    with _running(command, port, folder) as address:
        yield address


def make_bucket(address: str, bucket: str) -> None:
    """Make a bucket in a service that asks for no key."""
    request = urllib.request.Request(f"{address}/{bucket}", method="PUT")
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@contextmanager
def _running(command: list[str], port: int, folder: Path) -> Iterator[str]:
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder) as process:
        try:
            end = monotonic() + 60
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    assert monotonic() < end, "the service does not start"
                    assert process.poll() is None, "the service has ended"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()
