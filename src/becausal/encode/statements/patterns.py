# SPDX-License-Identifier: Apache-2.0
"""Which verbs say what: tables from verb and preposition to the predicate of a fact.

A row is ``verb preposition | predicate | subjects | objects | marks``.

Subjects and objects are letters, any of which will do. Subjects: ``p`` a person, or a name that may be one's; ``s`` a
system: a component, or a name that is no person's; ``w`` the teller; ``n`` any other noun with a determiner; ``b`` one
without. Objects: ``N`` a name; ``P`` a person; ``L`` a place; ``C`` a component or the name of a thing; ``D`` a noun
with a determiner; ``B`` one without, or several; ``F`` a field of work or study; ``G`` a language; ``Y`` what is
played; ``R`` a role; ``T`` a time; ``V`` a number or identifier; ``X`` any few words.

Marks: ``event`` it happened and stays true; ``begins`` it is true from then on; ``ends`` it is true until then;
``now`` only in the present; ``progressive`` only as "is …ing"; ``swap`` the object is the subject; ``refused`` only
when negated; ``join`` and ``leave`` the work or membership begins or ends; ``org`` only between organizations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ...domain.causal.verbs import BASE, GERUND, PARTICIPLE, PAST, PRESENT, VERB_FORMS, forms_of, kind_of


class Pattern(NamedTuple):
    """One row of a table; ``words`` is what stands between the verb and the object."""

    words: tuple[str, ...]
    predicate: str
    subjects: str
    objects: str
    marks: frozenset[str]


_ACTIVE: Final = """
live in | lives in | pw | L
live at | lives at | pw | D
live near | lives near | pw | L
live with | lives with | pw | P
reside in | lives in | pw | L
work at | works at | pw | ND
work for | works at | pw | ND
work as | works as | pw | R
work in | works in | pw | LF
work on | works on | pw | ND
work with | works with | pws | PC
work alongside | works with | pw | P
collaborate with | works with | pws | PC
study at | studies at | pw | ND
study | studies | pw | FG
major in | studies | pw | F
volunteer at | volunteers at | pw | ND
attend | attends | pw | N
teach at | teaches at | pw | ND
teach | teaches | pw | FG
learn | is learning | pw | GY | progressive
speak | speaks | pw | G
play | plays | pw | Y
use | uses | psw | NCDBV | now
rely on | depends on | sw | CV
depend on | depends on | sn | CV
depend upon | depends on | sn | CV
require | requires | s | CBVD | now
call | calls | s | C | now
invoke | calls | s | C | now
query | queries | s | C | now
poll | polls | s | C | now
talk to | talks to | s | C | now
communicate with | talks to | s | C | now
connect to | connects to | s | C | now
read from | reads from | s | C | now
write to | writes to | s | C | now
consume from | consumes from | s | C | now
consume | consumes from | s | C | now
publish to | publishes to | s | C | now
subscribe to | subscribes to | sw | C | now
send events to | sends events to | s | C | now
send logs to | sends logs to | s | C | now
send metrics to | sends metrics to | s | C | now
send data to | sends data to | s | C | now
send traffic to | routes to | s | C | now
forward to | routes to | s | C | now
route to | routes to | s | C | now
replicate to | replicates to | s | C | now
fail over to | fails over to | s | C | now
listen on port | listens on port | sn | V | now
listen at port | listens on port | sn | V | now
listen on | listens on | sn | V | now
run on port | listens on port | sn | V | now
run on | runs on | sn | NCV | now
run in | runs in | sn | NC | now
run | runs | w | C | now
run | runs | p | D | now
run | runs | s | NC | now
host | hosts | s | C | now
sit behind | is behind | s | C | now
store data in | stores data in | sw | C | now
store its data in | stores data in | sw | C | now
store sessions in | stores sessions in | sw | C | now
contain | contains | s | NCB | now
include | includes | s | NC | now
support | supports | s | NCG | now
extend | extends | s | C | now
implement | implements | s | C | now
wrap | wraps | s | C | now
expose | exposes | s | C | now
proxy | proxies | s | C | now
authenticate against | authenticates against | s | C | now
own | owns | psw | VNCDBP
manage | manages | pws | PCDN
lead | leads | pw | PCDN
supervise | manages | pw | PCDN
oversee | oversees | pw | CDN
maintain | maintains | psw | NC
chair | chairs | pw | ND
mentor | mentors | pw | P
coach | coaches | pw | PD
report to | reports to | pwn | P
belong to | belongs to | psn | PCND
like | likes | pw | X | now
love | loves | pw | X | now
hate | hates | pw | X | now
dislike | dislikes | pw | X | now
prefer | prefers | pw | X | now
enjoy | enjoys | pw | X | now
collect | collects | pw | B | now
drive | drives | pw | DN | now
eat | does not eat | pw | B | refused
drink | does not drink | pw | B | refused
marry | is married to | pw | P | begins
divorce | is married to | pw | P | ends
date | is dating | pw | P | progressive
grow up in | grew up in | pw | L | event
grow up on | grew up on | pw | D | event
grow up near | grew up near | pw | L | event
come from | is from | pw | L
hail from | is from | pw | L
graduate from | graduated from | pw | ND | event
study under | studied under | pw | P | event
found | founded | pws | ND | event
co-found | founded | pws | ND | event
cofound | founded | pws | ND | event
establish | founded | pws | N | event
create | created | ps | N | event
write | wrote | pw | N | event
direct | directed | pw | N | event
compose | composed | pw | N | event
produce | produced | p | N | event
invent | invented | pw | ND | event
design | designed | pw | N | event
paint | painted | pw | N | event
discover | discovered | p | N | event
acquire | acquired | s | N | event
buy | acquired | s | N | event org
merge with | merged with | s | N | event
star in | starred in | p | N | event
choose | chose | pws | NC | event
pick | chose | pws | NC | event
decide on | chose | pws | NC | event
decide to use | chose | pws | NC | event
opt for | chose | pws | NC | event
go with | chose | pws | NC | event
succeed | succeeded | p | P | event
defeat | defeated | p | P | event
die in | died in | p | L | event
die on | died on | p | T | event
die of | died of | p | BD | event
die from | died of | p | BD | event
be born in | was born in | pw | L | event
serve as | serves as | pw | R
act as | acts as | sn | R
sponsor | sponsors | s | N
border | borders | s | N | now
publish | publishes | s | N | now
produce | produces | s | NB | now
cost | costs | sn | V
weigh | weighs | psn | V
join | joined | pw | NCD | join
leave | left | pw | NCD | leave
quit | left | pw | NCD | leave
resign from | left | pw | NCD | leave
retire from | left | pw | NCD | leave
"""

_PASSIVE: Final = """
bear in | was born in | pw | L | event
bear at | was born in | p | N | event
bear on | was born on | pw | T | event
bear in | was born on | pw | T | event
bear to | is the child of | p | P | event
raise in | grew up in | pw | L | event
educate at | was educated at | pw | ND | event
bury in | was buried in | p | LN | event
bury at | was buried in | p | LN | event
found by | was founded by | sn | NP | event
found in | was founded in | sn | TL | event
found on | was founded in | sn | T | event
co-found by | was founded by | sn | NP | event
establish by | was founded by | sn | NP | event
establish in | was founded in | sn | TL | event
create by | was created by | sn | NP | event
direct by | was directed by | sn | PN | event
write by | was written by | sn | PN | event
compose by | was composed by | sn | PN | event
produce by | was produced by | sn | PN | event
design by | was designed by | sn | PN | event
invent by | was invented by | sn | PN | event
develop by | was developed by | sn | PN | event
build by | was built by | sn | PN | event
build in | was built in | sn | T | event
build with | is built with | sn | C
build on | is built on | sn | C
paint by | was painted by | sn | PN | event
publish by | was published by | sn | PN | event
publish in | was published in | sn | T | event
publish on | was published on | sn | T | event
record by | was recorded by | sn | PN | event
perform by | was performed by | sn | PN | event
sing by | was performed by | sn | PN | event
edit by | was edited by | sn | PN | event
narrate by | was narrated by | sn | PN | event
discover by | was discovered by | sn | PN | event
release in | was released in | sn | T | event
release on | was released on | sn | T | event
release by | was released by | sn | PN | event
distribute by | was distributed by | sn | N | event
own by | is owned by | sn | NPC
manage by | is managed by | sn | NPC
lead by | is led by | sn | NP
run by | is run by | sn | NP
maintain by | is maintained by | sn | NPC
operate by | is operated by | sn | NP
locate in | is located in | sn | LD
locate at | is located at | sn | ND
locate on | is located on | sn | ND
locate near | is located near | sn | LN
situate in | is located in | sn | L
situate on | is located on | sn | N
base in | is based in | psnw | L
base at | is based at | psw | ND
base on | is based on | sn | NC
host on | is hosted on | snb | NC
host in | is hosted in | snb | NC
host at | is hosted at | snb | NCV
host by | is hosted by | sn | NC
deploy on | is deployed on | snb | NC
deploy to | is deployed to | snb | NC
deploy in | is deployed in | snb | NC
deploy with | is deployed with | snb | NC
store in | is stored in | snb | NC
store on | is stored on | snb | NC
keep in | is kept in | snb | CDL | now
write in | is written in | sn | NC
back by | is backed by | sn | NC
power by | is powered by | sn | NC
monitor by | is monitored by | sn | NC
protect by | is protected by | sn | NC
name after | is named after | psn | NP | event
call | is called | sn | N
name | is called | sn | N
nickname | is called | p | N
know as | is known as | psn | N
marry to | is married to | pw | P
engage to | is engaged to | pw | P
acquire by | acquired | sn | N | event swap
buy by | acquired | sn | N | event swap
replace by | replaced | s | NC | event swap
replace with | replaced | s | NC | event swap
supersede by | replaced | sn | NC | event swap
succeed by | succeeded | p | P | event swap
use by | uses | sn | NC | swap
require by | requires | s | C | swap
call by | calls | s | C | swap
consume by | consumes from | s | C | swap
promote to | works as | pw | R | begins
appoint as | works as | pw | R | begins
appoint | works as | pw | R | begins
elect | works as | pw | R | begins
hire as | works as | pw | R | begins
hire by | works at | pw | N | begins
employ by | works at | pw | N
employ at | works at | pw | N
employ as | works as | pw | R
assign to | is assigned to | psnw | NPC
rename to | is called | sn | NCV | begins
rename | is called | s | NCV | begins
schedule for | is scheduled for | sn | T
schedule on | is scheduled for | sn | T
set to | is set to | sn | V | begins
raise to | is set to | sn | V | begins
increase to | is set to | sn | V | begins
lower to | is set to | sn | V | begins
reduce to | is set to | sn | V | begins
change to | is set to | sn | VT | begins
bump to | is set to | sn | V | begins
move to | is set to | n | T | begins
upgrade to | version is | s | V | begins
pin to | version is | s | V | begins
limit to | is limited to | sn | V
"""

_COMPLEMENT: Final = """
from | is from | pw | L
near | is located near | s | L
part of | is part of | spnw | NCD
a part of | is part of | spnw | NCD
a member of | is a member of | pws | ND
on | is a member of | pw | M
on call | is on call | pw |
on-call | is on call | pw |
in charge of | is in charge of | pw | NCDB
responsible for | is responsible for | pws | NCDB
allergic to | is allergic to | pw | B
intolerant to | is allergic to | pw | B
afraid of | is afraid of | pw | B
passionate about | is passionate about | pw | X
interested in | is interested in | pw | X
fluent in | speaks | pw | G
married to | is married to | pw | P
engaged to | is engaged to | pw | P
divorced from | is divorced from | pw | P
dependent on | depends on | sn | C
compatible with | is compatible with | sn | NC
incompatible with | is incompatible with | sn | NC
written in | is written in | sn | NC
"""


def _table(text: str) -> dict[str, tuple[Pattern, ...]]:
    found: dict[str, list[Pattern]] = {}
    for row in text.strip().splitlines():
        verb, predicate, subjects, objects, *marks = (cell.strip() for cell in row.split("|"))
        lemma, *between = verb.split()
        pattern = Pattern(tuple(between), predicate, subjects, objects, frozenset(" ".join(marks).split()))
        found.setdefault(lemma, []).append(pattern)
    return {lemma: tuple(sorted(rows, key=lambda row: -len(row.words))) for lemma, rows in found.items()}


ACTIVE: Final[Mapping[str, tuple[Pattern, ...]]] = _table(_ACTIVE)
PASSIVE: Final[Mapping[str, tuple[Pattern, ...]]] = _table(_PASSIVE)
COMPLEMENTS: Final[Mapping[str, tuple[Pattern, ...]]] = _table(_COMPLEMENT)

CHANGES: Final = frozenset(
    ("move", "relocate", "migrate", "switch", "replace", "upgrade", "rename", "adopt", "become", "get", "take")
)
"""Verbs read by rules of their own, because they say that one fact ended and another began."""

_OTHERS: Final = frozenset(("stop", "start", "begin", "quit", "transfer", "retire", "deprecate"))
_TERMS: Final = frozenset(
    """
    make dismiss remove fire sack oust depose vote force step stand depart confirm install reelect re-elect
    """.split()
)
"""Verbs of taking and giving up an office, of which only what happened is read: their other forms are nouns, too."""

_PARTICIPLES: Final = {
    "sworn": "swear",
    "born": "bear",
    "sung": "sing",
    "swum": "swim",
    "overseen": "oversee",
    "oversaw": "oversee",
}


def _lemmas() -> dict[str, tuple[str, str]]:
    """Return every form of every verb here: its base, and which form it is."""
    forms: dict[str, tuple[str, str]] = {}
    for lemma in sorted({*ACTIVE, *PASSIVE, *CHANGES, *_OTHERS} - {"be", "found"}):
        for form in forms_of(lemma):
            base, kind = VERB_FORMS.get(form, (lemma, kind_of(form)))
            if base == lemma or form not in VERB_FORMS:
                forms[form] = (lemma, kind)
        forms.setdefault(lemma, (lemma, BASE))
    for lemma in sorted(_TERMS):
        for form in forms_of(lemma):
            base, kind = VERB_FORMS.get(form, (lemma, kind_of(form)))
            if base == lemma and kind in (PAST, PARTICIPLE):
                forms.setdefault(form, (lemma, kind))
    for form, kind in (("found", BASE), ("founds", PRESENT), ("founded", PAST), ("founding", GERUND)):
        forms[form] = ("found", kind)
    for form, base in _PARTICIPLES.items():
        forms[form] = (base, PAST if form == "oversaw" else PARTICIPLE)
    return forms


LEMMAS: Final[Mapping[str, tuple[str, str]]] = _lemmas()
