# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from becausal.domain.records import MemoryType
from becausal.encode.memory_type import memory_type
from becausal.encode.reading import read

EPISODIC = (
    "I met Priya at the climbing gym yesterday.",
    "The deployment failed because JWT_SECRET was missing.",
    "Last week we moved the billing job to the new cluster.",
    "On 2024-03-02 the payments API returned errors for forty minutes.",
    "Tomás told me that he had quit his job.",
    "We went to the lake on Saturday and the kids loved it.",
    "I've just finished reading the book you gave me.",
    "The disk filled up at 14:05 and the database stopped.",
    "She called this morning to cancel the appointment.",
    "Our team decided to use PostgreSQL for the ledger.",
    "Nadia painted the kitchen last summer.",
    "I forgot my umbrella and got soaked.",
    "Someone deleted the production bucket two days ago.",
    "We have migrated every service to the new region.",
    "Marta's flight was cancelled, so she took the night train.",
    "The customer reported that the invoice was wrong.",
    "Hey! I signed up for a pottery class today.",
    "I was sick last weekend.",
    "The pod crashed after the upgrade to v2.3.0. We rolled back at 10:30.",
    "Ken: I ran my first marathon in October!",
    "I'm flying to Lisbon tomorrow.",
    "The alert fired twice during the night and nobody answered the pager.",
    "Yesterday's standup ran long because the demo broke.",
    "My grandmother gave me this ring when I turned eighteen.",
)
SEMANTIC = (
    "The API uses JWT for authentication.",
    "Paris is the capital of France.",
    "The user prefers dark mode and short answers.",
    "Priya works at a bank in Singapore.",
    "PostgreSQL stores rows in pages of eight kilobytes.",
    "Our office is on the third floor.",
    "Tomás is allergic to peanuts.",
    "The timeout of the gateway is thirty seconds.",
    "I like hiking more than swimming.",
    "A mutex protects a resource from concurrent access.",
    "The company was founded in 1998.",
    "auth-service depends on Redis.",
    "My favourite colour is green.",
    "Nadia has two brothers and a dog named Biscuit.",
    "Whales are mammals.",
    "The build takes about nine minutes.",
    "Marta speaks Portuguese, Spanish and some Basque.",
    "The staging database is a nightly copy of production.",
    "I'm a vegetarian.",
    "Test results are kept for thirty days.",
    "We use feature flags for every release.",
    "How are you?",
    "The function returns None if the key is missing.",
    "That sounds great!",
)
PROCEDURAL = (
    "To restart the gateway, run `systemctl restart gateway` on both hosts.",
    "Always run the migrations before deploying.",
    "Never commit secrets to the repository.",
    "1. Stop the worker.\n2. Clear the queue.\n3. Start the worker again.",
    "How to renew the certificate: open the console, select the domain and click Renew.",
    "Preheat the oven to 180 degrees. Mix flour, sugar and butter. Bake for forty minutes.",
    "If the queue is stuck, restart the broker.",
    "Make sure the VPN is connected before you open the dashboard.",
    "Run the tests with pytest and then push the branch.",
    "When the alert fires, check the disk usage first.",
    "Don't merge on Fridays.",
    "First install the package, then set the environment variable.",
    "Use snake_case for function names.",
    "Boil the pasta for nine minutes and drain it.",
    "Steps to release:\n- Update the changelog\n- Tag the commit\n- Push the tag",
    "You should rotate the key every ninety days.",
    "Click Settings, choose Users and add the new address.",
    "Remember to close the ticket after the review.",
    "Before upgrading, take a snapshot of the database.",
    "Add two spoons of sugar and stir until it dissolves.",
    "Set the timeout to thirty seconds.",
    "Please use British spelling in the documentation.",
)
LABELLED = [
    *((text, MemoryType.EPISODIC) for text in EPISODIC),
    *((text, MemoryType.SEMANTIC) for text in SEMANTIC),
    *((text, MemoryType.PROCEDURAL) for text in PROCEDURAL),
]


def test_at_least_nine_in_ten_sentences_are_told_apart() -> None:
    wrong = [(text, memory_type(read(text)).value) for text, kind in LABELLED if memory_type(read(text)) is not kind]
    assert len(wrong) <= len(LABELLED) // 10, wrong
