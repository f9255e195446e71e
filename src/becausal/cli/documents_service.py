# SPDX-License-Identifier: Apache-2.0
"""Tokens as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..web.tokens import Token


def token(token: Token) -> dict[str, Any]:
    return {"id": token.id, "user": token.user, "created_at": token.created_at.isoformat(), "note": token.note}
