# SPDX-License-Identifier: Apache-2.0
"""What everyday things are: a cello is an instrument, and a sister a sibling.

A question asks for things by their kind ("which instruments does Ben play?"), and what was told of them names each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from .text import stem

_MEMBERS: Final[Mapping[str, str]] = {
    "pet": "dog cat puppy kitten hamster rabbit parrot budgie goldfish tortoise terrier poodle labrador",
    "animal": "dog cat puppy kitten hamster rabbit parrot horse pony cow pig sheep goat hen chicken duck goose fox "
    "wolf bear deer lion tiger elephant monkey snake lizard frog turtle tortoise whale dolphin seal owl eagle",
    "bird": "parrot budgie owl eagle hawk robin sparrow swan goose duck hen crow magpie heron gull pigeon stork",
    "sibling": "brother sister twin",
    "parent": "mother father mum mom dad",
    "child": "son daughter boy girl baby twins",
    "grandparent": "grandmother grandfather grandma grandpa granny",
    "spouse": "husband wife",
    "instrument": "guitar piano violin viola cello drums flute clarinet trumpet trombone saxophone oboe harp organ "
    "accordion banjo ukulele mandolin harmonica keyboard recorder",
    "sport": "football soccer tennis basketball volleyball baseball hockey rugby cricket golf badminton swimming "
    "running cycling climbing rowing sailing skiing boxing judo karate fencing gymnastics wrestling",
    "hobby": "gardening knitting painting pottery photography hiking fishing chess sewing baking cycling birdwatching "
    "woodworking drawing dancing climbing sailing origami crochet",
    "fruit": "apple pear plum cherry peach apricot banana orange lemon grape melon mango strawberry raspberry "
    "blueberry kiwi pineapple fig",
    "vegetable": "carrot potato tomato onion leek cabbage broccoli spinach lettuce bean pea pepper cucumber courgette "
    "pumpkin kale beetroot aubergine garlic",
    "flower": "rose tulip lily daisy sunflower orchid daffodil iris poppy lavender peony dahlia",
    "drink": "coffee tea water juice milk beer wine whisky gin rum cocoa lemonade cider",
    "meal": "breakfast lunch dinner supper brunch",
    "vehicle": "car van lorry truck bus tram train bike bicycle motorbike scooter tractor boat ship ferry plane",
    "furniture": "table chair sofa couch desk bed shelf wardrobe cupboard bookcase armchair stool bench dresser",
    "clothing": "coat jacket shirt dress skirt trousers jeans jumper sweater scarf hat gloves shoes boots socks suit",
    "jewellery": "ring necklace bracelet earrings brooch pendant",
    "colour": "red blue green yellow black white brown grey gray orange purple pink violet turquoise beige",
    "season": "spring summer autumn winter",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "language": "english french german spanish portuguese italian dutch polish russian turkish arabic hindi japanese "
    "chinese mandarin korean greek latin swedish danish norwegian finnish czech hungarian hebrew python java "
    "javascript typescript rust golang kotlin ruby php scala haskell",
    "database": "postgres postgresql mysql sqlite redis mongodb mariadb cassandra dynamodb neo4j oracle clickhouse",
    "illness": "flu cold asthma diabetes cancer measles pneumonia bronchitis migraine malaria covid arthritis",
    "allergy": "peanut nut pollen gluten lactose dust penicillin shellfish",
    "device": "phone laptop tablet computer camera printer router monitor keyboard headphones",
    "metal": "iron steel copper gold silver zinc aluminium brass bronze",
}
"""Everyday things by what they are, one word each."""

_ALSO: Final[Mapping[str, str]] = {
    "beverage": "drink",
    "color": "colour",
    "children": "child",
    "kid": "child",
    "clothes": "clothing",
    "garment": "clothing",
    "jewelry": "jewellery",
    "disease": "illness",
    "gadget": "device",
    "pastime": "hobby",
}


def members(word: str) -> tuple[str, ...]:
    """Return the stems of what is of the kind that a stem names; none where it names no kind known here.

    >>> "cello" in members("instrument")
    True
    """
    return _by_stem().get(word, ())


def asks_for_several(question: str) -> bool:
    """Whether a question asks for several things of a kind known here: "which instruments", "how many pets".

    >>> asks_for_several("What pets does Ben have?"), asks_for_several("What is the name of the pet?")
    (True, False)
    """
    return any(word in ("children", "clothes") or word.endswith("s") for word in _asked_kinds(question))


def _asked_kinds(question: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", question.casefold()) if members(stem(word))]


@cache
def _by_stem() -> Mapping[str, tuple[str, ...]]:
    found = {stem(kind): tuple(map(stem, told.split())) for kind, told in _MEMBERS.items()}
    return found | {stem(word): found[stem(kind)] for word, kind in _ALSO.items()}
