# SPDX-License-Identifier: Apache-2.0
"""What a single token looks like: a word, a name, or one of many kinds of identifier."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from . import vocabulary as words


class Shape(Enum):
    LOWER = "lower"  # a word, also one joined by hyphens
    CAPITAL = "capital"  # Name, O'Brien, Jean-Luc
    UPPER = "upper"  # ACRONYM
    IDENTIFIER = "identifier"  # names something by its form: an address, a path, a version, code
    NUMBER = "number"  # also dates and times
    RUN = "run"  # of a script without spaces
    MARK = "mark"


_CUT = re.compile(r"['’](?:[sS]|ll|ve|re|d|m|LL|VE|RE|D|M)$")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TICKET = re.compile(r"([A-Z][A-Z0-9]{0,11})-\d{1,9}(?:-\d{1,9})?")
_VERSION = re.compile(
    r"v\d+(?:\.\d+)*(?:-?(?:alpha|beta|rc|dev)[.\d]*)?|\d+\.\d+\.\d+(?:-?(?:alpha|beta|rc|dev)[.\d]*)?"
)
_ADDRESS = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|/\d{1,2})?")
_NUMBER = re.compile(r"\d[\d.,:/_+-]*(?:[TtZ][\d:.+-]*[zZ]?)?|\d+(?:st|nd|rd|th|am|pm|AM|PM|s|m|h|ms|k|K|M|x)?")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_SCOTS = re.compile(r"(?:Mc|Mac|De|Le|La|Di|Fitz|Van)[A-Z][a-z]+")
_CODE_ENDS = (
    *("Exception", "Error", "Controller", "Manager", "Factory", "Handler", "Client", "Provider", "Repository"),
    *("Request", "Response", "Builder", "Listener", "Adapter", "Config", "Impl", "Test"),
)
_SNAKE = re.compile(r"\w*[^\W_]_+[^\W_]\w*")
_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.)+([A-Za-z]+)(?::\d{1,5})?")
_JOINTS = re.compile(r"[-'’&+]")
_LONGEST = 80  # characters of a token that are looked at; a longer one is no name


@lru_cache(maxsize=1 << 14)
def _classify(token: str) -> tuple[Shape, str, str]:
    if token.isalpha():
        product = "product" if token.casefold() in words.PRODUCTS else ""
        return _word(token), token, "code" if _is_code(token) else product
    if token.startswith(("http://", "https://")):
        return Shape.IDENTIFIER, token.rstrip(".,;:!?)]}*_"), "url"
    if cut := _CUT.search(token):
        shape, clean, entity_type = _classify(token[: cut.start()])
        return shape, clean, entity_type
    if token[0].isdigit() or (token[0] in "vV" and token[1:2].isdigit()):
        return _numeric(token)
    if "@" in token:
        if token[0] == "@":
            return Shape.IDENTIFIER, token, "person"
        return (Shape.IDENTIFIER, token, "email") if _EMAIL.fullmatch(token) else (Shape.LOWER, token, "")
    if token[0] == "#":
        return (Shape.IDENTIFIER, token, "reference") if token[1:].isdigit() else (Shape.LOWER, token, "")
    if ticket := _TICKET.fullmatch(token):
        if ticket[1].casefold() in words.NOT_TICKETS:
            return Shape.UPPER, token, ""
        return Shape.IDENTIFIER, token, "reference"
    if "/" in token or "\\" in token:
        return _slashed(token)
    if "." in token:
        return _dotted(token)
    if token.endswith("_"):
        return _classify(token.rstrip("_"))
    if "_" in token:
        return (Shape.IDENTIFIER, token, "code") if _SNAKE.fullmatch(token) else (Shape.LOWER, token, "")
    if ":" in token:
        return (Shape.IDENTIFIER, token, "code") if "::" in token else (Shape.LOWER, token, "")
    return _joined(token)


def classify(token: str) -> tuple[Shape, str, str]:
    """Return the shape of a token, the token without a possessive, and what kind of entity its form makes it.

    The kind is ``""`` where the form alone does not make it one.
    """
    if len(token) > _LONGEST:
        if token.startswith(("http://", "https://")):
            return Shape.IDENTIFIER, token.rstrip(".,;:!?)]}*_"), "url"
        return Shape.NUMBER, token, ""
    return _classify(token)


def _word(token: str) -> Shape:
    if token.islower() or not token[0].isupper():
        return Shape.IDENTIFIER if _is_code(token) or token.casefold() in words.PRODUCTS else Shape.LOWER
    if len(token) == 1:
        return Shape.CAPITAL
    if token.isupper():
        return Shape.UPPER
    return Shape.IDENTIFIER if _is_code(token) else Shape.CAPITAL


def _is_code(token: str) -> bool:
    if token.islower() or token.istitle() or not token.isascii() or not _CAMEL.search(token):
        return False
    if token[0].islower():
        return len(token) > 3 and not (token[0] in "ie" and token[1].isupper())  # iPhone, eBay
    return token.endswith(_CODE_ENDS) and not _SCOTS.fullmatch(token)


def _numeric(token: str) -> tuple[Shape, str, str]:
    if _ADDRESS.fullmatch(token):
        return Shape.IDENTIFIER, token, "host"
    if _VERSION.fullmatch(token):
        return Shape.IDENTIFIER, token, "version"
    if _NUMBER.fullmatch(token):
        return Shape.NUMBER, token, ""
    if "." in token and token.rpartition(".")[2].lower() in words.EXTENSIONS:
        return Shape.IDENTIFIER, token, "artifact"
    return Shape.LOWER, token, ""


def _slashed(token: str) -> tuple[Shape, str, str]:
    parts = [part for part in re.split(r"[/\\]", token) if part]
    last = parts[-1].rpartition(".")
    known = last[1] != "" and last[2].lower() in words.EXTENSIONS
    rooted = token[0] in "/~." or token[1:3] == ":\\"
    deep = len(parts) > 2 and all(part.lower() not in words.COMMON for part in parts[:2])
    if known or (rooted and len(parts) > 1) or (deep and token.islower()):
        return Shape.IDENTIFIER, token, "artifact"
    return Shape.LOWER, token, ""


def _dotted(token: str) -> tuple[Shape, str, str]:
    ending = token.rpartition(".")[2].lower()
    bare = token.replace(".", "")
    if len(bare) * 2 - 1 == len(token) and bare.isalpha():  # initials
        return (Shape.UPPER if bare.isupper() and len(bare) > 1 else Shape.LOWER), token, ""
    if (host := _HOST.fullmatch(token)) and host[1] in words.TOP_DOMAINS:
        return Shape.IDENTIFIER, token, "host"
    if ending in words.EXTENSIONS:
        return Shape.IDENTIFIER, token, "artifact"
    if "_" in token or _CAMEL.search(token):
        return Shape.IDENTIFIER, token, "code"
    return Shape.LOWER, token, ""


def _joined(token: str) -> tuple[Shape, str, str]:
    """Words joined by hyphens and the like: a compound, a name, or an identifier such as ``api-gateway``."""
    parts = [part for part in _JOINTS.split(token) if part]
    lower = [part.casefold() for part in parts]
    if token.islower() and "-" in token:
        if lower[0] not in words.COMPOUND_STARTS and not lower[0].endswith("ly"):
            if lower[-1] in words.SERVICE_WORDS:
                return Shape.IDENTIFIER, token, "service"
            if len(parts) > 2 and parts[-1].isdigit():  # us-east-1
                return Shape.IDENTIFIER, token, "code"
        return Shape.LOWER, token, ""
    if len(parts) > 1 and parts[0].isupper() and (parts[-1].isdigit() or all(part.isupper() for part in parts)):
        return Shape.UPPER, token, ""
    if parts[0][:1].isupper() and all(part[0].isupper() or part[0].isdigit() for part in parts):
        return Shape.CAPITAL, token, ""
    if parts[0].isupper() and any(letter.isdigit() for letter in token):  # EC2, IPv4
        return Shape.UPPER, token, ""
    if token.casefold() in words.PRODUCTS:
        return Shape.IDENTIFIER, token, ""
    if len(parts) == 1 and token[0].isupper() and token.isalnum():
        return (Shape.UPPER if token.isupper() else Shape.CAPITAL), token, ""
    return Shape.LOWER, token, ""
