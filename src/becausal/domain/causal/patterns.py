# SPDX-License-Identifier: Apache-2.0
"""The connectives: which words join a cause to its effect, which way round, and how far each is to be trusted.

Strengths start from measured precision of marked pairs in three public corpora of causal English
(SemEval-2010 task 8, AltLex, BECAUSE), rounded; what is rare there is set by its nearest relative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from .verbs import forms_of


class Frame(Enum):
    """How the two sides lie around a connective."""

    ACTIVE = auto()  # cause VERB effect
    PASSIVE = auto()  # effect PARTICIPLE by cause; also: effect VERB from cause
    CLAUSE = auto()  # effect BECAUSE clause; or in front of it
    PHRASE = auto()  # effect DUE TO noun phrase; or in front of it
    ADVERB = auto()  # cause; THEREFORE effect
    CAUSE_NOUN = auto()  # cause is the CAUSE OF effect; the CAUSE OF effect is cause
    RESULT_NOUN = auto()  # effect is the RESULT OF cause; the RESULT (of cause) is effect
    BLAME = auto()  # BLAMED effect on cause
    CREDIT = auto()  # BLAMED cause for effect
    LABEL = auto()  # ROOT CAUSE: cause
    ARROW = auto()  # cause → effect


Tail = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """One connective. ``tails`` are the words that must follow its head; an empty tail asks for nothing.

    ``keep`` says that the effect begins with the connective itself, as in "took down the site".
    ``guard`` names an extra condition on the words around it.
    """

    name: str
    frame: Frame
    strength: float
    tails: tuple[Tail, ...] = ((),)
    keep: bool = False
    guard: str = ""

    @property
    def bare(self) -> bool:
        """Whether the guard has looked at what stands before, so that no verb group is read there."""
        return self.guard in _BARE


_BARE: Final = frozenset({"trouble", "happening", "outcome from", "since", "given", "verdict"})


@dataclass(slots=True, kw_only=True)
class Connective:
    """A connective found in a sentence: ``start`` … ``end`` are word positions, with its verb group.

    ``inner`` is the side that lies between its parts ("the cause of X was"). ``relative`` is the relative
    pronoun that is its subject. ``reduced`` marks a participle or preposition without a verb "to be",
    ``participle`` a gerund or participle used as an adjunct. ``swapped`` is a noun frame whose noun is the
    subject ("the cause of X was Y").
    """

    pattern: Pattern
    start: int
    head: int
    end: int
    negated: bool = False
    hedged: bool = False
    participle: bool = False
    reduced: bool = False
    relative: str = ""
    inner: tuple[int, int] | None = None
    swapped: bool = False


TRIGGERS: Final[dict[str, list[Pattern]]] = {}


def _add(heads: Iterable[str], pattern: Pattern) -> None:
    for head in heads:
        TRIGGERS.setdefault(head, []).append(pattern)


def _tails(text: str) -> tuple[Tail, ...]:
    return tuple(tuple(part.split()) for part in text.split("|"))


# name, verb, tails, strength, keep, guard
_ACTIVE: Final[tuple[tuple[str, str, str, float, bool, str], ...]] = (
    ("cause", "cause", "", 0.93, False, ""),
    ("lead to", "lead", "to", 0.88, False, ""),
    ("lead (somebody) to", "lead", "", 0.75, False, "object infinitive"),
    ("result in", "result", "in", 0.92, False, ""),
    ("trigger", "trigger", "", 0.91, False, ""),
    ("induce", "induce", "", 0.9, False, ""),
    ("spark", "spark", "", 0.9, False, ""),
    ("provoke", "provoke", "", 0.86, False, ""),
    ("activate", "activate", "", 0.6, False, "object"),
    ("precipitate", "precipitate", "", 0.85, False, ""),
    ("bring about", "bring", "about|on", 0.91, False, ""),
    ("give rise to", "give", "rise to", 0.9, False, ""),
    ("contribute to", "contribute", "to", 0.72, False, ""),
    ("culminate in", "culminate", "in", 0.7, False, ""),
    ("manifest as", "manifest", "as|itself as|itself in|themselves as|themselves in", 0.6, False, ""),
    ("prompt", "prompt", "", 0.8, False, ""),
    ("force", "force", "", 0.78, False, ""),
    ("compel", "compel", "", 0.75, False, "object infinitive"),
    ("set off", "set", "off", 0.72, False, "object"),
    ("spur", "spur", "", 0.75, False, ""),
    ("engender", "engender", "", 0.85, False, ""),
    ("fuel", "fuel", "", 0.6, False, "no noun"),
    ("instigate", "instigate", "", 0.7, False, ""),
    ("end in", "end", "up in|in", 0.4, False, "outcome"),
    ("mean that", "mean", "that", 0.72, False, "no person"),
    ("mean", "mean", "", 0.6, False, "which mean"),
    ("explain", "explain", "why", 0.7, False, "no person"),
    ("make", "make", "", 0.62, False, "object complement"),
    ("leave", "leave", "", 0.55, False, "leaving"),
    ("render", "render", "", 0.62, False, "object complement"),
    ("allow", "allow", "", 0.55, False, "object infinitive"),
    ("enable", "enable", "", 0.55, False, "object infinitive"),
    ("encourage", "encourage", "", 0.55, False, "object infinitive"),
    ("ensure", "ensure", "", 0.5, False, "no person"),
    ("help", "help", "", 0.45, False, "help"),
    ("prevent", "prevent", "", 0.6, True, "no noun"),
    ("take down", "take", "down|offline|out", 0.6, True, "no person"),
    ("bring down", "bring", "down|offline", 0.6, True, "no person"),
    ("knock out", "knock", "out|offline", 0.6, True, "no person"),
    ("bring (something) down", "bring", "", 0.6, False, "object down"),
    ("take (something) down", "take", "", 0.6, False, "object down"),
    ("knock (something) out", "knock", "", 0.6, False, "object down"),
    ("put (something) out of action", "put", "", 0.6, False, "object down"),
    ("wipe out", "wipe", "out", 0.55, True, ""),
    ("make outcome", "make", "", 0.5, False, "outcome"),
    ("produce", "produce", "", 0.5, False, "outcome"),
    ("emit", "emit", "", 0.5, False, "outcome"),
    ("radiate", "radiate", "", 0.5, False, "outcome"),
    ("generate", "generate", "", 0.5, False, "outcome"),
    ("create", "create", "", 0.5, False, "outcome"),
    ("overwhelm", "overwhelm", "", 0.55, True, ""),
    ("disrupt", "disrupt", "", 0.55, True, ""),
    ("push", "push", "", 0.55, True, "push"),
    ("flood", "flood", "", 0.5, True, "object"),
    ("jam", "jam", "", 0.5, True, "object"),
    ("ruin", "ruin", "", 0.5, True, "object"),
    ("cripple", "cripple", "", 0.55, True, ""),
    ("exacerbate", "exacerbate", "", 0.55, True, ""),
    *(
        (verb, verb, "", 0.55, True, "thing")
        for verb in (
            "stall saturate overload exhaust block crash corrupt freeze disable degrade drain deplete "
            "halt consume overwrite delete interrupt paralyse paralyze swamp thwart hinder impede undermine weaken "
            "erode jeopardize revert wipe evict throttle starve truncate invalidate sever strand choke"
        ).split()
    ),
)
# name, participle(s), tails, strength, keep, guard
_PASSIVE: Final[tuple[tuple[str, str, str, float, bool, str], ...]] = (
    ("caused by", "caused", "by|when|due to|because of", 0.95, False, ""),
    ("triggered by", "triggered", "by|when|during", 0.91, False, ""),
    ("induced by", "induced", "by", 0.9, False, ""),
    ("sparked by", "sparked", "by", 0.9, False, ""),
    ("provoked by", "provoked precipitated occasioned", "by", 0.86, False, ""),
    ("brought about by", "brought", "about by|on by", 0.91, False, ""),
    ("prompted by", "prompted", "by", 0.8, False, ""),
    ("set off by", "set", "off by", 0.8, False, ""),
    ("started by", "started", "by", 0.7, False, "outcome left"),
    (
        "made possible by",
        "made",
        "possible by|impossible by|necessary by|difficult by|easier by|worse by",
        0.8,
        False,
        "",
    ),
    ("forced by", "forced necessitated", "by", 0.65, False, ""),
    ("fuelled by", "fuelled fueled driven", "by", 0.55, False, ""),
    ("attributed to", "attributed attributable traced", "to|back to", 0.68, False, ""),
    ("blamed on", "blamed", "on", 0.72, False, ""),
    ("explained by", "explained", "by", 0.55, False, ""),
    ("rooted in", "rooted", "in", 0.5, False, ""),
    ("generated by", "generated", "by", 0.55, False, ""),
    ("created by", "created", "by", 0.5, False, "outcome left"),
    ("produced by", "produced", "by", 0.5, False, "outcome left"),
    ("introduced by", "introduced", "by", 0.5, False, "outcome left"),
    ("introduced with", "introduced", "in|during|with|through|by|as part of", 0.6, False, "introduced"),
    (
        "harmed by",
        "disrupted delayed damaged destroyed killed overwhelmed crippled interrupted halted slowed hampered corrupted "
        "exacerbated worsened compounded injured disabled blocked overloaded exhausted saturated stalled paralysed "
        "paralyzed flooded swamped",
        "by",
        0.55,
        True,
        "be",
    ),
)
_FROM: Final[tuple[tuple[str, str, str, float, str], ...]] = (
    ("result from", "result", "from", 0.9, ""),
    ("stem from", "stem", "from", 0.82, ""),
    ("arise from", "arise", "from|out of|because", 0.75, ""),
    ("ensue from", "ensue", "from", 0.7, ""),
    ("come from", "come", "from", 0.5, "outcome left"),
    ("originate from", "originate", "from|in", 0.5, "outcome left"),
    ("emanate from", "emanate radiate", "from", 0.5, "outcome left"),
    ("began when", "start begin commence occur happen arise", "when|after|with|from|as", 0.7, "began"),
    ("die from", "die collapse faint suffocate drown", "from|of", 0.6, "keep"),
    ("suffer from", "suffer benefit", "from", 0.6, "keep"),
    ("hurt from", "hurt ache", "from", 0.7, "keep hurting"),
    ("occur because of", "happen occur", "due to|because of|as a result of", 0.85, ""),
)
# name, head, tails, frame, strength, guard
_WORDS: Final[tuple[tuple[str, str, str, Frame, float, str], ...]] = (
    ("because of", "because", "of", Frame.PHRASE, 0.94, ""),
    ("because", "because", "", Frame.CLAUSE, 0.94, "because"),
    ("due to", "due", "to", Frame.PHRASE, 0.91, "due"),
    ("owing to", "owing", "to", Frame.PHRASE, 0.82, ""),
    ("thanks to", "thanks", "to", Frame.PHRASE, 0.85, ""),
    (
        "as a result of",
        "as",
        "a result of|a direct result of|the result of|a consequence of|a direct consequence of|"
        "a direct or indirect result of|a side effect of|a by-product of",
        Frame.PHRASE,
        0.92,
        "",
    ),
    ("as a result", "as", "a result|a direct result|a consequence", Frame.ADVERB, 0.85, ""),
    (
        "on account of",
        "on",
        "account of|the grounds that|the ground that|the grounds of|the ground of|grounds of|grounds that",
        Frame.PHRASE,
        0.85,
        "",
    ),
    ("by virtue of", "by", "virtue of|reason of", Frame.PHRASE, 0.75, ""),
    ("in the wake of", "in", "the wake of|the aftermath of", Frame.PHRASE, 0.5, ""),
    ("in response to", "in", "response to|reaction to", Frame.PHRASE, 0.5, ""),
    ("in anticipation of", "in", "anticipation of", Frame.PHRASE, 0.5, ""),
    ("in light of", "in", "light of|view of|recognition of", Frame.PHRASE, 0.6, ""),
    ("from", "from", "", Frame.PHRASE, 0.72, "outcome from"),
    ("for (verdict)", "for", "", Frame.PHRASE, 0.72, "verdict"),
    ("following", "following", "", Frame.PHRASE, 0.5, "happening"),
    ("after happening", "after", "", Frame.PHRASE, 0.5, "happening"),
    ("after", "after", "", Frame.CLAUSE, 0.5, "trouble"),
    ("when", "when", "", Frame.CLAUSE, 0.5, "trouble"),
    ("since", "since", "", Frame.CLAUSE, 0.6, "since"),
    ("as", "as", "", Frame.CLAUSE, 0.6, "as"),
    ("given", "given", "that", Frame.CLAUSE, 0.7, ""),
    ("given", "given", "", Frame.PHRASE, 0.6, "given"),
    ("now that", "now", "that", Frame.CLAUSE, 0.7, ""),
    ("in that", "seeing", "that|as", Frame.CLAUSE, 0.7, ""),
    ("so that", "so", "that", Frame.ADVERB, 0.62, ""),
    ("so … that", "so", "", Frame.ADVERB, 0.7, "degree"),
    ("so … that", "such", "a|an", Frame.ADVERB, 0.7, ""),
    ("so", "so", "", Frame.ADVERB, 0.86, "so"),
    ("therefore", "therefore", "", Frame.ADVERB, 0.82, ""),
    ("hence", "hence", "", Frame.ADVERB, 0.72, "hence"),
    ("thus", "thus", "", Frame.ADVERB, 0.65, "thus"),
    ("thereby", "thereby", "", Frame.ADVERB, 0.65, "gerund"),
    ("consequently", "consequently", "", Frame.ADVERB, 0.8, ""),
    ("accordingly", "accordingly", "", Frame.ADVERB, 0.65, ""),
    ("for this reason", "for", "this reason|that reason|these reasons|those reasons", Frame.ADVERB, 0.8, ""),
    ("with the result that", "with", "the result that", Frame.ADVERB, 0.88, ""),
    ("is why", "why", "", Frame.ADVERB, 0.9, ""),
    ("label", "cause causes reason trigger", "", Frame.LABEL, 0.88, ""),
    ("cause noun", "cause causes culprit", "", Frame.CAUSE_NOUN, 0.94, ""),
    ("core issue", "issue problem fault flaw error", "", Frame.CAUSE_NOUN, 0.8, "core"),
    ("factor", "factor factors", "", Frame.CAUSE_NOUN, 0.75, "core"),
    ("reason", "reason reasons", "", Frame.CAUSE_NOUN, 0.88, ""),
    ("responsible for", "responsible", "", Frame.CAUSE_NOUN, 0.7, "eventful"),
    ("vital for", "vital critical essential crucial", "", Frame.CAUSE_NOUN, 0.28, "condition"),
    ("source", "source", "", Frame.CAUSE_NOUN, 0.55, "outcome"),
    ("result noun", "result consequence outcome product byproduct upshot", "", Frame.RESULT_NOUN, 0.8, ""),
    (
        "blame on",
        "blame blames blamed blaming attribute attributes attributed attributing pin pinned traced",
        "",
        Frame.BLAME,
        0.72,
        "",
    ),
    ("blame for", "blame blames blamed blaming", "", Frame.CREDIT, 0.72, ""),
    ("considered", "consider considers considered deem deemed", "", Frame.CREDIT, 0.75, ""),
    ("arrow", "-> => → ⇒ ⟶ --> ==>", "", Frame.ARROW, 0.75, ""),
)


def _build() -> None:
    for name, words, tails, strength, keep, guard in _PASSIVE:
        _add(
            words.split(),
            Pattern(name=name, frame=Frame.PASSIVE, strength=strength, tails=_tails(tails), keep=keep, guard=guard),
        )
    for name, verbs, tails, strength, guard in _FROM:
        heads = [form for verb in verbs.split() for form in forms_of(verb)]
        _add(
            heads,
            Pattern(
                name=name,
                frame=Frame.PASSIVE,
                strength=strength,
                tails=_tails(tails),
                guard=guard,
                keep=guard.startswith("keep"),
            ),
        )
    for name, head, tails, frame, strength, guard in _WORDS:
        _add(head.split(), Pattern(name=name, frame=frame, strength=strength, tails=_tails(tails), guard=guard))
    for name, verb, tails, strength, keep, guard in _ACTIVE:
        _add(
            forms_of(verb),
            Pattern(name=name, frame=Frame.ACTIVE, strength=strength, tails=_tails(tails), keep=keep, guard=guard),
        )


_build()
