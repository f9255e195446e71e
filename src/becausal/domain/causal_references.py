# SPDX-License-Identifier: Apache-2.0
"""What "this", "which" and "the outage" stand for: the sentence before, or the one incident of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from becausal.domain import causal_lexicon as lex
from becausal.domain.causal_clauses import Range, left_clause, right_stretch
from becausal.domain.causal_sides import Clause, content_words, is_remedial, make_clause, trim
from becausal.domain.causal_tokens import Sentence, has_finite

PREVIOUS: Final = "previous"
INCIDENT: Final = "incident"
ROOT: Final = "root"
_CAUSE_NOUNS: Final = frozenset("cause causes trigger reason culprit".split())
_POINTERS: Final = frozenset("this that it these those which all".split())


def reference(sentence: Sentence, stretch: Range) -> str | None:
    """Whether a trimmed stretch only points elsewhere: at what was said before, or at the incident."""
    words = [word for word in sentence.words[stretch[0] : stretch[1]] if word not in ("'s", "also")]
    if not words or len(words) > 5:
        return None
    if words[-1] in ("alone", "itself", "then"):
        words.pop()
    if not words:
        return None
    if words[-1] in _CAUSE_NOUNS and (words[0] in lex.DETERMINERS or "'s" in words[0] or words[0] in ("root", "both")):
        return ROOT
    if words in (["all", "of", "this"], ["all", "this"], ["all", "of", "these"], ["both", "of", "these"]):
        return PREVIOUS
    if len(words) == 1:
        return PREVIOUS if words[0] in _POINTERS else None
    if len(words) > 3:
        return None
    middle = words[1:-1]
    if words[0] in ("this", "that", "these", "those", "such") and words[-1] in lex.GENERIC_NOUNS:
        return PREVIOUS
    if words[0] in ("the", "our") and words[-1] in lex.INCIDENT_NOUNS and all(w in lex.INCIDENT_MODIFIERS for w in middle):
        return INCIDENT
    return None


def main_clause(text: str, sentence: Sentence) -> Clause | None:
    """The main clause of a sentence that states no link itself; ``None`` if there is nothing in it."""
    words = sentence.words
    end = len(words)
    while end and words[end - 1] in (".", "!", "?"):
        end -= 1
    begin = 0
    for at, word in enumerate(words[: min(end, 8)]):
        if word == ":" or word == "|":
            begin = at + 1
    start, _ = left_clause(sentence, end, begin, subject=False)
    first = trim(sentence, (begin, end))[0]
    if has_finite(words, first, start):
        start = first
    start = _front_stripped(sentence, first, end)
    stop = right_stretch(sentence, start, end, phrase=False)
    stretch = trim(sentence, (start, stop))
    if stretch[0] >= stretch[1] or content_words(sentence, stretch) == 0:
        return None
    return make_clause(text, sentence, stretch)


def _front_stripped(sentence: Sentence, first: int, end: int) -> int:
    from becausal.domain.causal_clauses import strip_front

    return strip_front(sentence, first, end)[0]


@dataclass(slots=True)
class Discourse:
    """What has been said so far, as far as a later sentence can point at it."""

    text: str
    previous: Clause | None = None
    title: Clause | None = None
    incident: Clause | None = None
    first_trouble: Clause | None = None

    def resolve(self, kind: str, mention: Clause | None) -> Clause | None:
        """The clause a reference stands for.

        "This" is the sentence before. "The outage" is one clause for the whole document: the sentence
        before if that tells of trouble in the same paragraph, else the first that did (always the first
        for "the root cause"); if nobody described the incident, its first mention stands for it.
        """
        if kind == PREVIOUS:
            return self.previous
        if self.incident is None:
            near = self.previous if kind == INCIDENT else None
            if near is not None and not (is_trouble(near.text) and self._same_paragraph(near, mention)):
                near = None
            self.incident = near or self.first_trouble or self.previous or self.title or mention
        return self.incident

    def _same_paragraph(self, clause: Clause, mention: Clause | None) -> bool:
        return mention is None or "\n\n" not in self.text[clause.end : mention.start]

    def note(self, gist: Clause | None, told: Clause | None) -> None:
        """Remember a sentence: ``gist`` is what "this" would mean after it, ``told`` its main clause."""
        self.previous = gist or told or self.previous
        if self.first_trouble is None:
            for clause in (gist, told):
                if clause is not None and is_trouble(clause.text):
                    self.first_trouble = clause
                    break


def is_trouble(text: str) -> bool:
    """Whether a clause tells that something went wrong and is not about putting it right."""
    words = text.lower().split()
    return not is_remedial(text) and any(word.strip(".,;:()") in _TROUBLES for word in words)


_TROUBLES: Final = lex.TROUBLE | lex.INCIDENT_NOUNS | frozenset("down slow delayed delay delays affected impacted impact".split())
