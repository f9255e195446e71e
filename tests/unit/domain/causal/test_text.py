# SPDX-License-Identifier: Apache-2.0
"""Which causes and effects are read out of English sentences, and which are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.causal.text import CausalLink, find_causes
from becausal.errors import InvalidInput

Pairs = list[tuple[str | None, str]]


def pairs(text: str) -> Pairs:
    return [(link.cause.text if link.cause else None, link.effect.text) for link in find_causes(text)]


def only(text: str) -> CausalLink:
    (link,) = find_causes(text)
    return link


CONJUNCTIONS: list[tuple[str, str, str]] = [
    ("The dishwasher stopped because the drain was clogged.", "the drain was clogged", "The dishwasher stopped"),
    ("Because the drain was clogged, the dishwasher stopped.", "the drain was clogged", "the dishwasher stopped"),
    ("The soup tasted bitter because I had burnt the garlic.", "I had burnt the garlic", "The soup tasted bitter"),
    ("The flight was cancelled because of heavy fog.", "heavy fog", "The flight was cancelled"),
    (
        "Because of the strike and the snow, most schools stayed closed.",
        "the strike and the snow",
        "most schools stayed closed",
    ),
    ("Our basement flooded due to a burst pipe.", "a burst pipe", "Our basement flooded"),
    ("Due to a burst pipe, our basement flooded.", "a burst pipe", "our basement flooded"),
    ("The error is due to a missing index.", "a missing index", "The error"),
    ("Owing to a strike, the trains did not run.", "a strike", "the trains did not run"),
    ("The project was cancelled owing to a lack of funds.", "a lack of funds", "The project was cancelled"),
    (
        "Thanks to a new supplier, delivery times dropped from ten days to four.",
        "a new supplier",
        "delivery times dropped from ten days to four",
    ),
    ("Our heating bill fell thanks to the new insulation.", "the new insulation", "Our heating bill fell"),
    (
        "Revenue fell by 12% as a result of weaker demand in Asia.",
        "weaker demand in Asia",
        "Revenue fell by 12%",
    ),
    ("As a consequence of the merger, two offices were closed.", "the merger", "two offices were closed"),
    ("The plane was delayed on account of fog.", "fog", "The plane was delayed"),
    ("Since the oven was broken, we ordered pizza.", "the oven was broken", "we ordered pizza"),
    (
        "Granny's cake collapsed since she had opened the oven too early.",
        "she had opened the oven too early",
        "Granny's cake collapsed",
    ),
    ("After the backup failed, the team lost two days of work.", "the backup failed", "the team lost two days of work"),
    ("When the power supply died, the server shut down.", "the power supply died", "the server shut down"),
    (
        "Latency doubled after a bad deploy exhausted the connection pool.",
        "a bad deploy exhausted the connection pool",
        "Latency doubled",
    ),
    ("The road was icy, so we drove slowly.", "The road was icy", "we drove slowly"),
    ("The rent went up so we moved out.", "The rent went up", "we moved out"),
    ("The road was icy; therefore, we drove slowly.", "The road was icy", "we drove slowly"),
    ("The road was icy, and consequently the bus was late.", "The road was icy", "the bus was late"),
    (
        "Interest rates went up; hence, fewer people bought houses.",
        "Interest rates went up",
        "fewer people bought houses",
    ),
    ("It was so cold that the pipes froze.", "It was so cold", "the pipes froze"),
    (
        "There was such a crowd that we could not reach the exit.",
        "There was such a crowd",
        "we could not reach the exit",
    ),
]
VERBS: list[tuple[str, str, str]] = [
    ("A burst pipe caused the flood.", "A burst pipe", "the flood"),
    ("The flood was caused by a burst pipe.", "a burst pipe", "The flood"),
    ("Warm ocean water causes coral to bleach.", "Warm ocean water", "coral to bleach"),
    ("Heat causes ice to melt and metal to expand.", "Heat", "ice to melt and metal to expand"),
    ("Malaria is caused by a parasite that mosquitoes carry.", "a parasite that mosquitoes carry", "Malaria"),
    ("A memory leak led to the crash.", "A memory leak", "the crash"),
    ("The merger resulted in three hundred layoffs.", "The merger", "three hundred layoffs"),
    ("The new law triggered a wave of protests.", "The new law", "a wave of protests"),
    ("The reaction was triggered by ultraviolet light.", "ultraviolet light", "The reaction"),
    ("Her cough stemmed from a dusty carpet.", "a dusty carpet", "Her cough"),
    ("The dispute arose from an unpaid invoice.", "an unpaid invoice", "The dispute"),
    ("Poor lighting contributed to the accident.", "Poor lighting", "the accident"),
    ("The vaccine brought about a sharp decline in measles.", "The vaccine", "a sharp decline in measles"),
    ("The discovery gave rise to a new industry.", "The discovery", "a new industry"),
    ("The complaint prompted the city to repair the bridge.", "The complaint", "the city to repair the bridge"),
    ("The storm forced the ferry to turn back.", "The storm", "the ferry to turn back"),
    ("His refusal meant that the deal collapsed.", "His refusal", "the deal collapsed"),
    ("Lack of sleep makes people irritable.", "Lack of sleep", "people irritable"),
    ("A heater failure left the greenhouse without heat.", "A heater failure", "the greenhouse without heat"),
    ("The patient died from a heart attack.", "a heart attack", "The patient died"),
    ("He got a rash from the new soap.", "the new soap", "a rash"),
    ("Excess heat can cause the battery to swell.", "Excess heat", "the battery to swell"),
    ("The inspector blamed the fire on faulty wiring.", "faulty wiring", "the fire"),
    ("The fire was blamed on faulty wiring.", "faulty wiring", "The fire"),
    ("They blamed faulty wiring for the fire.", "faulty wiring", "the fire"),
    ("The engineers traced the failure to a loose connector.", "a loose connector", "the failure"),
    ("Alice was fired for leaking the report.", "leaking the report", "Alice was fired"),
    ("The museum was fined for dumping waste.", "dumping waste", "The museum was fined"),
    ("The missing index is responsible for the slow queries.", "The missing index", "the slow queries"),
]
ADJUNCTS: list[tuple[str, str, str]] = [
    ("The valve jammed, causing the boiler to overheat.", "The valve jammed", "the boiler to overheat"),
    ("The disk filled up, which caused the database to stop.", "The disk filled up", "the database to stop"),
    ("The token expired, which meant that nobody could log in.", "The token expired", "nobody could log in"),
    ("The token expired, meaning that nobody could log in.", "The token expired", "nobody could log in"),
    (
        "A tree fell on the line, leaving the village without power.",
        "A tree fell on the line",
        "the village without power",
    ),
    ("The cache was cold, making every page slow.", "The cache was cold", "every page slow"),
    (
        "The strike brought production to a halt, resulting in losses of 3 million euros.",
        "The strike brought production to a halt",
        "losses of 3 million euros",
    ),
    (
        "The website went down for 3 hours, resulting in a loss of $40,000.",
        "The website went down for 3 hours",
        "a loss of $40,000",
    ),
    ("The fan failed and caused the CPU to overheat.", "The fan failed", "the CPU to overheat"),
    ("The dam broke and it caused a flood in the valley.", "The dam broke", "a flood in the valley"),
    ("The damage caused by the storm was repaired within a week.", "the storm", "The damage"),
    ("The fever, caused by an infection, lasted a week.", "an infection", "The fever"),
    ("We fixed the bug that caused the crash.", "the bug", "the crash"),
    ("The fix for the bug that caused the outage was deployed at noon.", "the bug", "the outage"),
]
NOUNS: list[tuple[str, str, str]] = [
    ("Smoking is one of the main causes of lung cancer.", "Smoking", "lung cancer"),
    ("The cause of the fire was a forgotten candle.", "a forgotten candle", "the fire"),
    ("The reason for the delay was a missing signature.", "a missing signature", "the delay"),
    ("The reason the parcel came late was a wrong postcode.", "a wrong postcode", "the parcel came late"),
    ("The reason why the roof leaked was that two tiles had slipped.", "two tiles had slipped", "the roof leaked"),
    ("The rash was the result of an allergy.", "an allergy", "The rash"),
    ("One consequence of the ban was a black market.", "the ban", "a black market"),
    ("A wrong postcode is why the parcel came late.", "A wrong postcode", "the parcel came late"),
    ("The postcode was wrong, which is why the parcel came late.", "The postcode was wrong", "the parcel came late"),
    ("Bad config → login errors", "Bad config", "login errors"),
    ("Expired certificate => failed handshakes", "Expired certificate", "failed handshakes"),
    ("Disk full -> writes failed", "Disk full", "writes failed"),
]


@pytest.mark.parametrize(("text", "cause", "effect"), CONJUNCTIONS)
def test_a_conjunction_or_preposition_joins_cause_and_effect_either_way_round(
    text: str, cause: str, effect: str
) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(("text", "cause", "effect"), VERBS)
def test_a_causal_verb_joins_its_subject_and_object(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(("text", "cause", "effect"), ADJUNCTS)
def test_a_participle_or_relative_clause_joins_what_it_hangs_on(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(("text", "cause", "effect"), NOUNS)
def test_a_causal_noun_or_an_arrow_joins_what_stands_beside_it(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


@pytest.mark.parametrize(
    "text",
    [
        "The pump did not cause the leak.",
        "The leak was not caused by the pump.",
        "The config change didn't trigger the alert.",
        "The alert fired, but that was not because of the deploy.",
        "No single change caused the outage.",
        "There is no evidence that the vaccine causes autism.",
        "The engineers ruled out that the deploy caused the errors.",
        "It is not clear whether the patch caused the slowdown.",
        "Without the filter the pump would have caused a flood.",
        "Did the pump cause the leak?",
        "What caused the errors?",
        "If the pump causes a leak, call the plumber.",
        "Nobody knows whether the deploy caused the errors.",
        "We restarted the pump to clear the blockage.",
        "In order to save money, she cycles to work.",
        "I went to the shop to buy milk.",
        "The cause of the crash is unknown.",
        "The cause of the fire is still under investigation.",
        "Payment is due to arrive on Friday.",
        "He is due to retire in May.",
        "The due date is Friday.",
        "I have lived here since 2010.",
        "It has been raining since we arrived.",
        "Since Monday the printer has been broken.",
        "So far nobody has complained.",
        "So what?",
        "The player was banned for two matches.",
        "The dog barked when the bell rang.",
        "The rain stopped and the sun came out.",
        "The price rose from 3 to 5 euros.",
        "def area(shape: Shape) -> float:",
        "Settings -> Privacy -> Location",
        "I was late because of you.",
        "Because!",
        "",
        "   \n\n  ",
    ],
)
def test_denials_questions_conditions_purposes_and_other_senses_are_no_links(text: str) -> None:
    assert pairs(text) == []


def test_only_the_reason_that_is_not_denied_counts() -> None:
    assert pairs("He left early, not because he was ill, but because he was bored.") == [
        ("he was bored", "He left early")
    ]


def test_not_only_is_no_denial() -> None:
    assert pairs("We moved not only because of the noise but also because of the rent.") == [
        ("the noise", "We moved"),
        ("the rent", "We moved"),
    ]


def test_negation_inside_a_side_stays_in_its_text() -> None:
    assert pairs("The alarm did not ring because the battery was not charged.") == [
        ("the battery was not charged", "The alarm did not ring")
    ]


def test_an_effect_that_is_prevented_keeps_the_verb_that_says_so() -> None:
    assert pairs("The patch prevents the parser from crashing.") == [("The patch", "prevents the parser from crashing")]


def test_a_list_of_causes_is_one_cause() -> None:
    assert pairs("Wind, rain and snow caused the collapse.") == [("Wind, rain and snow", "the collapse")]
    assert pairs("Both the outage and the data loss were caused by the same bug.") == [
        ("the same bug", "Both the outage and the data loss")
    ]


CHAINS: list[tuple[str, Pairs]] = [
    (
        "A bad deploy caused a memory leak, which led to a crash.",
        [("A bad deploy", "a memory leak"), ("a memory leak", "a crash")],
    ),
    (
        "The bad deploy caused a memory leak, and the leak triggered a crash.",
        [("The bad deploy", "a memory leak"), ("a memory leak", "a crash")],
    ),
    (
        "She missed the train because her alarm clock was broken, so she took a taxi.",
        [("her alarm clock was broken", "She missed the train"), ("She missed the train", "she took a taxi")],
    ),
    (
        "Because the bridge was closed, lorries used the village road, which caused long queues.",
        [("the bridge was closed", "lorries used the village road"), ("lorries used the village road", "long queues")],
    ),
    (
        "Bad config -> login errors -> support tickets",
        [("Bad config", "login errors"), ("login errors", "support tickets")],
    ),
    (
        "The shop closed because the flood caused a short circuit.",
        [("a short circuit", "The shop closed"), ("the flood", "a short circuit")],
    ),
    (
        "The mould caused by the leak led to a cough.",
        [("the leak", "The mould"), ("The mould", "a cough")],
    ),
    (
        "The gate stayed open and it caused a draught and it led to a cold.",
        [("The gate stayed open", "a draught"), ("The gate stayed open", "a cold")],
    ),
    (
        "Frost caused the pipe to burst, flooded the cellar and led to a power cut.",
        [("Frost", "the pipe to burst"), ("Frost", "flooded the cellar"), ("Frost", "a power cut")],
    ),
]


@pytest.mark.parametrize(("text", "links"), CHAINS)
def test_a_chain_in_one_sentence_shares_the_clause_between_its_links(text: str, links: Pairs) -> None:
    assert pairs(text) == links


def test_links_of_a_chain_share_the_very_same_span() -> None:
    first, second = find_causes("A bad deploy caused a memory leak, which led to a crash.")
    assert first.effect == second.cause


ACROSS: list[tuple[str, Pairs]] = [
    ("The road was icy. As a result, the bus was late.", [("The road was icy", "the bus was late")]),
    (
        "The server ran out of memory. This caused the API to return errors.",
        [("The server ran out of memory", "the API to return errors")],
    ),
    ("The deploy removed an index. That led to slow queries.", [("The deploy removed an index", "slow queries")]),
    ("The postcode was wrong. That's why the parcel came late.", [("The postcode was wrong", "the parcel came late")]),
    ("The config was wrong. Because of this, the tests failed.", [("The config was wrong", "the tests failed")]),
    (
        "Bird flu killed millions of hens. The result was a shortage of eggs.",
        [("Bird flu killed millions of hens", "a shortage of eggs")],
    ),
    (
        "The queue filled up because the consumer had crashed. This caused messages to be dropped.",
        [("the consumer had crashed", "The queue filled up"), ("The queue filled up", "messages to be dropped")],
    ),
    (
        "Nobody renewed the domain. Consequently, the website went offline. As a result, orders stopped.",
        [
            ("Nobody renewed the domain", "the website went offline"),
            ("the website went offline", "orders stopped"),
        ],
    ),
    (
        "The shelves were empty because a lorry had broken down. This was due to a flat tyre.",
        [("a lorry had broken down", "The shelves were empty"), ("a flat tyre", "a lorry had broken down")],
    ),
    (
        "A driver braked hard, which caused a slow leak. The leak led to a fire.",
        [("A driver braked hard", "a slow leak"), ("a slow leak", "a fire")],
    ),
    (
        "The API was unreachable for ten minutes. The issue was caused by a bad deploy.",
        [("a bad deploy", "The API was unreachable for ten minutes")],
    ),
    (
        "The queue was stuck for two hours. Root cause: the retry loop had no backoff.",
        [("the retry loop had no backoff", "The queue was stuck for two hours")],
    ),
    (
        "The API was down for an hour. The root cause was an expired TLS certificate.",
        [("an expired TLS certificate", "The API was down for an hour")],
    ),
]


@pytest.mark.parametrize(("text", "links"), ACROSS)
def test_a_reference_stands_for_what_was_said_before(text: str, links: Pairs) -> None:
    assert pairs(text) == links


def test_a_link_across_sentences_says_so_and_is_trusted_less() -> None:
    inside = only("A burst pipe led to the flood.")
    across = only("A pipe burst in the night. This led to the flood.")
    assert not inside.cross_sentence
    assert across.cross_sentence
    assert across.confidence == pytest.approx(0.8 * inside.confidence)


def test_the_outage_is_one_clause_for_the_whole_document() -> None:
    links = find_causes(
        "Users could not log in. The outage was caused by an expired key. "
        "The team rotated all keys. The outage led to 40 support tickets."
    )
    assert [(link.cause and link.cause.text, link.effect.text) for link in links] == [
        ("an expired key", "Users could not log in"),
        ("Users could not log in", "40 support tickets"),
    ]


def test_an_incident_nobody_described_is_its_first_mention() -> None:
    first, second = find_causes("The outage was caused by a typo. The outage led to 40 support tickets.")
    assert first.effect.text == "The outage"
    assert second.cause == first.effect


def test_a_title_describes_the_incident() -> None:
    (link,) = find_causes("# Checkout outage in May\n\nThe outage was caused by a typo.\n")
    assert link.effect.text == "Checkout outage in May"


@pytest.mark.parametrize("text", ["As a result, the bus was late.", "This caused the bus to be late."])
def test_a_lone_consequence_keeps_an_open_cause(text: str) -> None:
    link = only(text)
    assert link.cause is None
    assert "bus" in link.effect.text


@pytest.mark.parametrize(
    "text",
    [
        "The pump may have caused the leak.",
        "The leak was probably caused by the pump.",
        "We believe the leak was caused by the pump.",
        "Possibly the leak was caused by the pump.",
        "The leak may be due to the pump.",
        "The pump is likely to cause a leak.",
    ],
)
def test_a_hedge_is_flagged_and_lowers_confidence(text: str) -> None:
    link = only(text)
    assert link.hedged
    assert link.confidence < 0.85


@pytest.mark.parametrize(
    "text",
    [
        "We think the outage happened because the router overheated.",
        "First suspicion: the freezer thawed because somebody left the door ajar.",
        "The outage probably happened because the router overheated.",
        "Perhaps the router overheated because the fan failed.",
    ],
)
def test_a_belief_or_a_suspicion_told_before_because_is_hedged(text: str) -> None:
    (link,) = find_causes(text)
    assert link.hedged


def test_a_plain_statement_is_not_hedged() -> None:
    link = only("The pump caused the leak.")
    assert not link.hedged
    assert link.confidence == pytest.approx(0.93)


def test_confidence_follows_the_strength_of_the_connective() -> None:
    strong = only("The fog was the cause of the crash.")
    weak = only("The car crashed when the fog hit.")
    assert weak.confidence == pytest.approx(0.5)
    assert weak.confidence < strong.confidence <= 0.95


@pytest.mark.parametrize(
    ("text", "cause", "effect"),
    [
        ("In March 2021, the drought caused a famine.", "the drought", "a famine"),
        ("On Monday morning, after a long delay, the strike led to chaos.", "the strike", "chaos"),
        ("However, the leak caused a fire.", "the leak", "a fire"),
        ("According to the report, corrosion caused the leak.", "corrosion", "the leak"),
        ("The committee said that the leak had been caused by corrosion.", "corrosion", "the leak"),
        ("Ten minutes later, the pump stopped because the fuse had blown.", "the fuse had blown", "the pump stopped"),
        ("Although it was new, the valve caused a leak.", "the valve", "a leak"),
    ],
)
def test_dates_asides_and_attributions_in_front_are_left_out(text: str, cause: str, effect: str) -> None:
    assert pairs(text) == [(cause, effect)]


def test_an_aside_is_cut_out_of_the_clause_it_interrupts() -> None:
    text = "The pump, due to a leak, stopped."
    link = only(text)
    assert (link.cause and link.cause.text, link.effect.text) == ("a leak", "The pump stopped")
    assert text[link.effect.start : link.effect.end] == "The pump, due to a leak, stopped"


@pytest.mark.parametrize(
    ("text", "remedial"),
    [
        ("We rolled back the release because it broke the login page.", True),
        ("Service was restored because the team added a node.", True),
        ("Login failed because the key had expired.", False),
        ("The site stayed down because the team was unable to restart it; it had not recovered.", False),
    ],
)
def test_what_was_done_to_put_it_right_is_tagged(text: str, remedial: bool) -> None:
    assert find_causes(text)[0].effect.remedial is remedial


def test_links_name_connective_pattern_and_sentence() -> None:
    text = "It rained. The flood was probably caused by a burst pipe. We left."
    link = only(text)
    assert link.connective == "was probably caused by"
    assert link.pattern == "caused by"
    assert text[slice(*link.sentence)] == "The flood was probably caused by a burst pipe."


def test_list_items_and_table_cells_are_read_on_their_own() -> None:
    text = (
        "Findings:\n"
        "- Memory ran out because the cache had no limit\n"
        "- The alert came late due to a typo\n\n"
        "| 10:05 | Restart failed because of a stale lock |\n"
    )
    assert pairs(text) == [
        ("the cache had no limit", "Memory ran out"),
        ("a typo", "The alert came late"),
        ("a stale lock", "Restart failed"),
    ]


def test_a_line_break_inside_a_paragraph_does_not_end_a_sentence() -> None:
    link = only("The dishwasher stopped because\nthe drain was clogged.")
    assert link.cause is not None
    assert link.cause.text == "the drain was clogged"


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    assert pairs("Dr. Smith cancelled the trip because of snow, e.g. in the Alps.")[0][0] is not None


def test_given_sentences_are_used_instead_of_our_own() -> None:
    text = "The road was icy. As a result, the bus was late."
    assert [link.cause for link in find_causes(text, [(18, len(text))])] == [None]


@pytest.mark.parametrize("span", [(-1, 3), (2, 1), (0, 10_000)])
def test_a_span_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    with pytest.raises(InvalidInput, match="sentences"):
        find_causes("It rained.", [span])


WORDS = (
    "because so which that caused by led to due the a leak , . ; ( ) — -> → root cause : was not if and it this The "
    "outage as result of when failed since reason why blamed on for from making therefore \n # - “ é 漢"
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split(" ")), max_size=60).map(" ".join))
def test_every_clause_is_a_stretch_of_the_text(text: str) -> None:
    for link in find_causes(text):
        assert 0 <= link.confidence <= 0.95
        for side in (link.cause, link.effect):
            if side is not None:
                told = text[side.start : side.end]
                assert side.text == told or (len(side.text) < len(told) and told.startswith(side.text.split(" ")[0]))
                assert side.text.strip() == side.text != ""


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert find_causes(text) == find_causes(text)


@pytest.mark.parametrize(
    "unit",
    [
        "because ",
        "caused by ",
        "a caused b ",
        "so that, which ",
        "the cause of ",
        "x -> ",
        "(",
        ".",
        ". because ",
        "'",
        "\n ",
        "\n# a",
        "if because ",
        "was not because of the, ",
        "A",
        "-",
        "https://",
    ],
)
@pytest.mark.timeout(20)
def test_two_hundred_thousand_characters_of_anything_are_read_within_seconds(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert len(find_causes(text)) < 10_000
