# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from becausal.domain.predicates import single_holder, single_valued


@pytest.mark.parametrize(
    "predicate",
    [
        "lives in",
        "Lives_In",
        "works at",
        "reports to",
        "is married to",
        "was born in",
        "was born on",
        "is owned by",
        "is led by",
        "is set to",
        "version is",
        "work email is",
        "CTO is",
        "favourite book is",
        "favorite color",
        "has role",
        "deadline",
        "is in",
    ],
)
def test_some_predicates_have_one_value_at_a_time(predicate: str) -> None:
    assert single_valued(predicate)


@pytest.mark.parametrize(
    "predicate",
    [
        "uses",
        "likes",
        "is",
        "has",
        "knows",
        "depends on",
        "is the brother of",
        "is a member of",
        "calls",
        "",
        "sister is",
    ],
)
def test_others_may_have_several(predicate: str) -> None:
    assert not single_valued(predicate)


@pytest.mark.parametrize("predicate", ["is the treasurer of", "is treasurer of", "the ceo of", "is the manager of"])
def test_some_offices_have_one_holder_at_a_time(predicate: str) -> None:
    assert single_holder(predicate)


@pytest.mark.parametrize(
    "predicate",
    [
        "is a manager of",
        "is manager of",
        "is co-chair of",
        "is the co-owner of",
        "is the vice president of",
        "is the sister of",
        "is the author of",
        "is CEO",
        "of",
        "",
    ],
)
def test_other_offices_may_have_several_holders(predicate: str) -> None:
    assert not single_holder(predicate)
