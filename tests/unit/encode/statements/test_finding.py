# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from becausal.domain.temporal.text import find_times
from becausal.encode.entities import find_entities
from becausal.encode.reading import read
from becausal.encode.statements.finding import MAX_STATEMENTS, Statement, find_statements

ANCHOR = datetime(2024, 5, 15, 12, tzinfo=UTC)  # a Wednesday


def read_out(text: str, speaker: str | None = None, topic: str | None = None) -> tuple[Statement, ...]:
    reading = read(text)
    times = find_times(text, anchor=ANCHOR, zone=UTC)
    return find_statements(text, find_entities(reading), times, speaker=speaker, topic=topic, reading=reading)


def triples(text: str, speaker: str | None = None, topic: str | None = None) -> list[str]:
    return [f"{each.subject} | {each.predicate} | {each.object}" for each in read_out(text, speaker, topic)]


STATED = [
    # work
    ("Ana works at Kiva.", "Ana | works at | Kiva"),
    ("Ana Lopez works for the city library.", "Ana Lopez | works at | city library"),
    ("Ana works as a nurse at Mercy Hospital.", "Ana | works as | a nurse; Ana | works at | Mercy Hospital"),
    ("Ana is a nurse at Mercy Hospital.", "Ana | is | a nurse; Ana | works at | Mercy Hospital"),
    ("Ana works in marketing.", "Ana | works in | marketing"),
    ("I'm working at Kiva now.", "user | works at | Kiva"),
    ("Tom is an electrician.", "Tom | is | an electrician"),
    ("Our CTO is Maria.", "user | CTO is | Maria"),
    ("Maria is the CTO of Kiva.", "Maria | is the CTO of | Kiva"),
    ("Maria is CTO at Kiva.", "Maria | is | CTO; Maria | works at | Kiva"),
    ("Maria, our CTO, lives in Madrid.", "Maria | is | the CTO; Maria | lives in | Madrid"),
    ("CTO Maria Lopez lives in Madrid.", "Maria Lopez | is | CTO; Maria Lopez | lives in | Madrid"),
    ("Ana reports to Tom.", "Ana | reports to | Tom"),
    ("Bob is Carol's manager.", "Carol | reports to | Bob"),
    ("My boss is Carol.", "user | reports to | Carol"),
    ("Tom manages the platform team.", "Tom | manages | platform team"),
    ("The platform team is led by Ana.", "platform team | is led by | Ana"),
    ("Ana works with Tom.", "Ana | works with | Tom"),
    ("Ana is on the platform team.", "Ana | is a member of | platform team"),
    ("Ana joined Kiva.", "Ana | works at | Kiva"),
    ("Ana joined a choir.", "Ana | is a member of | a choir"),
    ("Ana is in charge of billing.", "Ana | is in charge of | billing"),
    ("Tom is responsible for the billing service.", "Tom | is responsible for | billing service"),
    ("Ana was promoted to staff engineer.", "Ana | works as | staff engineer"),
    ("Tom was hired as a data engineer.", "Tom | works as | a data engineer"),
    ("Ana founded Kiva.", "Ana | founded | Kiva"),
    ("Kiva acquired Loom.", "Kiva | acquired | Loom"),
    ("Loom was acquired by Kiva.", "Kiva | acquired | Loom"),
    ("Ana is on call this week.", "Ana | is | on call"),
    # software
    ("The billing service depends on the auth service.", "billing service | depends on | auth service"),
    ("The billing service relies on Redis.", "billing service | depends on | Redis"),
    ("The auth service calls the API gateway.", "auth service | calls | API gateway"),
    ("payments-api depends on ledger-db.", "payments-api | depends on | ledger-db"),
    ("The search service is part of the catalog platform.", "search service | is part of | catalog platform"),
    ("We use Redis and Postgres.", "user | uses | Redis; user | uses | Postgres"),
    (
        "The API gateway and the auth service use Redis.",
        "API gateway | uses | Redis; auth service | uses | Redis",
    ),
    ("Redis is used by the auth service.", "auth service | uses | Redis"),
    ("The orders database runs on Postgres 15.", "orders database | runs on | Postgres 15"),
    ("The metrics exporter listens on port 9090.", "metrics exporter | listens on port | 9090"),
    ("Our backend is written in Kotlin.", "backend | is written in | Kotlin"),
    ("The orders database is hosted on AWS.", "orders database | is hosted on | AWS"),
    ("The billing service is owned by the payments team.", "billing service | is owned by | payments team"),
    ("The payments team owns the billing service.", "payments team | owns | billing service"),
    ("The v1 API is deprecated.", "v1 API | is | deprecated"),
    ("The timeout was raised to 60 seconds.", "timeout | is set to | 60 seconds"),
    ("The port of the billing service is 8080.", "billing service | port is | 8080"),
    ("The cluster has 12 nodes and the payments cluster has 3 nodes.", "payments cluster | has | 3 nodes"),
    ("We upgraded Postgres from 13 to 15.", "Postgres | version is | 15"),
    ("We renamed the billing service to payments-api.", "billing service | is called | payments-api"),
    ("We migrated from MySQL to Postgres.", "user | uses | MySQL; user | uses | Postgres"),
    (
        "We migrated the billing service from MySQL to Postgres.",
        "billing service | uses | MySQL; billing service | uses | Postgres",
    ),
    (
        "The checkout service was moved from RabbitMQ to Kafka.",
        "checkout service | uses | RabbitMQ; checkout service | uses | Kafka",
    ),
    ("We moved the office to Lyon.", "office | is located in | Lyon"),
    ("The office moved to Lyon.", "office | is located in | Lyon"),
    ("We moved our headquarters to Lyon.", "headquarters | is located in | Lyon"),
    ("Kiva moved its headquarters to Lyon.", "Kiva's headquarters | is located in | Lyon"),
    ("The warehouse was moved to Lyon.", "warehouse | is located in | Lyon"),
    ("We relocated the payments team to Berlin.", "payments team | is located in | Berlin"),
    ("We moved the shop to Baker Street.", "shop | is located in | Baker Street"),
    (
        "The office moved from Lyon to Paris.",
        "office | is located in | Lyon; office | is located in | Paris",
    ),
    ("We moved the data warehouse to Snowflake.", "data warehouse | uses | Snowflake"),
    ("We moved the billing service to Kubernetes.", "billing service | uses | Kubernetes"),
    ("We replaced RabbitMQ with Kafka.", "user | uses | RabbitMQ; user | uses | Kafka"),
    ("Jenkins was replaced by CircleCI.", "CircleCI | replaced | Jenkins"),
    ("Dov replaced Marta as CEO of Acme.", "Dov | is CEO of | Acme; Dov | replaced | Marta"),
    (
        "Marta was replaced by Dov as treasurer of the rowing club.",
        "Dov | replaced | Marta; Dov | is treasurer of | rowing club",
    ),
    ("Dov succeeded Marta as the mayor of Worms.", "Dov | succeeded | Marta; Dov | is the mayor of | Worms"),
    ("Dov took over as captain of the team.", "Dov | is captain of | team"),
    ("Priya Nair took over from Tomas Lind as CFO of Kiva.", "Priya Nair | is CFO of | Kiva"),
    ("Priya Nair is the new CFO of Kiva.", "Priya Nair | is the CFO of | Kiva"),
    ("Ana was named the new mayor of Oslo.", "Ana | is the mayor of | Oslo"),
    ("Ana was sworn in as mayor of Oslo.", "Ana | is mayor of | Oslo"),
    ("We appointed Ana as treasurer of the rowing club.", "Ana | is treasurer of | rowing club"),
    ("Ana was elected treasurer of the rowing club.", "Ana | is treasurer of | rowing club"),
    ("Ana was hired as a nurse.", "Ana | works as | a nurse"),
    ("My new phone number is 555-9876.", "user | phone number is | 555-9876"),
    ("The new deadline is 17 March.", "deadline | is set to | 17 March"),
    ("Ana switched from Vim to Emacs.", "Ana | uses | Vim; Ana | uses | Emacs"),
    ("We started using Kafka.", "user | uses | Kafka"),
    ("We can't deploy because the billing service depends on Redis.", "billing service | depends on | Redis"),
    ("It broke the ranking service, which relies on Redis.", "ranking service | depends on | Redis"),
    # household and likings
    ("I live in Berlin.", "user | lives in | Berlin"),
    ("My email is ana@example.com.", "user | email is | ana@example.com"),
    ("Ana's birthday is 3 May.", "Ana | birthday is | 3 May"),
    ("Ana's birthday is on 3 May.", "Ana | birthday is | 3 May"),
    ("My favorite color is green.", "user | favourite colour is | green"),
    ("Emma is my favourite book.", "user | favourite book is | Emma"),
    ("The password for the guest wifi is tulip42.", "guest wifi | password is | tulip42"),
    ('Our wifi password is "tulip 42".', "user | wifi password is | tulip 42"),
    ("The deadline is next Friday.", "deadline | is set to | next Friday"),
    ("I have a dog named Rex.", "Rex | is the dog of | user"),
    ("My dog is called Rex.", "user's dog | is called | Rex"),
    ("I have two sons.", "user | has | two sons"),
    ("I'm allergic to peanuts.", "user | is allergic to | peanuts"),
    ("I'm vegan.", "user | is | vegan"),
    ("I don't eat meat.", "user | does not eat | meat"),
    ("I don't like cilantro.", "user | dislikes | cilantro"),
    ("I like hiking and painting.", "user | likes | hiking; user | likes | painting"),
    ("I love walks by the sea and the hills.", "user | loves | walks by the sea and the hills"),
    ("Ana prefers tea over coffee.", "Ana | prefers | tea over coffee"),
    ("I'm 34 years old.", "user | age is | 34"),
    ("My car is a Tesla.", "user's car | is | a Tesla"),
    ("I speak German and French.", "user | speaks | German; user | speaks | French"),
    ("I'm a big fan of jazz.", "user | likes | jazz"),
    ("I adopted a puppy.", "user | has | a puppy"),
    ("Ana volunteers at a shelter.", "Ana | volunteers at | a shelter"),
    ("I'm learning Spanish.", "user | is learning | Spanish"),
    # people
    (
        "My sister Ana works at Kiva and lives in Lisbon.",
        "Ana | is the sister of | user; Ana | works at | Kiva; Ana | lives in | Lisbon",
    ),
    ("Tom is Ana's brother.", "Tom | is the brother of | Ana"),
    ("My brother is Tom.", "Tom | is the brother of | user"),
    ("Ana and Tom are married.", "Ana | is married to | Tom"),
    ("Ana and Tom are siblings.", "Ana | is the sibling of | Tom"),
    ("Ana's married to Tom.", "Ana | is married to | Tom"),
    (
        "Eva's husband Tom plays the guitar.",
        "Eva | is married to | Tom; Tom | plays | guitar",
    ),
    ("Bob and Carol live in Oslo.", "Bob | lives in | Oslo; Carol | lives in | Oslo"),
    ("Eva is the daughter of Tom and Ana.", "Eva | is the daughter of | Tom; Eva | is the daughter of | Ana"),
    ("Ana was born in Porto on 3 May 1990.", "Ana | was born in | Porto; Ana | was born on | 3 May 1990"),
    ("Ana grew up in Porto.", "Ana | grew up in | Porto"),
    ("Ana is from Portugal.", "Ana | is from | Portugal"),
    ("Ana graduated from Porto University.", "Ana | graduated from | Porto University"),
    (
        "Ana, who lives in Oslo, works at Kiva.",
        "Ana | lives in | Oslo; Ana | works at | Kiva",
    ),
    (
        "Carl Bauer (3 May 1880 – 9 June 1951) was a German painter.",
        "Carl Bauer | was born on | 3 May 1880; Carl Bauer | died on | 9 June 1951; Carl Bauer | is | a German painter",
    ),
    (
        "Born in Porto, Ana works at Kiva.",
        "Ana | was born in | Porto; Ana | works at | Kiva",
    ),
    # places and works
    ("Paris is the capital of France.", "Paris | is the capital of | France"),
    ("The capital of France is Paris.", "France | capital is | Paris"),
    ("Kiva is based in Porto.", "Kiva | is based in | Porto"),
    ("Our office is in Lisbon.", "office | is located in | Lisbon"),
    ("Kiva was founded by Ana Lopez in 1998.", "Kiva | was founded by | Ana Lopez; Kiva | was founded in | 1998"),
    (
        "Silent Harbour is a 1971 drama film directed by Ana Lopez and written by Tom Hill.",
        "Silent Harbour | is | a 1971 drama film; Silent Harbour | was released in | 1971; "
        "Silent Harbour | was directed by | Ana Lopez; Silent Harbour | was written by | Tom Hill",
    ),
    # notes
    ("User prefers dark mode and uses Vim.", "user | prefers | dark mode; user | uses | Vim"),
    (
        "The user's name is Carla and she lives in Lyon.",
        "user | name is | Carla; user | lives in | Lyon",
    ),
    (
        "The user lives in Lyon. They work at Kiva. Their dog is called Rex.",
        "user | lives in | Lyon; user | works at | Kiva; user's dog | is called | Rex",
    ),
    ("The user doesn't like long answers.", "user | dislikes | long answers"),
    ("This repository uses Terraform.", "repository | uses | Terraform"),
    ("Decision: we use Postgres 16 for new services.", "user | uses | Postgres 16"),
    ("We chose Postgres over MySQL.", "user | chose | Postgres"),
    ("We decided to use Kafka.", "user | chose | Kafka"),
    ("The default branch is main.", "default branch | is set to | main"),
    ("The cache TTL is 300 seconds.", "cache | TTL is | 300 seconds"),
    ("payment-service v2 depends on auth-service.", "payment-service v2 | depends on | auth-service"),
    ("Mom is allergic to shellfish.", "user's mom | is allergic to | shellfish"),
    ("Kiva's CEO, John Smith, lives in Oslo.", "Kiva | CEO is | John Smith; John Smith | lives in | Oslo"),
    ("Ana owns 30% of Kiva.", "Ana | owns | 30% of Kiva"),
    ("Ana's 30 years old.", "Ana | age is | 30"),
    ("Remember that Ana lives in Oslo.", "Ana | lives in | Oslo"),
]


@pytest.mark.parametrize(("text", "expected"), STATED)
def test_what_a_sentence_states_is_read(text: str, expected: str) -> None:
    assert triples(text) == expected.split("; ")


SILENT = [
    # questions
    "Do you live in Berlin?",
    "Does the billing service use Redis?",
    "You know Ana works at Kiva, right?",
    "Where does Ana work?",
    # conditions and hypotheticals
    "If Ana lives in Berlin, Tom lives in Oslo.",
    "We use Redis if the cache is cold.",
    "Unless Ana works at Kiva, we are stuck.",
    "Suppose the billing service depends on Redis.",
    "Imagine Ana owns a boat.",
    # wishes, plans and advice
    "I would like to live in Rome.",
    "I'd love to work at Kiva.",
    "I want to live in Rome.",
    "I wish I lived in Rome.",
    "I hope Ana works at Kiva.",
    "Ana plans to move to Rome.",
    "Ana is moving to Rome.",
    "Ana will join Kiva.",
    "We're going to use Kafka.",
    "We should use Kafka.",
    "You should use Kafka.",
    "We could use Kafka.",
    "We can use Kafka.",
    # doubt and hearsay
    "Ana might live in Rome.",
    "Maybe Ana lives in Rome.",
    "Ana probably works at Kiva.",
    "I think Ana works at Kiva.",
    "Ana lives in Rome, I guess.",
    "Ana said Tom works at Kiva.",
    "Ana said it rained and Tom works at Kiva.",
    "Apparently the billing service uses Redis.",
    "I'm not sure Ana works at Kiva.",
    # commands
    "Use Redis.",
    "Move to Rome.",
    "Let's use Kafka.",
    "Don't use Redis.",
    # negations
    "Ana doesn't live in Rome.",
    "Ana never worked at Kiva.",
    "Ana hasn't moved to Rome.",
    "The billing service does not use Redis.",
    "Ana is not a nurse.",
    "Ana isn't married to Tom.",
    # nothing in particular
    "It depends on the weather.",
    "I like this.",
    "I love your painting.",
    "That is a great idea.",
    "Ana is a great singer.",
    "This is the end of the road.",
    "I have a question.",
    "The goal is the journey.",
    "We had a good time.",
    "I'm a bit tired.",
    "Ana lives in Rome or Oslo.",
    "I live in fear.",
    "My job is stressful.",
    "The film was directed by Ana Lopez.",
    "She works at Kiva.",
    "TODO: Ana works at Kiva.",
    "The user wants to move to Rome.",
    "The users live in Oslo.",
    "The user asked for a summary.",
    "The fix is to use Redis.",
    "The API is slow.",
    "The meeting is at 3 pm.",
    "The payments service is being migrated to AWS.",
]


@pytest.mark.parametrize("text", SILENT)
def test_what_is_not_plainly_stated_is_left_alone(text: str) -> None:
    assert triples(text) == []


def only(text: str, **options: str) -> Statement:
    (found,) = read_out(text, **options)
    return found


def days(found: Statement) -> tuple[str | None, str | None]:
    start = found.valid_from.start.date().isoformat() if found.valid_from else None
    end = found.valid_to.end.date().isoformat() if found.valid_to else None
    return start, end


@pytest.mark.parametrize(
    ("text", "start", "end", "ended"),
    [
        ("Ana lives in Oslo.", None, None, False),
        ("Ana has lived in Oslo since March 2022.", "2022-03-01", None, False),
        ("Since 2019, Ana works at Kiva.", "2019-01-01", None, False),
        ("Ana lived in Oslo until 2021.", None, "2022-01-01", True),
        ("From 2019 to 2021 I worked at Kiva.", "2019-01-01", "2022-01-01", True),
        ("Ana worked at Kiva in 2019.", "2019-01-01", "2020-01-01", True),
        ("Ana joined Kiva in March 2022.", "2022-03-01", None, False),
        ("Ana moved to Oslo in March 2022.", "2022-03-01", None, False),
        ("Ana became CTO of Kiva in 2021.", "2021-01-01", None, False),
        ("Ana left Kiva in March 2022.", None, "2022-04-01", True),
        ("We stopped using Jenkins in 2022.", None, "2023-01-01", True),
        ("Ana used to live in Oslo.", None, None, True),
        ("As of Monday, the payments API uses gRPC.", "2024-05-13", None, False),
        ("Kiva acquired Loom in 2023.", "2023-01-01", None, False),
        ("Ana is on call this week.", "2024-05-13", "2024-05-20", False),
        ("The deadline is next Friday.", None, None, False),
    ],
)
def test_times_bound_what_they_are_told_of(text: str, start: str | None, end: str | None, ended: bool) -> None:
    found = only(text)
    assert (*days(found), found.ended) == (start, end, ended)


@pytest.mark.parametrize(
    "gave_up",
    [
        "resigned as",
        "has stepped down as",
        "was dismissed as",
        "left as",
        "retired as",
        "stepped down on Friday as",
        "was replaced as",
        "resigned from her post as",
    ],
)
def test_giving_up_an_office_ends_that_it_is_held(gave_up: str) -> None:
    found = only(f"Ana {gave_up} mayor of Oslo.")
    assert (found.subject, found.predicate, found.object) == ("Ana", "is mayor of", "Oslo")
    assert found.ended


def test_an_office_given_up_is_held_until_the_time_that_is_told() -> None:
    assert days(only("Ana resigned as mayor of Oslo in March 2022.")) == (None, "2022-04-01")
    assert days(only("Ana was appointed mayor of Oslo in March 2022.")) == ("2022-03-01", None)


@pytest.mark.parametrize(
    "text",
    [
        "Ana was not appointed mayor of Oslo.",
        "Ana will resign as mayor of Oslo.",
        "Ana may step down as mayor of Oslo.",
        "Ana was made redundant.",
        "Ana stepped down.",
    ],
)
def test_an_office_neither_given_nor_given_up_is_left_alone(text: str) -> None:
    assert read_out(text) == ()


def test_a_migration_ends_one_fact_when_the_other_begins() -> None:
    old, new = read_out("We migrated from MySQL to Postgres in March 2022.")
    assert (old.object, old.ended, days(old)) == ("MySQL", True, (None, "2022-04-01"))
    assert (new.object, new.ended, days(new)) == ("Postgres", False, ("2022-03-01", None))


def test_each_clause_has_its_own_time() -> None:
    home, work = read_out("Ana lived in Oslo until 2021 and has worked at Kiva since 2022.")
    assert (days(home), days(work)) == ((None, "2022-01-01"), ("2022-01-01", None))


@pytest.mark.parametrize(
    "text",
    [
        "The billing service no longer uses Redis.",
        "The billing service doesn't use Redis anymore.",
        "The billing service does not use Redis any more.",
    ],
)
def test_no_longer_ends_a_fact(text: str) -> None:
    found = only(text)
    assert (found.subject, found.predicate, found.object) == ("billing service", "uses", "Redis")
    assert found.ended
    assert found.negated


@pytest.mark.parametrize("text", ["I don't like coffee any more.", "I do not like coffee any longer."])
def test_a_liking_that_is_over_is_no_dislike(text: str) -> None:
    found = only(text)
    assert (found.predicate, found.object, found.ended) == ("likes", "coffee", True)


def test_i_is_the_speaker_whose_name_opens_the_line() -> None:
    text = "Melanie: I work at a school.\nTom: My sister Ana lives in Oslo. I like chess."
    found = read_out(text)
    assert [(each.subject, each.predicate, each.object, each.speaker) for each in found] == [
        ("Melanie", "works at", "a school", "Melanie"),
        ("Ana", "is the sister of", "Tom", "Tom"),
        ("Ana", "lives in", "Oslo", "Tom"),
        ("Tom", "likes", "chess", "Tom"),
    ]


def test_i_is_the_given_speaker_else_the_user() -> None:
    assert only("I live in Oslo.", speaker="Ana").subject == "Ana"
    assert only("I live in Oslo.").subject == "user"
    assert only("User: I live in Oslo.", speaker="Ana").subject == "Ana"


def test_an_assistant_says_nothing_about_itself() -> None:
    assert triples("Assistant: I live in a data center. Ana lives in Oslo.") == ["Ana | lives in | Oslo"]


def test_ends_that_are_entities_carry_their_keys() -> None:
    found = only("The billing service uses Redis.")
    assert (found.subject_entity, found.object_entity) == ("billing service", "redis")
    found = only("Ana prefers tea.")
    assert (found.subject_entity, found.object_entity) == ("ana", None)


def test_a_component_has_one_key_however_it_is_spelled() -> None:
    spaced = only("The billing service uses Redis.")
    joined = only("billing-service uses Redis.")
    assert spaced.subject_entity == joined.subject_entity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ana is a nurse. She lives in Oslo.", "Ana | lives in | Oslo"),
        ("The auth service uses Redis. It depends on ledger-db.", "auth service | depends on | ledger-db"),
        ("Ana is a nurse. Her brother is Tom.", "Tom | is the brother of | Ana"),
    ],
)
def test_a_pronoun_means_the_subject_of_the_sentence_before(text: str, expected: str) -> None:
    assert triples(text)[-1] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ana met Bob. She lives in Oslo.",
        "Ana works with Bob. He lives in Oslo.",
        "The weather was fine. It depends on Redis.",
    ],
)
def test_a_pronoun_that_may_mean_another_is_left_alone(text: str) -> None:
    assert not any(each.endswith(("Oslo", "Redis")) for each in triples(text))


def test_a_topic_is_what_the_first_pronoun_means() -> None:
    assert triples("It was directed by Ana Lopez in 1971.", topic="The Silent Harbour") == [
        "The Silent Harbour | was directed by | Ana Lopez"
    ]


def test_a_title_of_common_words_is_one_name() -> None:
    text = "My House by the River is a 1971 film."
    assert triples(text, topic="My House by the River")[0] == "My House by the River | is | a 1971 film"


def test_a_heading_is_a_topic() -> None:
    assert triples("# Billing service\n\nIt depends on Redis.") == ["Billing service | depends on | Redis"]


def test_code_blocks_state_nothing() -> None:
    assert triples("```\nAna works at Kiva.\n```\nTom works at Loom.") == ["Tom | works at | Loom"]


def test_spans_are_where_it_was_told() -> None:
    text = "It rained. Ana lives in Oslo and works at Kiva."
    home, work = read_out(text)
    assert text[home.start : home.end].startswith("Ana lives in Oslo")
    assert "works at Kiva" in text[work.start : work.end]


def test_a_fact_told_twice_is_one() -> None:
    assert triples("Ana lives in Oslo. ana lives in Oslo. Ana lives in Oslo.") == ["Ana | lives in | Oslo"]


def test_there_are_only_so_many_statements() -> None:
    text = " ".join(f"Ana likes thing{number}s." for number in range(2 * MAX_STATEMENTS))
    assert len(read_out(text)) == MAX_STATEMENTS


def test_nothing_is_read_out_of_nothing() -> None:
    assert read_out("") == ()
    assert read_out("\n\n…") == ()


@pytest.mark.parametrize(
    "part",
    [
        "Ana ",
        "and ",
        "Ana, ",
        "Ana's ",
        "Ana is ",
        "Ana likes ",
        "(",
        "Ana, who ",
        '"',
        "Ana (born ",
        "in 2019 ",
        "the team of ",
        "Ana, which is a film directed by ",
    ],
)
@pytest.mark.parametrize("words", [1, 40, 10_000])
def test_hostile_text_takes_linear_time(part: str, words: int) -> None:
    sentence = "Ana lives " + part * words + ". "
    text = (sentence * (50_000 // len(sentence) + 1))[:50_000]
    reading = read(text)
    entities, times = find_entities(reading), find_times(text, anchor=ANCHOR, zone=UTC)
    began = time.thread_time()
    find_statements(text, entities, times, reading=reading)
    assert time.thread_time() - began < 2


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            (
                "Ana Tom's I we is was 's not no longer used to live lives in at of the a my , . ( ) ; \" ` and who "
                "which born Berlin 2019 since until MySQL service team from to replaced with moved has have been 34 "
                "years old : ü"
            ).split()
        ),
        max_size=30,
    )
)
def test_any_order_of_words_is_read_without_an_error(parts: list[str]) -> None:
    text = " ".join(parts)
    for found in read_out(text):
        assert found.subject
        assert found.object
        assert 0 <= found.start < found.end <= len(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_without_an_error(text: str) -> None:
    read_out(text)
