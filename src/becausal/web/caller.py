# SPDX-License-Identifier: Apache-2.0
"""Whose request is being worked on."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from starlette.types import Scope

from .logins import Login
from .tokens import Token


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody with a token: sent along as ``Authorization: Bearer``, or given when a browser logged in."""

    token: Token
    login: Login | None = None

    @property
    def user(self) -> str:
        return self.token.user


current_user: ContextVar[str] = ContextVar("becausal_user")
"""The user of the request at hand. It has no default: without a caller there is no memory to work on."""

_KEY = "becausal.caller"


def set_caller(scope: Scope, caller: Caller) -> None:
    scope[_KEY] = caller


def caller_of(scope: Scope) -> Caller:
    """Return who sent a request that the guard let through."""
    caller: Caller = scope[_KEY]
    return caller


def caller_if_any(scope: Scope) -> Caller | None:
    caller: Caller | None = scope.get(_KEY)
    return caller
