# SPDX-License-Identifier: Apache-2.0
"""The constraints and indexes that a database is given: no two of them share a name, since one would be missing."""

from __future__ import annotations

import pytest

from becausal.domain.records import Kind
from becausal.stores.neo4j import names
from becausal.stores.neo4j.schema import statements


@pytest.mark.parametrize("kind", list(Kind))
def test_records_of_every_kind_are_found_by_their_ids_through_a_constraint(kind: Kind) -> None:
    demanded = f" FOR (n:{names.label(kind)}) REQUIRE (n.mark, n.id) IS UNIQUE"

    assert [text.endswith(demanded) for text in statements().values()].count(True) == 1


@pytest.mark.parametrize(("kind", "field"), [(kind, field) for kind, some in names.HASHED.items() for field in some])
def test_what_is_asked_for_often_has_an_index_of_its_digest(kind: Kind, field: str) -> None:
    wanted = f" FOR (n:{names.label(kind)}) ON (n.mark, n.`{names.hashed_name(field)}`)"

    assert [text.endswith(wanted) for text in statements().values()].count(True) == 1
