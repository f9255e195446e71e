# SPDX-License-Identifier: Apache-2.0
"""Where a page ended, as a text that a caller hands back."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import datetime
from typing import cast

from ..errors import InvalidInput
from ..ports.store import Cursor
from . import validate


def written(cursor: Cursor) -> str:
    """Return a place in an order by time as text."""
    state = [cast(datetime, cursor.value).isoformat(), cursor.id]
    return base64.urlsafe_b64encode(json.dumps(state).encode()).decode()


def read(text: str) -> Cursor:
    """Return what ``written`` was given.

    Raises:
        InvalidInput: the text was not written by it.
    """
    try:
        at, id = json.loads(base64.urlsafe_b64decode(validate.identifier(text, "cursor")))
        moment = datetime.fromisoformat(at)
    except (ValueError, TypeError, binascii.Error):
        raise InvalidInput("cursor", "must be the 'next' of an earlier answer") from None
    if moment.tzinfo is None:
        raise InvalidInput("cursor", "must be the 'next' of an earlier answer")
    return Cursor(moment, str(id))
