# SPDX-License-Identifier: Apache-2.0
"""What a caller says outright beside a text: entities, causes and facts, checked and made ready to be kept."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any, cast

from ...domain.records import Json
from ...domain.time import parse_when
from ...errors import InvalidInput
from .. import validate

MAX_ITEMS = 64
MAX_DESCRIPTION = 2_000


def told(entities: object, causes: object, facts: object, *, zone: tzinfo, anchor: datetime) -> Mapping[str, Json]:
    """Return the entities, causes and facts given with a text, as JSON that can be read again.

    Raises:
        InvalidInput: naming the item and what it must have.
    """
    given = {
        "entities": [_entity(item, f"entities[{at}]") for at, item in enumerate(_items(entities, "entities"))],
        "causes": [_cause(item, f"causes[{at}]") for at, item in enumerate(_items(causes, "causes"))],
        "facts": [_fact(item, f"facts[{at}]", zone, anchor) for at, item in enumerate(_items(facts, "facts"))],
    }
    return cast("Mapping[str, Json]", {name: items for name, items in given.items() if items})


def _items(value: object, field: str) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        raise InvalidInput(field, "must be a list")
    if len(value) > MAX_ITEMS:
        raise InvalidInput(field, f"must be at most {MAX_ITEMS}, got {len(value)}")
    return value


def _object(item: object, field: str, known: Sequence[str], required: Sequence[str]) -> Mapping[str, Any]:
    if not isinstance(item, Mapping):
        raise InvalidInput(field, f"must be an object with {', '.join(required)}")
    for name in item:
        if name not in known:
            raise InvalidInput(f"{field}.{name}", f"is not known; it must be one of {', '.join(known)}")
    for name in required:
        if name not in item:
            raise InvalidInput(f"{field}.{name}", "is required")
    return item


def _text(item: Mapping[str, Any], name: str, field: str, longest: int = validate.MAX_NAME) -> str:
    return validate.text(item[name], f"{field}.{name}", longest=longest).strip()


def _entity(item: object, field: str) -> Json:
    if isinstance(item, str):
        return {"name": validate.text(item, field, longest=validate.MAX_NAME).strip(), "type": "thing"}
    given = _object(item, field, ("name", "type"), ("name",))
    return {"name": _text(given, "name", field), "type": _text(given, "type", field) if "type" in given else "thing"}


def _cause(item: object, field: str) -> Json:
    given = _object(item, field, ("cause", "effect", "confidence"), ("cause", "effect"))
    sure = given.get("confidence", 1.0)
    if isinstance(sure, bool) or not isinstance(sure, int | float) or not 0 < sure <= 1 or math.isnan(sure):
        raise InvalidInput(f"{field}.confidence", f"must be a number above 0, up to 1, got {sure!r}")
    return {
        "cause": _text(given, "cause", field, MAX_DESCRIPTION),
        "effect": _text(given, "effect", field, MAX_DESCRIPTION),
        "confidence": float(sure),
    }


def _fact(item: object, field: str, zone: tzinfo, anchor: datetime) -> Json:
    names = ("subject", "predicate", "object", "valid_from", "valid_to", "single_valued")
    given = _object(item, field, names, names[:3])
    kept: dict[str, Json] = {name: _text(given, name, field, MAX_DESCRIPTION) for name in names[:3]}
    for name in ("valid_from", "valid_to"):
        if given.get(name):
            when = parse_when(given[name], field=f"{field}.{name}", zone=zone, anchor=anchor)
            kept[name] = when.start.isoformat()
    if "valid_from" in kept and "valid_to" in kept and str(kept["valid_to"]) < str(kept["valid_from"]):
        raise InvalidInput(f"{field}.valid_to", "must not be before valid_from")
    if given.get("single_valued") is not None:
        if not isinstance(given["single_valued"], bool):
            raise InvalidInput(f"{field}.single_valued", "must be true or false")
        kept["single_valued"] = given["single_valued"]
    return kept
