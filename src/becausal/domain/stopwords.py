# SPDX-License-Identifier: Apache-2.0
"""English words that say nothing about what a text is about: left out of the search index.

The list is deliberately large. Question words, auxiliaries and pronouns fill every question, and scoring a
text by them costs more recall than they ever bring.
"""

from __future__ import annotations

_ARTICLES = (
    "a an the this that these those such same other another each every either neither both all any some none others"
)

_PRONOUNS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves one ones somebody someone something anybody anyone anything
everybody everyone everything nobody nothing each whoever whatever whichever ya y'all u ur em
"""

_QUESTIONS = "what when where which who whom whose why how whether whenever wherever"

_AUXILIARIES = """
am is are was were be been being have has had having do does did doing done can could may might must shall should
will would ought cannot gonna wanna gotta ain let lets get gets got getting gotten
"""

_PREPOSITIONS = """
about above across after against along among amongst around as at before behind below beneath beside besides between
beyond by despite down during except for from in inside into like near of off on onto out outside over per past since
than through throughout till to toward towards under until unto up upon via with within without
"""

_CONJUNCTIONS = "and or but nor so yet if then else because while although though unless whereas hence thus therefore"

_ADVERBS = """
no not never ever very too also just only even still already again almost quite rather really actually basically
maybe perhaps often always sometimes usually here there now once well much many more most less least few lot lots
enough own however instead otherwise anyway especially particularly simply mostly etc eg ie
"""

_CHATTER = "oh ok okay yeah yes yep yup nope hey hi hello hmm huh wow um uh ah aha haha lol omg please thanks thank"

# Contractions as people type them without the apostrophe; those with one are taken apart by the analysis.
_CONTRACTIONS = """
im ive youre youve theyre theyve hes shes thats whats wheres whos dont doesnt didnt isnt arent wasnt werent hasnt
havent hadnt wouldnt couldnt shouldnt cant
"""

STOP_WORDS: frozenset[str] = frozenset(
    " ".join(
        (
            _ARTICLES,
            _PRONOUNS,
            _QUESTIONS,
            _AUXILIARIES,
            _PREPOSITIONS,
            _CONJUNCTIONS,
            _ADVERBS,
            _CHATTER,
            _CONTRACTIONS,
        )
    ).split()
)

CONTENT_FORMS: frozenset[str] = frozenset(("May", "Will", "US", "IT", "WHO"))
"""Spellings of a stop word that are names: a month, a person, a country, a department, an organisation."""
