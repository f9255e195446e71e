# SPDX-License-Identifier: Apache-2.0
"""What is said of one setting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One environment variable.

    ``field`` is its name in ``Settings`` and as a keyword; ``origin`` the systems that introduced it.
    ``allowed`` completes the sentence "use …". ``waits_for`` names the feature without which the variable would
    do nothing: it is then refused.
    """

    variable: str
    field: str
    origin: tuple[str, ...]
    meaning: str
    default: str = ""
    allowed: str = ""
    choices: tuple[str, ...] = ()
    waits_for: str | None = None

    @property
    def not_part(self) -> str:
        """Why the variable is refused, as a sentence without its end."""
        feature = self.waits_for or self.variable
        return f"{feature} {'are' if feature.endswith('s') else 'is'} not part of this version"


def works(
    variable: str,
    field: str,
    origin: str,
    meaning: str,
    *,
    default: str = "",
    allowed: str = "",
    choices: tuple[str, ...] = (),
) -> Row:
    return Row(
        variable=variable,
        field=field,
        origin=tuple(origin.split()),
        meaning=meaning,
        default=default,
        allowed=allowed or one_of(choices),
        choices=choices,
    )


def waits(variable: str, origin: str, feature: str, meaning: str) -> Row:
    return Row(
        variable=variable, field=variable.lower(), origin=tuple(origin.split()), meaning=meaning, waits_for=feature
    )


def one_of(values: Sequence[str]) -> str:
    """Return ``a``, ``a or b``, ``a, b or c``."""
    return " or ".join(part for part in (", ".join(values[:-1]), *values[-1:]) if part)
