# SPDX-License-Identifier: Apache-2.0
"""From the connectives of one sentence to its links: what is denied, doubted or merely supposed is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from . import lexicon as lex
from .building import Builder
from .clauses import HARD, Range, left_noun_phrase, skip_openers, strip_front
from .connectives import find_connectives
from .identity import names_what_happened
from .lexicon import word_set
from .needs import asked_for, enabled, needed_for
from .patterns import Connective, Frame
from .pointers import DEMONSTRATIVES, is_hollow, names_the_incident, past_denial
from .references import Discourse, Reference, is_trouble, main_clause, reference
from .resolving import Side, Work
from .sides import Clause, make_clause, trim, well_formed
from .stretches import right_stretch
from .suppositions import is_supposed
from .tokens import Sentence, has_finite, is_word
from .verbs import BASE, PARTICIPLE, PAST, kind_of

_JOINING: Final = (Frame.CLAUSE, Frame.PHRASE, Frame.ADVERB)
TAKEN_UP: Final = 0.6
CAUSAL: Final = 0.68  # strength from which a connective says nothing else than that one thing brought about another
_DENIALS: Final = word_set(
    "deny denied denies unclear unlikely doubt doubted doubts disproved dismissed excluded refute refuted "
    "myth fallacy misconception untrue false"
)
_TAGS: Final = word_set("remember right yes no eh correct huh true okay isn't wasn't didn't doesn't")
_TAG_PHRASES: Final = (
    ["is", "n't", "it"],
    ["was", "n't", "it"],
    ["did", "n't", "it"],
    ["isn't", "it"],
    ["wasn't", "it"],
)
_NOTHING: Final = ("no", "none", "nothing", "nobody", "neither")
_PROOFS: Final = ("evidence", "indication", "sign", "proof")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A finished link, before its confidence is worked out. ``form`` is how well formed its sides are, 0 … 1.

    ``pronoun`` is the span of the pronoun that stands for the side left of the connective, if one does.
    """

    cause: Clause | None
    effect: Clause
    pattern: str
    strength: float
    form: float
    hedged: bool
    cross_sentence: bool
    span: Range
    pronoun: Range | None = None
    effect_first: bool = False
    supposed: bool = False


def assemble(sentence: Sentence, discourse: Discourse) -> list[Draft]:
    """The links of one sentence, in order; none for a question."""
    discourse.denied = None
    if "?" in sentence.words[-2:]:
        end = _tag(sentence.words)
        if end is None:
            return []
        sentence = sentence.until(end)
    hits = find_connectives(sentence)
    if (missed := _missed(sentence, discourse)) is not None:
        return missed
    about = _done_about(sentence, discourse)
    if not hits:
        if at := past_denial(sentence.words, 0, len(sentence)):
            discourse.denied = _unrelated(sentence, discourse, at)
        return about or _taken_up(sentence, discourse)
    works = Builder(sentence, discourse, hits).build()
    made = [*about, *(draft for work in works if (draft := _draft(sentence, discourse, work)) is not None)]
    if not made:
        discourse.denied = _denied_of(sentence, discourse, works)
    return made


def _unrelated(sentence: Sentence, discourse: Discourse, at: int) -> Clause | None:
    """What "A had nothing to do with B" is about, where B begins at ``at``: the one that tells of trouble, or B."""
    stretches = (at, right_stretch(sentence, at, len(sentence), phrase=False)), left_noun_phrase(sentence, at - 5, 0)
    trimmed = [trim(sentence, stretch) for stretch in stretches]
    sides = [make_clause(discourse.text, sentence, each) for each in trimmed if each[0] < each[1]]
    return next((side for side in sides if is_trouble(side.text)), sides[0] if sides else None)


def _denied_of(sentence: Sentence, discourse: Discourse, works: Sequence[Work]) -> Clause | None:
    """What a sentence is about that only denies something as its cause: "The fire was not caused by a candle"."""
    for work in works:
        effect = work.effect
        sure = work.hit.pattern.strength >= CAUSAL  # "did not create a file" is about no file
        if effect.usable and sure and (work.hit.negated or _is_nothing(sentence, work)):
            return _clause(sentence, discourse, effect)
    return None


def _done_about(sentence: Sentence, discourse: Discourse) -> list[Draft]:
    """The link of "To end this, we dug a well" to what "this" is: the reason for what was done."""
    deed = asked_for(sentence)
    told = discourse.previous
    if deed is None or told is None:
        return []
    clause = make_clause(discourse.text, sentence, deed)
    if clause.remedial:
        return []
    return [_across(told, clause, "done about")]


def _across(cause: Clause, effect: Clause, pattern: str) -> Draft:
    """A link to something told before that no connective states."""
    return Draft(
        cause=cause,
        effect=effect,
        pattern=pattern,
        strength=TAKEN_UP,
        form=1.0,
        hedged=False,
        cross_sentence=True,
        span=(effect.start, effect.start),
    )


def _taken_up(sentence: Sentence, discourse: Discourse) -> list[Draft]:
    """The link of a sentence without a connective to what it takes up.

    "The frozen pipe burst" goes back to what was told of the pipe, that it froze; "The nodes misread this
    delay and left" to the delay.
    """
    opens = names_what_happened(sentence.words)
    if discourse.previous is None or not (opens or any(word in DEMONSTRATIVES for word in sentence.words[:14])):
        return []
    clause = main_clause(discourse.text, sentence)
    if clause is None or clause.remedial:
        return []
    told = discourse.taken_up(clause.text) if opens else None
    told = told or discourse.gone_on(clause)
    return [] if told is None else [_across(told, clause, "taken up")]


def _missed(sentence: Sentence, discourse: Discourse) -> list[Draft] | None:
    """The link of "The deleted key was needed to open the door" to its being deleted: the door is not opened.

    ``None`` if a sentence does not say what something that was told of is needed for.
    """
    if not names_what_happened(sentence.words) or (needs := needed_for(sentence)) is None:
        return None
    clause = make_clause(discourse.text, sentence, (0, len(sentence)))
    told = discourse.taken_up(clause.text, also_clauses=True)
    if told is None or needs[0] >= needs[1]:
        return []
    effect = make_clause(discourse.text, sentence, needs)
    if at := enabled(sentence, needs):  # "to allow the guests to leave": the guests do not leave
        subject = make_clause(discourse.text, sentence, (needs[0] + 1, at))
        text = f"{subject.text} not {discourse.text[sentence.starts[at] : effect.end]}"
        effect = replace(effect, text=text, start=subject.start)
    else:
        effect = replace(effect, text=f"not {effect.text}")
    return [_across(told, effect, "needed")]


def _tag(words: Sequence[str]) -> int | None:
    """Where the tag begins that makes a question of a statement: "It broke because it was old, remember?"."""
    at = next((at for at in range(len(words) - 1, max(0, len(words) - 7), -1) if words[at] == ","), 0)
    tag = [word for word in words[at + 1 :] if is_word(word)]
    return at if at and tag and (tag[-1] in _TAGS or tag in _TAG_PHRASES) else None


def _is_refused(sentence: Sentence, hit: Connective) -> bool:
    """Whether the connective is negated, or its clause is a condition or something denied."""
    if hit.negated:
        return True
    words = sentence.words
    group = words[hit.start : hit.head]
    if "have" in group and ("would" in group or "should" in group):  # would have caused, but did not
        return True
    joining = hit.pattern.frame in _JOINING
    for at in range(hit.start - 1, max(0, hit.start - 25) - 1, -1):
        word, before = words[at], words[at - 1] if at else ""
        if word in HARD or (word == "," and (joining or hit.start - at > 1)):
            return False
        if word in lex.CONDITIONS and before not in ("as", "even"):
            return True
        denied = word in _DENIALS or (word == "out" and before in ("ruled", "rule", "rules"))
        if denied and words[at + 1] in ("that", "whether", "if"):
            return True
        if (word in _PROOFS and before == "no") or (word == "clear" and before in ("not", "n't")):
            return True
    return False


def _is_nothing(sentence: Sentence, work: Work) -> bool:
    """Whether the subject of a causal verb is "no change", "nothing" and the like, or a cause "neither A nor B"."""
    stretch, cause = work.first.stretch, work.cause.stretch
    verbal = work.hit.pattern.frame in (Frame.ACTIVE, Frame.PASSIVE) and not work.hit.participle
    words = sentence.words
    if cause is not None and (words[cause[0]] == "neither" or (cause[0] and words[cause[0] - 1] == "nor")):
        return True
    return verbal and stretch is not None and words[stretch[0]] in _NOTHING


def _may_be_denied(words: Sequence[str], work: Work) -> bool:
    """Whether "It did not stop because of the rain" ends a sentence: it may have stopped, and not by the rain.

    A clause ("did not start because it was empty") explains what did not happen, and so does what is behind "could
    not"; a progressive ("was not working because of a fault") tells a state, which is explained as well.
    """
    hit = work.hit
    if hit.pattern.name != "because of" or not work.effect_first:
        return False
    rest = words[hit.end :]
    if has_finite(words, hit.end, len(words)) or any(word in HARD or word in (",", "but") for word in rest[:-1]):
        return False
    near = range(hit.start - 1, max(0, hit.start - 5), -1)
    at = next((at for at in near if words[at] == "not" or words[at].endswith("n't")), 0)
    helper = words[at - 1] if words[at] in ("not", "n't") else words[at].removesuffix("n't")
    verbs = [word for word in words[at + 1 : hit.start] if not word.endswith("ly")]
    return 1 <= len(verbs) <= 2 and kind_of(verbs[0]) in _DENIED_FORMS.get(helper, ())


_DENIED_FORMS: Final = {
    **dict.fromkeys(("do", "does", "did"), (BASE,)),
    **dict.fromkeys(("was", "were"), (PAST, PARTICIPLE)),
}
"""What form a verb has behind "did not" and "was not"."""

_UNSURE: Final = word_set(
    "believe believes think thinks suspect suspects assume assumes guess guesses probably possibly perhaps maybe "
    "likely presumably apparently allegedly reportedly supposedly conceivably suspicion suspicions hunch assumption "
    "hypothesis theory"
)
"""Words that leave open whether what is said after them, or around them, is so."""


def _is_believed(sentence: Sentence, hit: Connective) -> bool:
    """Whether the clause of the connective is told as a belief: "we think that …"."""
    if hit.pattern.frame in _JOINING:  # what is joined is all of what was told before, also behind "first suspicion:"
        left = sentence.words[max(0, hit.start - 25) : hit.start]
        return any(word in _UNSURE for word in left)
    for at in range(hit.start - 1, max(0, hit.start - 25) - 1, -1):
        word = sentence.words[at]
        if word in HARD or word == ",":
            return False
        if word in lex.BELIEFS:
            return True
    return False


def _draft(sentence: Sentence, discourse: Discourse, work: Work) -> Draft | None:
    hit, cause, effect = work.hit, work.cause, work.effect
    if not cause.usable or not effect.usable or (effect.stretch is None and effect.clause is None):
        return None
    if _is_refused(sentence, hit) or _is_nothing(sentence, work) or _overlap(cause, effect):
        return None
    if _may_be_denied(sentence.words, work):
        return None
    if cause.stretch is not None and is_hollow(sentence.words[cause.stretch[0] : cause.stretch[1]]):
        told = _behind_colon(sentence, work) if cause is work.second else None
        if told is None:
            discourse.pending = _clause(sentence, discourse, effect)
            return None
        cause.stretch = told
    cause_clause = _clause(sentence, discourse, cause)
    effect_clause = _clause(sentence, discourse, effect)
    begins = hit.pattern.guard == "began" and sentence.words[hit.end - 1] == "with"
    mentioned = effect_clause is not None and effect_clause.start >= sentence.start
    if begins and mentioned and cause_clause is not None and effect_clause == discourse.incident:
        discourse.incident = cause_clause  # "The incident began with errors": they are the incident
        return None
    if hit.pattern.name == "manifest as" and cause.cross and effect_clause is not None:
        restated = _restated(sentence, discourse, work, effect_clause)
        if restated is not None:
            discourse.restated.append(restated)
            return None
    incident = discourse.whole_incident(sentence.start)
    named = effect.stretch is not None and names_the_incident(sentence.words[effect.stretch[0] : effect.stretch[1]])
    if named and cause_clause is not None and cause_clause.remedial:
        return None  # "service was restored, resulting in an hour of downtime"
    if incident is not None and named:
        effect_clause = incident
    if effect_clause is None or _same_span(cause_clause, effect_clause):
        return None
    return Draft(
        cause=cause_clause,
        effect=effect_clause,
        pattern=hit.pattern.name,
        strength=hit.pattern.strength,
        form=cause.form * effect.form,
        hedged=hit.hedged or _is_believed(sentence, hit),
        cross_sentence=cause.cross or effect.cross or (incident is not None and named),
        span=(sentence.starts[hit.start], sentence.ends[max(hit.end, hit.head + 1) - 1]),
        pronoun=_pronoun(sentence, hit),
        effect_first=work.effect_first,
        supposed=is_supposed(sentence.words, hit),
    )


def _restated(sentence: Sentence, discourse: Discourse, work: Work, symptom: Clause) -> tuple[Clause, Clause] | None:
    """The incident and what it looked like: "The problem manifested as slow pages" only describes it."""
    told = work.cause.clause
    subject = sentence.words[skip_openers(sentence.words, 0, work.hit.start) : work.hit.start]
    if told is None or reference(subject) is not Reference.INCIDENT:
        return None
    discourse.recent.append(symptom)
    return told, symptom


def _pronoun(sentence: Sentence, hit: Connective) -> Range | None:
    """Where the sentence itself mentions what its first side stands for: "which", "that reason", "that" of "that's"."""
    if hit.pattern.name == "for this reason":
        return sentence.starts[hit.head + 1], sentence.ends[hit.end - 1]
    if hit.pattern.name == "is why" and hit.relative and sentence.words[hit.start].endswith("'s"):
        start = sentence.starts[hit.start]
        return start, start + len(sentence.words[hit.start]) - 2
    at = hit.start - 1
    if at < 0 or sentence.words[at] not in lex.RELATIVES | lex.SUBJECT_PRONOUNS:
        return None
    return sentence.starts[at], sentence.ends[at]


def _behind_colon(sentence: Sentence, work: Work) -> Range | None:
    """What "an unusual event: …" goes on to tell."""
    at = work.second_end
    if at + 2 >= len(sentence) or sentence.words[at] != ":":
        return None
    start, _ = strip_front(sentence, at + 1, len(sentence))
    stretch = trim(sentence, (start, right_stretch(sentence, start, len(sentence), phrase=False, clause=True)))
    return stretch if stretch[0] < stretch[1] and well_formed(sentence, stretch) else None


def _overlap(cause: Side, effect: Side) -> bool:
    if cause.stretch is None or effect.stretch is None or effect.aside is not None:
        return False
    return cause.stretch[0] < effect.stretch[1] and effect.stretch[0] < cause.stretch[1]


def _same_span(cause: Clause | None, effect: Clause) -> bool:
    return cause is not None and (cause.start, cause.end) == (effect.start, effect.end)


def _clause(sentence: Sentence, discourse: Discourse, side: Side) -> Clause | None:
    if side.clause is not None or side.stretch is None:
        return side.clause
    return make_clause(discourse.text, sentence, side.stretch, side.aside)
