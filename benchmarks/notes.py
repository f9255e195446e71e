# SPDX-License-Identifier: Apache-2.0
"""Made-up work notes and incidents, as many as wanted, and questions about them; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

Note: TypeAlias = tuple[str, str, datetime]
"""Text, source and time."""

PEOPLE = [
    "Ana",
    "Bela",
    "Chen",
    "Dara",
    "Emil",
    "Farah",
    "Goran",
    "Hana",
    "Ivo",
    "Jun",
    "Kira",
    "Luis",
    "Mina",
    "Noor",
    "Omar",
    "Priya",
    "Quinn",
    "Rosa",
    "Sven",
    "Tara",
]
SERVICES = [
    "billing",
    "checkout",
    "search",
    "ledger",
    "gateway",
    "mailer",
    "profile",
    "catalog",
    "invoice",
    "payout",
    "session",
    "upload",
]
ACTIONS = [
    "deployed",
    "restarted",
    "rolled",
    "back",
    "migrated",
    "profiled",
    "patched",
    "scaled",
    "reviewed",
    "documented",
    "benchmarked",
]
THINGS = [
    "the retry queue",
    "a connection pool",
    "the feature flags",
    "the nightly export",
    "the rate limiter",
    "the schema change",
    "the TLS certificate",
    "a stale cache",
    "the audit log",
    "the webhook signer",
    "a memory leak",
    "the backup job",
    "the search index",
    "the onboarding form",
    "an expired token",
    "the currency rounding",
    "the image resizer",
    "the time zone table",
]
OUTCOMES = [
    "latency fell by {n} percent",
    "customers in {city} noticed",
    "nobody had to be paged",
    "the error budget was spent",
    "{n} requests failed first",
    "the change was reverted within {n} minutes",
    "the fix is waiting for review",
    "the numbers looked right afterwards",
    "support counted {n} tickets",
    "we agreed to automate it",
]
CITIES = [
    "Lisbon",
    "Oslo",
    "Nairobi",
    "Lima",
    "Hanoi",
    "Quito",
    "Riga",
    "Porto",
    "Bergen",
    "Accra",
    "Dakar",
    "Turin",
    "Ghent",
    "Split",
    "Varna",
    "Izmir",
]
HOBBIES = [
    "the pottery class",
    "a walk along the river",
    "the sourdough starter",
    "a concert of old songs",
    "the allotment",
    "the chess club",
    "her daughter's recital",
    "the broken bicycle",
    "a trip to the mountains",
    "a new recipe for lentils",
]


def notes(count: int, seed: int = 7) -> Iterator[Note]:
    """Yield some made-up notes."""
    draw = random.Random(seed)
    moment = datetime(2020, 1, 1, 9, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=draw.randint(5, 200))
        who, other = draw.sample(PEOPLE, 2)
        if draw.random() < 0.3:
            text = (
                f"{who} told {other} about {draw.choice(HOBBIES)} in {draw.choice(CITIES)}, "
                f"and that it took {draw.randint(2, 90)} days."
            )
        else:
            outcome = draw.choice(OUTCOMES).format(n=draw.randint(2, 97), city=draw.choice(CITIES))
            text = (
                f"{who} {draw.choice(ACTIONS)} {draw.choice(THINGS)} of the {draw.choice(SERVICES)} service "
                f"for ticket OPS-{draw.randint(100, 9999)}; {outcome}."
            )
        yield text, f"channel-{number // 40}", moment


def questions(count: int, size: int, seed: int = 11) -> list[str]:
    """Return questions about some of the notes, in part of their words."""
    return [question for question, _ in questions_with_notes(count, size, seed)]


def questions_with_notes(count: int, size: int, seed: int = 11) -> list[tuple[str, str]]:
    """Return such questions, each with the text of the note it is about."""
    draw = random.Random(seed)
    texts = [text for text, _, _ in notes(size)]
    asked = []
    for text in draw.sample(texts, min(count, len(texts))):
        words = text.rstrip(".").split()
        start = draw.randint(0, max(0, len(words) - 9))
        asked.append(("What do we know about " + " ".join(words[start : start + 8]) + "?", text))
    return asked


FAULTS = [
    "the cache was stale",
    "the certificate had expired",
    "the disk was full",
    "a flag was set wrongly",
    "the token had been revoked",
    "the migration locked the table",
    "the retry loop ran wild",
    "the rate limiter was too strict",
]
HARM = [
    "checkout failed",
    "logins timed out",
    "the {s} service crashed",
    "orders were lost in {c}",
    "the {s} dashboard went blank",
    "customers in {c} saw errors",
    "invoices were sent twice",
    "searches returned nothing",
]


def incidents(count: int, seed: int = 7) -> Iterator[Note]:
    """Yield some made-up incidents, each with what led to it."""
    draw = random.Random(seed)
    moment = datetime(2020, 1, 1, 9, tzinfo=UTC)
    for number in range(count):
        moment += timedelta(minutes=draw.randint(10, 300))
        harm, later = (harmful(draw) for _ in range(2))
        fault = f"{draw.choice(FAULTS)} on {draw.choice(SERVICES)}-{draw.randint(1, 40)}"
        if draw.random() < 0.6:
            text = f"{harm[0].upper()}{harm[1:]} because {fault} ({draw.choice(PEOPLE)})."
        else:
            text = f"{draw.choice(PEOPLE)} found that {fault}, which led to {later}. As a result, {harm}."
        yield text, f"channel-{number // 40}", moment


def harmful(draw: random.Random) -> str:
    return draw.choice(HARM).format(s=draw.choice(SERVICES), c=draw.choice(CITIES))


def why_questions(count: int, seed: int = 11) -> list[str]:
    draw = random.Random(seed)
    return [f"Why was it that {harmful(draw)}?" for _ in range(count)]
