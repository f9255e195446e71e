# SPDX-License-Identifier: Apache-2.0
"""Who does something may be told by what they are: she who conducts is the conductor, and the other way round."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..domain.causal.verbs import VERB_FORMS
from ..domain.text import stem
from .evidence import either

SHORTEST = 3
"""Letters of a verb from which a noun for its doer is made."""

_AUXILIARY = "is|was|are|were|has|have|had|been|being|will|would|can|could|does|did|do|may|must|should|now|also"
_SLACK = rf"(?:(?:{_AUXILIARY}|\w+ly)\s+)"
_DOES = re.compile(rf"\bwho(?:'s|’s)?\s+{_SLACK}*(?P<verb>[a-z]{{3,}})\b", re.IGNORECASE)
_IS = re.compile(
    r"\bwho(?:'s|’s|\s+(?:is|was|are|were|became|becomes|has been|will be))\s+(?:now\s+|currently\s+)?"
    r"(?:the|a|an|our|their|my|your|his|her|its)\s+(?:[\w'’-]+\s+){0,3}?(?P<noun>[a-z]{3,}(?:er|or)s?)\b",
    re.IGNORECASE,
)


def doers(question: str) -> Mapping[str, str]:
    """Return for the word by which a question asks who does something the key that also counts the word for the doer.

    >>> "conductor" in doers("Who conducts the choir?")["conduct"].split("|")
    True
    >>> "conduct" in doers("Who is the conductor of the choir?")["conductor"].split("|")
    True
    """
    if (found := _IS.search(question)) is not None:
        noun = stem(found["noun"].casefold())
        return {noun: either(noun, *_verbs(noun))}
    if (found := _DOES.search(question)) is not None:
        verb = found["verb"].casefold()
        base, _ = VERB_FORMS.get(verb, (verb, None))
        if len(base) >= SHORTEST:
            return {stem(verb): either(stem(verb), stem(base), *_nouns(stem(base)))}
    return {}


def _nouns(verb: str) -> list[str]:
    """Return the stems that nouns for the doer may have, by that of the verb: an "e" goes, a last letter may double."""
    bare = verb.removesuffix("e")
    return [stem(root + ending) for ending in ("er", "or") for root in (bare, bare + bare[-1:])]


def _verbs(noun: str) -> list[str]:
    """Return the stems that the verb may have, by that of the noun for its doer."""
    root = noun[:-2] if noun.endswith(("er", "or")) else noun
    undoubled = [root[:-1]] if len(root) > SHORTEST and root[-1] == root[-2] else []
    return [stem(each) for each in (root, root + "e", *undoubled) if len(each) >= SHORTEST]
