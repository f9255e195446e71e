# SPDX-License-Identifier: Apache-2.0
"""Forms of the verbs that matter for finding clauses and for telling a clause's identity across tenses."""

from __future__ import annotations

from typing import Final

from .lexicon import word_set

_REGULAR: Final = sorted(
    word_set(
        """
abandon absorb accelerate accept access accompany accumulate accuse achieve acquire act activate adapt add adjust
admit adopt advance advise affect age aggravate agree aim allocate allow alter amend amount anger announce annoy
answer apologize appeal appear apply appoint approach approve argue arrange arrest arrive ask assassinate assemble
assess assign assist assume assure attach attack attempt attend attract attribute audit avoid award bake balance ban
bark base behave believe belong benefit bill blame blink block boil boot borrow bother bounce brake breach breathe
brush bubble bump bundle burn cache calculate call calm camp cancel capture care carry cascade cease celebrate
challenge change charge chase chat cheat check cheer chew choke circulate cite claim clash classify clean clear
click climb clog close coincide collapse collide combine commit communicate compare compete complain complete
complicate comply compress comprise concern conclude conduct configure confirm conflict confuse congratulate connect
consider consist consult consume contact contain contaminate continue contract contradict contrast contribute
control convert convince cook cool cope copy corrupt cough count cover crack crash create cross cry cure curl
customize cycle damage dance dare date debate debug decay decide declare declin decline decrease decrypt dedicate
defeat defend define degrade delay delegate delete deliver demand demonstrate demote deny depend deploy deprecate
dereference derive describe deserve desire destroy detach detect deteriorate determine devastate develop devote
diagnose die differ dim diminish direct disable disagree disappear disappoint discard discharge disconnect discover
discuss dismiss display disrupt dissolve distract distribute disturb divert divide dodge donate double download drag
drain drift drop drown dry dump duplicate earn ease eject elaborate elect elevate eliminate email embarrass embed
embrace emerge emit employ empty enable encounter encourage encrypt end enforce engage enhance enjoy enlarge enlist
enrich ensue ensure entail enter entitle envy erode erupt escalate escape establish evacuate evaluate evaporate
evict evolve exacerbate examine exceed exchange excite exclude excuse execute exercise exert exhaust exist exit
expand expect experience expire explain explode exploit explore export expose express extend extract face facilitate
fade fail faint fancy fear fetch fill finish fire fix flash flip float flood flourish flush focus fold follow force
form foster fuel function fund furnish gain gasp gather gaze generate glow grab grant greet grind grip guess halt
hammer hamper hand handle happen harden harm harvest hate heal heat help hesitate hinder hire hope host hug hunt
hurry identify ignore illustrate imagine impair implement imply import impose impress improve include increase
indicate induce infect inflate influence inform inherit inhibit initiate inject injure insert inspect inspire
install instigate instruct insulate integrate intend interact interfere interpret interrupt intervene introduce
invade invent invest investigate invite invoke involve irritate isolate issue join joke judge jump justify kick kill
knit knock label lack lag land last laugh launch leak learn lick lift like limit link list live load lobby lock log
look lower maintain malfunction manage mark match matter maximize measure melt merge migrate minimize misconfigure
misinterpret misplace miss mistype misuse mitigate model monitor motivate mount mourn move multiply murder name
nationalize need neglect negotiate nest nominate notice notify object oblige obscure observe obtain occupy occur
offer omit open operate opt order organize originate overcharge overflow overheat overlap overload overlook overrule
overwhelm own pack page paint panic park participate pass patch pause peak perform permit persist persuade pile
pinpoint place plan play plead plug plunge point poison polish poll position possess postpone pour practice practise
praise preach precede precipitate predict prefer prepare prescribe present preserve press presume pretend prevail
prevent print prioritize privatize probe proceed process produce promise promote prompt promulgate pronounce
propagate prosecute protect protest prove provide provoke publish pull pump punish purchase purge pursue push puzzle
quarrel question queue quote race rain raise rank rate ration reach react realign realise realize reassure rebel
reboot recall recede receive recognise recognize recommend reconcile reconnect recover recruit recur recycle
redeploy redirect reduce refer refill reflect refresh refuse regard register regret regulate reinforce reinstall
reject relate relax release relieve relocate rely remain remember remove rename render renew rent repair repeat
replace replay replicate reply report represent reproduce request require rescue resemble reserve reside resign
resist resolve resort respect respond restart restore restrict result resume retain retire retreat retry return
reveal revert review revise revive reward rob roll rot rotate route rub ruin rumble rupture rush sack sail sample
sanction saturate save scale scan scare scatter schedule scrap scratch scream screen seal search secure seem seize
select separate serve settle shape share shatter shelter shift ship shout shrug shuffle sign signal skid skip slam
slash slip slow smash smell smoke snap sneeze soak soar solve sound spark specify speculate spike spill splash spoil
sponsor sprain spray spur squeeze stabilise stabilize stagger stain stall stamp stare start starve state stay stem
step stimulate stir stop store strain strand strengthen stress stretch strip struggle submit subside substitute
subtract succeed succumb sue suffer suffocate suggest suit sum supervise supplement supply support suppress surge
surprise surrender surround survive suspect suspend sustain swallow swap swerve switch sympathize synchronize tackle
taste tax tease tempt tend tense terminate test thank threaten throttle tidy tie tighten time tire tolerate topple
toss total touch trace track trade train transfer transform transition translate transmit trap travel treat trickle
trigger trim trip trouble trust try tumble tune turn tweak twist type undermine unify uninstall unite unload unlock
unplug unveil update upgrade urge use utilize vacuum validate vanish vary verify violate visit vomit vote wait walk
want warm warn wash waste watch water weaken weigh welcome whip widen wipe wish witness wonder work worry worsen
wound wrap wreck yield zip
bruise chip curdle dent drip flicker fuse howl itch jam limp refund rehearse reschedule scorch seep singe sour
stumble thaw wilt
        """
    )
)

_IRREGULAR_TEXT: Final = """
arise arose arisen | be was been | become became become | begin began begun | bend bent bent | bet bet bet |
bind bound bound | bite bit bitten | bleed bled bled | blow blew blown | break broke broken |
bring brought brought | build built built | burst burst burst | buy bought bought | catch caught caught |
choose chose chosen | come came come | cost cost cost | cut cut cut | deal dealt dealt | dig dug dug |
do did done | draw drew drawn | drink drank drunk | drive drove driven | eat ate eaten | fall fell fallen |
feed fed fed | feel felt felt | fight fought fought | find found found | flee fled fled | fly flew flown |
forget forgot forgotten | freeze froze frozen | get got gotten | give gave given | go went gone |
grow grew grown | hang hung hung | have had had | hear heard heard | hide hid hidden | hit hit hit |
hold held held | hurt hurt hurt | keep kept kept | know knew known | lay laid laid | lead led led |
leave left left | lend lent lent | let let let | lie lay lain | light lit lit | lose lost lost | make made made |
mean meant meant | meet met met | overcome overcame overcome | pay paid paid | put put put | quit quit quit |
read read read | rebuild rebuilt rebuilt | ride rode ridden | ring rang rung | rise rose risen | run ran run |
say said said | see saw seen | seek sought sought | sell sold sold | send sent sent | set set set |
shake shook shaken | shoot shot shot | shrink shrank shrunk | shut shut shut | sink sank sunk | sit sat sat |
sleep slept slept | slide slid slid | speak spoke spoken | spend spent spent | spin spun spun |
split split split | spread spread spread | stand stood stood | steal stole stolen | stick stuck stuck |
strike struck struck | sweep swept swept | swell swelled swollen | swing swung swung | take took taken |
teach taught taught | tear tore torn | tell told told | think thought thought | throw threw thrown |
understand understood understood | wake woke woken | wear wore worn | win won won | withdraw withdrew withdrawn |
write wrote written | reset reset reset | overwrite overwrote overwritten | rewrite rewrote rewritten |
override overrode overridden | overbuild overbuilt overbuilt | misread misread misread |
mislead misled misled | misunderstand misunderstood misunderstood | undergo underwent undergone | undo undid undone |
redo redid redone | rerun reran rerun | resend resent resent | foresee foresaw foreseen | overrun overran overrun |
overdo overdid overdone | oversee oversaw overseen | outgrow outgrew outgrown | withhold withheld withheld |
withstand withstood withstood | undercut undercut undercut
"""
_IRREGULAR: Final = _IRREGULAR_TEXT.split("|")

BASE, PRESENT, PAST, PARTICIPLE, GERUND = "base", "present", "past", "participle", "gerund"

_NOUNS_TOO: Final = word_set(  # words that are at least as often nouns as verbs
    """
access act advance age amount approach attach attack attempt audit award balance ban bark benefit bill bite block
blow boot bother brake breach break brush bubble buffer build bundle burn burst cache call calm camp cancel care
cause challenge change charge chase chat check claim clash click concern conduct conflict contact contract contrast
control cook copy cost cough cover crack crash cross cry cure curl cut cycle damage dance dare date deal debate
decay decline decrease delay demand deploy desire discharge display draw drink drive drop dump email end escape
exchange excuse exercise exit experience export face fade fall fear feed fight filter fire fix flash float flood fly
focus fold force form fuel function fund gain gaze grab grant grip hammer hand hang harm harvest hate heal heat help
hit hold hope host hug hunt hurt import increase influence invoice issue joke judge label lack land launch lead leak
lick lie lift light like limit link list load lock log look mark match matter measure model monitor murder need nest
notice object offer offset open order overlap overload pack page paint panic park patch pause pile place plan play
plug point poison poll position practice praise present press print process produce prompt protest pull pump
purchase purge push puzzle quarrel question queue quote race rain rank rate ration read reboot regard regret release
rent repair reply report request rescue reset resort respect restart result return review reward ride ring rise roll
route rub run rush sack sail sample sanction scale scan scare schedule scrap scratch screen seal search set shape
share shift ship shot shout show shuffle sign signal slam slash sleep slide slip smell smoke sneeze sound spark
spike spill split spray spread spur squeeze stain stall stamp stand stare start state stay stem step stop store
strain strand stress stretch strike strip struggle suit sum supply support surge surprise suspect swap sweep swing
bruise chip dent drip flicker fuse howl itch jam limp refund
switch tackle taste tax tease test think throw tie time tire total touch trace track trade train transfer transition
trap travel trigger trip trouble trust tumble turn tweak twist type update upgrade use visit vote wait walk warm
waste watch water wear welcome whip win wish witness wonder work worry wound wreck yield zip
    """
)


def _present(base: str) -> str:
    if base.endswith(("s", "x", "z", "ch", "sh", "o")):
        return base + "es"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + "s"


def _doubles(base: str) -> bool:
    """Whether the last consonant may be doubled: one vowel before one final consonant."""
    return len(base) > 2 and base[-1] not in "aeiouwxy" and base[-2] in "aeiou" and base[-3] not in "aeiou"


def _suffixed(base: str, suffix: str) -> tuple[str, ...]:
    if base.endswith("e") and not (suffix == "ing" and base.endswith("ee")):
        stem = base[:-2] + "y" if suffix == "ing" and base.endswith("ie") else base[:-1]
        return (stem + suffix,)
    if suffix == "ed" and base.endswith("y") and base[-2] not in "aeiou":
        return (base[:-1] + "ied",)
    return (base + suffix, base + base[-1] + suffix) if _doubles(base) else (base + suffix,)


def _forms() -> dict[str, tuple[str, str]]:
    forms: dict[str, tuple[str, str]] = {}
    for verb in _REGULAR:
        for past in _suffixed(verb, "ed"):
            forms.setdefault(past, (verb, PAST))
    for entry in _IRREGULAR:
        base, past, participle = entry.split()
        forms[participle] = (base, PARTICIPLE)
        forms[past] = (base, PAST)
    bases = [*_REGULAR, *(entry.split()[0] for entry in _IRREGULAR)]
    for base in [*bases, "cause"]:
        forms.setdefault(base, (base, BASE))
        forms.setdefault(_present(base), (base, PRESENT))
        for gerund in _suffixed(base, "ing"):
            forms.setdefault(gerund, (base, GERUND))
    forms["caused"] = ("cause", PAST)
    return forms


VERB_FORMS: Final[dict[str, tuple[str, str]]] = _forms()
NOUN_LIKE: Final[frozenset[str]] = _NOUNS_TOO | frozenset(_present(word) for word in _NOUNS_TOO)


_FORMS_OF: Final[dict[str, set[str]]] = {}
for _form, (_verb, _) in VERB_FORMS.items():
    _FORMS_OF.setdefault(_verb, set()).add(_form)


def forms_of(base: str) -> tuple[str, ...]:
    """Every form of ``base``: itself, present, past, participle and gerund."""
    known = _FORMS_OF.get(base) or {base, _present(base), *_suffixed(base, "ed"), *_suffixed(base, "ing")}
    return tuple(sorted(known))


def kind_of(form: str) -> str:
    """What form of a verb a word is (``base``, ``present``, …), by its ending if the verb is not listed."""
    known = VERB_FORMS.get(form)
    if known is not None:
        return known[1]
    if form.endswith("ing"):
        return GERUND
    if form.endswith("ed"):
        return PAST
    return PRESENT if form.endswith("s") else BASE


_NOUN_AND_VERB: Final = (
    "failure:fail loss:lose death:die explosion:explode collision:collide eruption:erupt disruption:disrupt "
    "deletion:delete removal:remove growth:grow misconfiguration:misconfigure corruption:corrupt "
    "exhaustion:exhaust expiry:expire interruption:interrupt arrival:arrive rise:rise theft:steal sale:sell "
    "restoration:restore leakage:leak flooding:flood shutdown:shut closure:close departure:depart "
    "delivery:deliver discovery:discover breakage:break"
)
VERB_OF: Final[dict[str, str]] = dict(pair.split(":") for pair in _NOUN_AND_VERB.split())
"""The verb for what happened, by the noun that names it."""


def verb_of(noun: str) -> str:
    """The verb for what a noun names ("disconnection": disconnect); the noun itself if it comes from none."""
    if noun in VERB_OF:
        return VERB_OF[noun]
    for ending in ("ion", "ment", "al", "ure", "age"):
        stem = noun.removesuffix(ending)
        if stem != noun:
            for base in (stem, stem + "e"):
                if VERB_FORMS.get(base, ("", ""))[1] == BASE:
                    return base
    return noun
