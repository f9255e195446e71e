# SPDX-License-Identifier: Apache-2.0
"""HTML in what is told: its tags are read over, and everything else stays where it is."""

from __future__ import annotations

import re

_BLOCKS = (
    "address article aside blockquote body br center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 "
    "h5 h6 head header hr html li main nav ol p pre section table tbody td tfoot th thead title tr ul"
)
_INLINE = (
    "a abbr b bdi bdo big cite code del details dfn em font i ins kbd label mark q s samp small span strike strong sub "
    "summary sup time tt u var wbr"
)
_TAG = re.compile(
    rf"</?(?:({'|'.join(_BLOCKS.split())})|{'|'.join(_INLINE.split())})(?:\s[^<>]{{0,2000}})?/?>", re.IGNORECASE
)


def without_tags(text: str) -> str:
    """Return a text of the same length with blanks in place of HTML tags; one between blocks begins a new line.

    Only elements that hold text count: "List<String>" is no HTML, and neither is "x < y".
    """
    return _TAG.sub(_blank, text) if "<" in text else text


def _blank(tag: re.Match[str]) -> str:
    length = tag.end() - tag.start()
    return "\n" + " " * (length - 1) if tag[1] else " " * length
