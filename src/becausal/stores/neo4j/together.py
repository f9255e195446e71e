# SPDX-License-Identifier: Apache-2.0
"""Reads that share a transaction, which spares each of them beginning and ending one of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from neo4j import Session, Transaction

T = TypeVar("T")


class _Own(threading.local):
    depth = 0
    session: Session | None = None
    transaction: Transaction | None = None
    remembered: dict[object, Any] | None = None


class SharedTransaction:
    """A transaction of each thread that has asked for one, and what it remembers. It begins with the first read."""

    def __init__(self, session: Callable[[], Session], timeout: float) -> None:
        self._session = session
        self._timeout = timeout
        self._own = _Own()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Let what this thread reads meanwhile share one."""
        self._own.depth += 1
        try:
            yield
        finally:
            self._own.depth -= 1
            if not self._own.depth:
                self.end()

    def remembered(self) -> dict[object, Any] | None:
        """Return what this thread's reads want to remember of each other, ``None`` if they do not belong together.

        It is forgotten with the transaction, so that it is never older than that.
        """
        own = self._own
        if own.depth and own.remembered is None:
            own.remembered = {}
        return own.remembered

    def read(self, work: Callable[[Transaction], T]) -> tuple[T] | None:
        """Return what a function reads, if this thread shares a transaction and nothing goes wrong in it.

        Whatever goes wrong, the reader is to ask again on its own, with the patience and the words for it.
        """
        from neo4j.exceptions import DriverError, Neo4jError

        own = self._own
        if not own.depth:
            return None
        try:
            if own.transaction is None:
                own.session = self._session()
                own.transaction = own.session.begin_transaction(timeout=self._timeout)
            return (work(own.transaction),)
        except (Neo4jError, DriverError, UnicodeEncodeError):
            self.end()
            return None

    def end(self) -> None:
        """End this thread's, so that the next read begins one that knows what has been written since."""
        from neo4j.exceptions import DriverError, Neo4jError

        session, self._own.session, self._own.transaction = self._own.session, None, None
        self._own.remembered = None
        if session is not None:
            with suppress(Neo4jError, DriverError, OSError):
                session.close()  # what was only read needs no commit
