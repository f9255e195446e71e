# SPDX-License-Identifier: Apache-2.0
"""The words that reading cause and effect needs: closed classes, and the verbs whose forms it must know."""

from __future__ import annotations

from typing import Final

Words = frozenset[str]


def word_set(text: str) -> Words:
    """The words of ``text`` as a set."""
    return frozenset(text.split())


DETERMINERS: Final = word_set(
    "the a an this that these those my your his her its our their some any no each every many much several few "
    "both another other such what one two three four five six seven eight nine ten most more all various "
    "certain"
)
SUBJECT_PRONOUNS: Final = word_set("i you he she it we they this that these those there who everyone nobody someone")
PRONOUNS: Final = SUBJECT_PRONOUNS | word_set(
    "me him her us them which whom himself herself itself themselves ourselves something anything nothing everything"
)
BE: Final = word_set("is are was were be been being am isn't aren't wasn't weren't 's 're ain't")
HAVE: Final = word_set("has have had having hasn't haven't hadn't 've")
DO: Final = word_set("do does did don't doesn't didn't")
MODALS: Final = word_set(
    "can could will would may might must shall should cannot can't couldn't won't wouldn't mightn't mustn't "
    "shouldn't 'll 'd ca wo"
)
AUXILIARIES: Final = BE | HAVE | DO | MODALS
NOT_FINITE: Final = word_set("be been being having")
FINITE_AUXILIARIES: Final = AUXILIARIES - NOT_FINITE - word_set("ca wo")
NEGATIONS: Final = word_set(
    "not n't never no neither nor without hardly cannot isn't aren't wasn't weren't ain't hasn't haven't hadn't "
    "don't doesn't didn't can't couldn't won't wouldn't mightn't mustn't shouldn't"
)
PREPOSITIONS: Final = word_set(
    "of in on at by for from to with without into onto over under through throughout during after before since "
    "until between among against about as per via within across near around upon toward towards despite like "
    "unlike regarding following besides beyond behind below above along off out up down"
)
SUBORDINATORS: Final = word_set(
    "because although though while whereas if unless when whenever where after before until once since whether lest"
)
CONDITIONS: Final = word_set("if unless whether lest")
COORDINATORS: Final = word_set("and or but so yet nor & plus")
RELATIVES: Final = word_set("which that who whom whose")
MANNER: Final = word_set(  # adverbs that may stand between a subject and its verb or before a connective
    "also then thus still just even already soon now later often always never once again only ever perhaps "
    "maybe therefore hence instead eventually further in turn both either not n't somehow somewhat sometimes "
    "likely rather reportedly mostly partly mainly largely primarily chiefly solely simply indeed probably "
    "possibly too however thereby have-been well almost quite very much in-part together alone itself "
    "themselves"
) - word_set("in turn have-been in-part")
OPENERS: Final = word_set(  # dropped from the front of a clause
    "e.g i.e namely and but or so yet however therefore thus hence consequently accordingly moreover "
    "furthermore meanwhile also then unfortunately additionally finally subsequently eventually indeed "
    "fortunately initially probably possibly perhaps maybe likely apparently evidently partly mainly largely "
    "primarily mostly simply just instead later soon now well nevertheless nonetheless ultimately presumably "
    "potentially afterwards again first second third lastly that which only merely further besides plus yes "
    "actually basically essentially specifically thereby"
)
HEDGES: Final = word_set(
    "may might could possibly probably perhaps maybe likely presumably potentially apparently allegedly "
    "reportedly suspected suspect suspects appears appear appeared seems seem seemed believe believed believes "
    "think thinks thought suggests suggest supposedly conceivably would assume assumed hypothesis plausible "
    "guess mightn't"
)
REPORTING: Final = word_set(
    "said says say saying think thinks thought believe believes believed claim claims claimed state states "
    "stated argue argues argued note notes noted report reports reported found find finds show shows showed "
    "shown suggest suggests suggested determined concluded conclude explain explained explains announce "
    "announced confirmed confirm indicate indicates indicated reveal revealed reveals know knows knew "
    "discovered realized realised noticed learned warned warn feared fear fears felt feel feels understand "
    "recognize assume assumed sure clear evident likely evidence fact idea view hypothesis theory possible true "
    "ensure mean means meant see saw maintain maintained estimates estimated identified observed agreed agree "
    "insist insisted told hope hoped heard hear hears admit admits admitted writes wrote mentioned"
)
SAYING: Final = word_set(  # reporting verbs that also take a clause without "that"
    "said says say think thinks thought believe believes believed claimed claims argued stated suspect suspected fear"
)
GENERIC_NOUNS: Final = word_set(  # "this problem" says nothing by itself
    "issue issues problem problems incident incidents outage outages failure failures error errors event events "
    "bug change changes situation behavior behaviour condition conditions disruption disruptions downtime crash "
    "accident fault faults fact development combination process phenomenon effect defect mistake omission "
    "decision move delay delays degradation step action mismatch discrepancy scenario increase decrease drop "
    "spike disturbance interruption"
)
INCIDENT_NOUNS: Final = word_set(
    "issue issues problem problems incident incidents outage outages failure disruption disruptions downtime "
    "crash accident degradation interruption disturbance blackout breach"
)
INCIDENT_MODIFIERS: Final = word_set(
    "core actual real primary root whole entire above service overall initial original underlying main very same"
)
OUTCOMES: Final = word_set(
    "pain pains ache aches headache headaches toothache fever fevers rash rashes nausea dizziness fatigue "
    "injury injuries burn burns scar scars wrinkle wrinkles infection infections inflammation irritation "
    "irritations allergy allergies swelling bleeding bruise bruises bruising cough coughing tremor tremors "
    "shock stress tension anxiety depression fear fears panic anger rage grief sorrow sadness joy happiness "
    "pleasure satisfaction dissatisfaction enjoyment disappointment excitement frustration confusion relief "
    "comfort discomfort suffering death deaths fatality fatalities casualty casualties mortality morbidity "
    "illness illnesses disease diseases damage damages destruction devastation loss losses harm harms impact "
    "disruption disruptions delay delays outage outages downtime failure failures error errors crash crashes "
    "timeout timeouts latency congestion overload backlog spike spikes pollution contamination emission "
    "emissions radiation noise smoke erosion corrosion shrinkage flooding flood floods explosion explosions "
    "famine shortage shortages extinction collapse exhaustion intoxication poisoning profit profits revenue "
    "revenues gain gains benefit benefits income savings fallout backlash outrage reaction reactions criticism "
    "controversy problem problems complication complications interference blockage distortion drought "
    "inequality unemployment increase decrease decline drop reduction improvement improvements progress stain "
    "stains odor odour smell mess leak leaks tears tear insomnia sickness disability disappearance evacuation "
    "fulfillment fulfilment confidence hardship distress trauma aftershock aftershocks boost worsening "
    "calcification dehydration starvation concussion fracture fractures weakness soreness stiffness numbness "
    "dryness itching redness cancer cancers tumor tumors anemia accident accidents mistake mistakes incident "
    "incidents issue issues symptom symptoms consequence consequences degradation corruption inconvenience "
    "danger pressure screaming fire fires growth rust mold mould decay wear dust contractions strain bankruptcy "
    "riot riots unrest displacement activation behaviour behavior sound sounds tone light heat warmth "
    "electricity energy current field wave waves signal signals steam fumes vibration swell tide tides tsunami "
    "shockwave shockwaves surplus deficit impression debate opposition uproar chaos gridlock risk risks ecstasy "
    "havoc carnage silence laughter doubt doubts suspicion resentment enthusiasm hope crack cracks rupture "
    "ruptures quarrel dispute disputes conflict conflicts tensions stagnation inflation recession crisis hunger "
    "thirst obesity hypertension diabetes hepatitis asthma pneumonia meningitis diarrhea diarrhoea vomiting "
    "cramps cramp hives blister blisters sunburn frostbite migraine migraines seizure seizures stroke strokes "
    "miscarriage deformity abnormality abnormalities mutation mutations discoloration deformation warping "
    "deterioration leakage seepage debris soot ash residue echo glare static hum buzz friction turbulence "
    "recoil applause embarrassment shame guilt boredom loneliness jealousy envy hatred pride despair "
    "inspiration amusement delight thrill surprise awe annoyance aggravation nuisance penalty penalties lawsuit "
    "lawsuits earnings proceeds winnings royalties waste runoff slowdown slowness deadlock deadlocks contention "
    "exception exceptions smog mismatch duplicates inconsistency inconsistencies"
)
HAPPENINGS: Final = word_set(  # nouns that name something that happens and may have consequences
    "accident accidents attack attacks blast bombing bombings bomb bombs collapse collision crash crashes death "
    "deaths disaster drought earthquake earthquakes quake eruption explosion explosions failure failures fall "
    "fight fire fires flood floods flooding hurricane injury leak loss outbreak outage outages rain rains "
    "rainfall shooting spill spilling storm storms strike surgery tornado tsunami typhoon war withdrawal deploy "
    "deployment upgrade migration reboot restart update release misconfiguration power-cut overload surge spike "
    "typo change changes bug divorce layoff layoffs recession merger closure breakup scandal failover rollout "
    "hail frost heatwave blackout rupture therapy"
)
UNDERGOING: Final = word_set("experienced suffered saw encountered underwent faced")
TROUBLE: Final = word_set(  # something went wrong: what lets "after" and "when" count as causal
    "fail fails failed failing failure failures crash crashes crashed crashing break breaks broke broken die "
    "died dies lost lose loses losing expire expired expires exhausted exceeded exceed exceeds overflow "
    "overflowed overloaded overload collapsed collapse collapses stopped stuck hung froze frozen corrupt "
    "corrupted leak leaked leaks leaking failing error errors timeout timeouts outage outages bug bugs misconfigured "
    "misconfiguration disconnected unavailable unreachable deleted deletes dropped drop fell fall falls burst "
    "rupture ruptured exploded explosion flooded flood fire burned burnt killed injured hit struck damaged "
    "damage tripped blew overheated overheating missing wrong collided collision accident earthquake storm "
    "hurricane ran-out saturated rejected degraded degradation spike spiked surge surged accidentally "
    "mistakenly incorrect incorrectly shutdown panic panicked malfunction malfunctioned unresponsive unable "
    "attack attacked cut severed spilled spilling invalid lacked"
)
BELIEFS: Final = word_set(
    "believe believes believed think thinks thought suspect suspects suspected assume assumed assumes guess "
    "possible suggests suggest suggested appears seems seemed appeared allegedly reportedly apparently perhaps "
    "maybe possibly probably claims claimed hypothesis theory"
)
WITHHOLDING: Final = word_set(  # verbs whose "from" names what is kept away, not a cause
    "prevent prevents prevented preventing stop stops stopped stopping keep keeps kept keeping block blocks "
    "blocked blocking protect protects protected protecting recover recovers recovered recovering remove "
    "removes removed removing exclude excluded shed save saved free freed separate separated hide hidden escape "
    "escaped return returned reset distinguish shift shifted move moved divert diverted transfer transferred "
    "export exported read restore restored restoring differ differs different range ranges ranging away far "
    "apart collect collected receive received get data"
) - word_set("get receive received")
VERDICTS: Final = word_set(  # verbs that take their reason with "for"
    "thanked thank congratulated congratulate praised praise praises criticized criticised criticize criticise "
    "chastised punished punish penalized penalised fined arrested jailed imprisoned sentenced convicted "
    "prosecuted indicted fired sacked dismissed expelled kicked suspended banned sued reward rewarded honored "
    "honoured apologized apologised apologize apologise forgave forgive forgiven scolded reprimanded admonished "
    "condemned commended applauded admired grateful thankful sorry famous detained disciplined demoted "
    "ridiculed mocked executed evicted rejected chided rebuked faulted compensated reimbursed disqualified "
    "deported lauded grounded blacklisted distanced admonishes acknowledge acknowledged criticizes sentences "
    "arrests fines"
)
_NOT_ADVERBS: Final = word_set(
    "family supply reply assembly anomaly july italy apply comply fly early daily only rely multiply"
)
DEGREES: Final = word_set(  # may stand between a verb and its preposition, or before a conjunction
    "in part largely mainly primarily partly partially directly solely entirely mostly chiefly at least "
    "ultimately either simply purely again indirectly inadvertently eventually both only originally initially "
    "accidentally actually probably likely possibly apparently straight back quickly just perhaps maybe "
    "presumably also precisely exactly especially particularly potentially"
)


def is_adverb(word: str) -> bool:
    """An adverb of manner, degree or time that may stand before a verb."""
    return word in MANNER or (word.endswith("ly") and word not in _NOT_ADVERBS)


SPECIFYING: Final = word_set("specifically particularly notably especially namely")
CODE_MARKS: Final = frozenset("{}[]=<>|\\")
EMPTY: Final = (  # words that leave a side without content
    DETERMINERS
    | PRONOUNS
    | AUXILIARIES
    | PREPOSITIONS
    | COORDINATORS
    | SUBORDINATORS
    | OPENERS
    | MANNER
    | word_set(
        "result results cause causes reason reasons way thing things part to unknown unclear why how investigation"
    )
)
DANGLING: Final = (  # dropped from the end of a clause
    (DETERMINERS - word_set("one two three four five six seven eight nine ten all both"))
    | word_set("of at by for from to with into and or but so which who whose because as than also then thereby if")
    | word_set(
        "is are was were be been being has have had may might can could will would does did that when while where"
    )
    | word_set(
        "largely mainly primarily partly mostly possibly probably perhaps likely simply just therefore thus hence"
    )
    | word_set(
        "consequently even only presumably subsequently potentially apparently ultimately eventually not directly"
    )
)
MONTH_NAMES: Final = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov dec"
)
MONTHS: Final = MONTH_NAMES | word_set("monday tuesday wednesday thursday friday saturday sunday")
