# SPDX-License-Identifier: Apache-2.0
"""Forms of the verbs that matter for finding clauses and for telling a clause's identity across tenses."""

from __future__ import annotations

from typing import Final

_REGULAR: Final = """
accept access accuse achieve act activate add adjust admit advise affect agree aim allow announce answer appear apply
approve argue arrest arrive ask assume attack attempt attend attribute avoid award ban base behave believe belong
benefit blame block boot borrow bounce bump burn call cancel capture carry cascade cease change charge check claim
clean clear click climb close collapse collide combine complain complete compress conclude configure confirm confuse
connect consider consist consume contain contaminate continue contribute convert cool corrupt count cover crack crash
create cross damage decide declare declin decline decrease define degrade delay delete deliver demand deny depend deploy
derive describe deserve destroy detect deteriorate determine develop die differ dim direct disable disagree disappear
disconnect discover disrupt dissolve divert divide double drag drain drop dry earn ease elect elevate email eliminate
emerge emit enable encounter end enforce enjoy enlist ensue ensure enter erode erupt escalate escape establish evacuate
evaporate evict exceed exclude execute exhaust exist exit expand expect experience expire explain explode export expose
extend face fail fall-back fear fetch fill finish fix flip flood flush focus follow force form freeze-up gain gather
generate grant grind guess handle hang-up happen harden heat help hesitate hire hope hurry identify ignore improve
include increase indicate induce infect inform inject injure insert install intend interfere interrupt introduce invade
investigate invite involve issue join jump kick kill knock label lack land last laugh launch leak learn lift like limit
link list live load lock log look lower maintain malfunction manage mark match matter measure melt merge migrate miss
mitigate mount move multiply name need notice observe obtain occur offer omit open operate order originate overflow
overheat overload overwhelm own page panic park pass patch pause perform permit persist place plan play plug point poison
poll pour prefer prepare present press prevent print proceed process produce promise promote prompt propagate protect
protest prove provide provoke publish pull pump punish purchase push question queue raise reach react realize realise
reboot receive recognize recognise recommend recover redeploy redirect reduce refuse register reject relate release rely
remain remember remove rename repair repeat replace replicate reply report request require rescue reset-up resign resist
resolve respond restart restore result resume retire retry return reveal revert roll rotate route ruin rupture rush
saturate save scale scan schedule scream search seem select separate serve settle shift shrink-wrap sign skip slip slow
smash smell snap soar spark spike spill stabilise stabilize stall start starve state stay stem step stop store stretch
struggle submit succeed suffer suggest supply support surge surprise surrender survive suspect suspend switch tend
terminate test thank threaten throttle tighten time touch trace track trade train transfer translate travel treat trigger
trip trust try tune turn twist type uninstall unlock update upgrade use validate vanish vary visit vote wait wake-up walk
want warn wash waste watch weaken widen wipe wish withdraw-from wonder work worry worsen yield
abandon absorb accelerate accompany accumulate acquire adapt adopt advance age aggravate allocate alter amend amount
anger annoy apologize appeal appoint approach arrange assassinate assemble assess assign assist assure attach attract
audit back-up bake balance bark bill blink boil bother brake breach breathe brush bubble bundle cache calculate calm
camp care celebrate challenge chase chat cheat cheer chew choke circulate cite clash classify clog coincide commit
communicate compare compete complicate comply comprise concern conduct conflict congratulate consult contact contract
contradict contrast control convince cook cope copy cough cry cure curl customize cycle dance dare date debate debug
decay decrypt dedicate defeat defend delegate demonstrate demote deprecate dereference desire detach devastate
devote diagnose differ-from diminish disappoint discard discharge discuss dismiss display distract
distribute disturb dodge donate download drift drown dump duplicate eject elaborate embarrass embed embrace employ
empty encourage encrypt engage enhance enlarge enrich entail entitle envy evaluate evolve exacerbate examine
exchange excite excuse exercise exert exploit explore express extract facilitate fade faint fancy fire flash float
flourish fold forbid-not forecast-not foster fuel function fund furnish gasp gather gaze glow grab greet grip halt
hammer hamper hand harm harvest hate heal hinder host hug hunt illustrate imagine impair implement imply import impose
impress inflate influence inherit inhibit initiate inspect inspire instigate instruct insulate integrate interact
interpret intervene invent invest invoke irritate isolate joke judge justify knit lag lick lobby maximize melt-down
migrate minimize misconfigure misinterpret mislead-not misplace misread-not mistype misuse model monitor motivate mourn
murder nationalize neglect negotiate nest nominate notify object oblige obscure occupy offset-not opt organize outgrow-not
overcharge overlap overlook overrule own-up pack paint park-in participate peak persuade pile pinpoint plead plunge
polish poll-ed position possess postpone practise practice praise preach precede precipitate predict prescribe preserve
presume pretend prevail prioritize privatize probe promulgate pronounce prosecute purge pursue puzzle quarrel queue-up
quote race rain rank rate ration realign reassure rebel recall recede recruit reconcile reconnect recur recycle refer
refill reflect refresh regard regret regulate reinforce reinstall reject-ed relax relieve relocate rely-on render renew
rent replay represent reproduce resemble reserve reside resort respect restrict retain retreat review revise revive
reward rise-up rob rollback-not rot rub rumble sack sail sample sanction scare scatter scrap scratch screen seal secure
seize shape share shatter shed-not shelter ship shout shrug shuffle signal sink-in skid slam slash smoke sneeze
soak solve sound specify speculate splash spoil sponsor spray sprain spur squeeze stabilize-d stagger stain stamp stare
starve stimulate stir strain strand strengthen stress strip subside substitute subtract succumb sue suffocate suit
sum supervise supplement suppress surround sustain swallow swap swerve sympathize synchronize tackle taste tax tease
tempt tense tidy tie tire tolerate topple toss total transform transition transmit trap trickle trim trouble
tumble tweak undermine unify unite unload unplug unveil urge utilize vacuum verify violate vomit warm water weigh
welcome whip widen-ed witness wound wrap wreck zip
""".split()

_IRREGULAR: Final = """
arise arose arisen|be was been|become became become|begin began begun|bend bent bent|bet bet bet|bind bound bound|
bite bit bitten|bleed bled bled|blow blew blown|break broke broken|bring brought brought|build built built|
burst burst burst|buy bought bought|catch caught caught|choose chose chosen|come came come|cost cost cost|
cut cut cut|deal dealt dealt|dig dug dug|do did done|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|
fall fell fallen|feed fed fed|feel felt felt|fight fought fought|find found found|flee fled fled|fly flew flown|
forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|
hang hung hung|have had had|hear heard heard|hide hid hidden|hit hit hit|hold held held|hurt hurt hurt|keep kept kept|
know knew known|lay laid laid|lead led led|leave left left|lend lent lent|let let let|lie lay lain|light lit lit|
lose lost lost|make made made|mean meant meant|meet met met|overcome overcame overcome|pay paid paid|put put put|
quit quit quit|read read read|rebuild rebuilt rebuilt|ride rode ridden|ring rang rung|rise rose risen|run ran run|
say said said|see saw seen|seek sought sought|sell sold sold|send sent sent|set set set|shake shook shaken|
shoot shot shot|shrink shrank shrunk|shut shut shut|sink sank sunk|sit sat sat|sleep slept slept|slide slid slid|
speak spoke spoken|spend spent spent|spin spun spun|split split split|spread spread spread|stand stood stood|
steal stole stolen|stick stuck stuck|strike struck struck|sweep swept swept|swell swelled swollen|swing swung swung|
take took taken|teach taught taught|tear tore torn|tell told told|think thought thought|throw threw thrown|
understand understood understood|wake woke woken|wear wore worn|win won won|withdraw withdrew withdrawn|
write wrote written|reset reset reset|overwrite overwrote overwritten|rewrite rewrote rewritten|override overrode overridden
""".replace("\n", "").split("|")

BASE, PRESENT, PAST, PARTICIPLE, GERUND = "base", "present", "past", "participle", "gerund"

_NOUNS_TOO: Final = frozenset(  # words that are at least as often nouns as verbs
    """access act attack attempt award ban benefit block boot burn call cancel cause change charge check claim click
    cover crack crash cross damage decline decrease delay demand deploy drop email end escape experience exit export
    face fear fix flood focus force form gain grant heat help hope increase issue label lack land launch leak lift like
    limit link list load lock log look mark match matter measure need notice offer open order overload page panic park
    patch pause place plan play plug point poison poll present press print process produce prompt protest pull pump
    purchase push question queue reboot release repair reply report request rescue restart result return roll route rush
    scale scan schedule search shift sign slip smell spark spike spill stall start state stay stem step stop store
    stretch struggle supply support surge surprise suspect switch test time touch trace track trade train transfer travel
    trigger trip trust turn twist type update upgrade use visit vote wait walk waste watch wish wonder work worry yield
    advance age amount approach attach audit balance bark bill bother brake breach brush bubble bundle cache calm camp care
    challenge charge chase chat clash concern conduct conflict contact contract contrast control cook copy cough cry
    curl cure cycle dance dare date debate decay desire discharge display dump exchange excuse exercise export fade fire
    flash float fold fuel function fund gaze grab grip hammer hand harm harvest hate host hug hunt import influence
    invoice joke judge lick model monitor murder nest object offset overlap pack paint pile poll position practice praise
    purge puzzle quarrel quote race rain rank rate ration regard regret rent resort respect review reward rub sack sail
    sample sanction scare scratch screen scrap seal shape share ship shout shuffle signal slam slash smoke sneeze sound
    spray spur squeeze stain stamp stare strain strand stress strip suit sum swap tackle taste tax tease tie tire total
    trap tweak transition trouble tumble warm water welcome whip witness wound wreck zip object heal filter buffer page
    break burst bite blow build cost cut deal draw drink drive fall feed fight fly hang hit hold hurt lead lie light read
    ride ring rise run set shot show sleep slide spread stand strike sweep swing think throw wear win reset split""".split()
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
        if "-" not in verb:
            for past in _suffixed(verb, "ed"):
                forms.setdefault(past, (verb, PAST))
    for entry in _IRREGULAR:
        base, past, participle = entry.split()
        forms[participle] = (base, PARTICIPLE)
        forms[past] = (base, PAST)
    bases = [v for v in _REGULAR if "-" not in v] + [entry.split()[0] for entry in _IRREGULAR]
    for base in [*bases, "cause"]:
        forms.setdefault(base, (base, BASE))
        forms.setdefault(_present(base), (base, PRESENT))
        for gerund in _suffixed(base, "ing"):
            forms.setdefault(gerund, (base, GERUND))
    forms["caused"] = ("cause", PAST)
    return forms


VERB_FORMS: Final[dict[str, tuple[str, str]]] = _forms()
NOUN_LIKE: Final[frozenset[str]] = _NOUNS_TOO | frozenset(_present(word) for word in _NOUNS_TOO)


def forms_of(base: str) -> tuple[str, ...]:
    """Every form of ``base``: itself, present, past, participle and gerund."""
    known = {form for form, (verb, _) in VERB_FORMS.items() if verb == base}
    if not known:
        known = {base, _present(base), *_suffixed(base, "ed"), *_suffixed(base, "ing")}
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
