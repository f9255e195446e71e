# SPDX-License-Identifier: Apache-2.0
"""Word lists for reading statements out of English prose."""

from __future__ import annotations

from ...domain.stopwords import STOP_WORDS
from .. import vocabulary as words


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIRST = word_set("i we")
FIRST_OBJECT = word_set("me us")
FIRST_OWNER = word_set("my our")
OTHER_OWNER = word_set("his her their its")
HE_SHE = word_set("he she")
ARTICLES = word_set("a an the")
DEICTIC = word_set("this that these those your ur such another other any some no every each either neither")
"""Determiners that point outside the sentence, or say that nothing in particular is meant."""

DOUBT = word_set(
    """
    if unless whether suppose imagine pretend assuming hypothetically maybe perhaps probably possibly presumably
    apparently allegedly supposedly reportedly seemingly rumored rumoured rumor rumour conceivably theoretically
    otherwise likely unlikely purportedly prob kinda doubt
    """
)
"""Words that make a whole sentence no statement."""

DOUBT_PAIRS = frozenset(
    (one, other)
    for one in ("i", "we", "people", "some")
    for other in (
        *("think", "guess", "believe", "suppose", "assume", "reckon", "doubt", "hope", "wish", "bet", "suspect"),
        *("imagine", "heard", "dreamed", "dreamt", "thought", "forget", "wonder", "hear"),
    )
) | {("not", "sure"), ("let's", "say"), ("in", "case"), ("no", "idea")}

REPORTS = word_set(
    """
    said says say saying told tell tells claims claimed thinks thought believes believed hopes hoped hoping wants wanted
    wishes wished wishing asked asks suggested suggests wondered heard dreamed dreamt assumed assumes proposes proposed
    pretended pretends argues argued alleged denied denies joked jokes lied promised promises predicts predicted expects
    expected recommends recommended hypothesized speculated
    """
)
"""Verbs after which the rest of a sentence is not what the teller states."""

MODALS = word_set("will would could should may might must can cannot shall 'll 'd ought gonna wanna")

ADVERBS = word_set(
    """
    currently now still also mainly primarily only always usually often mostly actually really both recently just
    already officially now presently mostly generally typically all originally formerly previously normally
    permanently temporarily regularly then later eventually finally soon subsequently once first best happily
    absolutely totally truly especially definitely fully entirely strongly jointly directly internally quietly simply
    heavily basically personally legally proudly too
    """
)
"""Adverbs that may stand in or around a verb group without changing what is said."""

FORMER = word_set("formerly previously originally once")

OPENERS = word_set(
    """
    and but so also well yes yeah yep ok okay oh hey hi hello fyi btw currently now today nowadays presently actually
    originally previously formerly recently finally eventually then later meanwhile plus additionally moreover
    furthermore however still anyway anyways technically officially since no sure right great thanks lol haha wow
    although though whereas because while subsequently afterwards thereafter hence therefore thus consequently
    """
)
"""What may stand in front of a clause without being part of it."""

REMINDERS = (
    ("remember", "that"),
    ("please", "remember", "that"),
    ("note", "that"),
    ("please", "note", "that"),
    ("keep", "in", "mind", "that"),
    ("for", "the", "record"),
    ("just", "so", "you", "know"),
    ("by", "the", "way"),
    ("in", "fact"),
    ("these", "days"),
    ("of", "course"),
    ("at", "the", "moment"),
    ("at", "present"),
    ("right", "now"),
    ("remember",),
    ("note",),
)

MORE_STOPS = word_set(
    """
    currently today tomorrow yesterday tonight nowadays together anymore later ago recently therefore etc vs versus
    onwards onward forward daily weekly monthly yearly too using including located based born named called known
    directed written starring featuring produced composed performed released published founded owned which who whom
    whose that thanks please although though however located previously formerly initially originally alongside
    whilst instead due rather plus worldwide online offline abroad nearby everywhere exclusively
    """
)
PHRASE_STOPS = (
    STOP_WORDS - word_set("other same own past like off well no lots lot many few us") | MORE_STOPS
)  # what ends a noun phrase

PREPOSITIONS = word_set(
    """
    in on at of for to from with without by into onto over under near behind inside outside through across about
    against around as between during before after since until till via within upon
    """
)
BOUNDARIES = word_set(
    """
    and but ; — – because while although though whereas who which so then when where since or if as after before :
    """
)
CLAUSE_STARTS = word_set("and but ; — – because although though whereas while so - : • , then")

KIN = word_set(
    """
    sister brother mother father mom dad mum wife husband spouse son daughter cousin aunt uncle nephew niece grandma
    grandpa grandmother grandfather grandson granddaughter stepmother stepfather stepsister stepbrother stepson
    stepdaughter twin sibling parent child fiancé fiancée fiance fiancee girlfriend boyfriend partner ex godmother
    godfather mother-in-law father-in-law sister-in-law brother-in-law half-brother half-sister
    """
)
BLOOD = word_set(
    """
    sister brother mother father son daughter cousin aunt uncle nephew niece grandmother grandfather grandson
    granddaughter twin child half-brother half-sister parent sibling
    """
)
ACQUAINTANCE = word_set(
    """
    friend colleague boss manager supervisor coworker co-worker teammate roommate flatmate housemate neighbor
    neighbour landlord landlady mentor coach teacher tutor therapist dentist doctor lawyer accountant trainer
    assistant student advisor adviser mentee intern nanny babysitter plumber electrician mechanic gardener
    hairdresser barber vet cleaner co-founder cofounder successor predecessor disciple apprentice pupil
    """
)
RELATIONAL = KIN | ACQUAINTANCE
SPOUSES = word_set("wife husband spouse")
BOSSES = word_set("boss manager supervisor")
PETS = word_set("dog cat puppy kitten parrot hamster rabbit horse turtle tortoise goldfish pet guinea-pig snake lizard")

MUTUAL = {
    "married": "is married to",
    "engaged": "is engaged to",
    "dating": "is dating",
    "siblings": "is the sibling of",
    "brothers": "is the brother of",
    "sisters": "is the sister of",
    "twins": "is the twin of",
    "cousins": "is the cousin of",
    "friends": "is the friend of",
    "colleagues": "is the colleague of",
    "coworkers": "is the colleague of",
    "co-workers": "is the colleague of",
    "teammates": "is the teammate of",
    "neighbours": "is the neighbour of",
    "neighbors": "is the neighbour of",
    "roommates": "is the roommate of",
    "flatmates": "is the flatmate of",
    "partners": "is the partner of",
    "divorced": "is divorced from",
}

ROLE_NOUNS = word_set(
    """
    ceo cto cfo coo cio ciso vp president director manager lead head chair chairman chairwoman chairperson chief
    minister mayor governor secretary ambassador professor founder co-founder cofounder owner editor engineer
    developer designer teacher nurse doctor lawyer accountant architect analyst scientist researcher student writer
    author journalist photographer musician singer actor actress chef cook baker barista electrician plumber carpenter
    mechanic consultant administrator admin operator librarian pharmacist dentist surgeon therapist psychologist
    counselor counsellor coach trainer pilot driver firefighter paramedic officer sergeant captain soldier farmer
    gardener florist veterinarian vet translator interpreter intern recruiter salesperson cashier waiter waitress
    bartender receptionist assistant supervisor principal dean lecturer tutor physicist chemist biologist
    mathematician economist historian philosopher poet novelist painter sculptor dancer composer conductor producer
    screenwriter filmmaker comedian athlete footballer swimmer runner cyclist boxer golfer cricketer politician
    diplomat judge attorney banker trader broker entrepreneur investor businessman businesswoman maintainer
    contributor programmer technician tester volunteer freelancer contractor mentor nanny housewife retiree sysadmin
    sre dba king queen prince princess emperor empress duke duchess count countess earl baron bishop archbishop pope
    cardinal priest monk nun saint chancellor senator congressman representative commissioner treasurer
    """
)
ROLE_TITLES = word_set("ceo cto cfo coo cio ciso vp svp evp cmo cpo president chairman director actress actor")

COMPONENTS = words.SERVICE_WORDS | word_set(
    """
    services team squad department application microservice microservices website site dashboard model system platform
    component container image table bucket topic stack script function engine monolith instance host machine laptop
    printer wifi network vpn firewall cdn dns tool build repo repository package library cron-job workflow runner dag
    lake warehouse replica replicas cluster clusters workers nodes pods jobs apps servers databases queues pipelines
    clients shard shards tenant portal extension connector adapter integration importer parser crawler ingester
    collector indexer renderer compiler emulator simulator kernel driver firmware device router modem hub project
    codebase workspace monorepo thermostat sensor camera nas vm vms lambda lambdas hook hooks format protocol layer
    group office
    """
) - word_set("key secret id token config operator agent")
THIS = word_set("project repo repository codebase app application package library workspace monorepo company")
"""What "this" is a determiner of: there is one that a text belongs to."""

ALONE = THIS | word_set(
    "backend frontend monolith website app api wifi office database warehouse vpn printer laptop intranet"
)
"""Components that need no word before them, because there is usually one."""

TEAMS = word_set("team squad department group crew office committee board staff company band")

PLACE_NOUNS = word_set(
    """
    apartment flat house home cottage city town village suburb suburbs countryside neighborhood neighbourhood condo
    studio bungalow cabin farm dorm dormitory loft mansion townhouse caravan trailer houseboat district mountains
    country state island penthouse duplex attic basement hostel area region coast outskirts downtown
    """
)
BARE_FIELDS = word_set(
    """
    marketing sales finance tech it healthcare education engineering design hr advertising publishing banking
    insurance consulting construction hospitality logistics retail law medicine accounting security operations
    support devops infrastructure research media journalism politics biology chemistry physics mathematics math
    economics history philosophy psychology sociology literature linguistics architecture nursing art music
    theology anthropology geography astronomy geology statistics agriculture robotics counseling counselling
    manufacturing procurement legal
    """
)
LANGUAGES = word_set(
    """
    english french german spanish italian russian chinese japanese korean dutch swedish polish greek turkish irish
    portuguese arabic hindi urdu bengali punjabi tamil telugu mandarin cantonese vietnamese thai hebrew persian farsi
    swahili czech slovak hungarian romanian bulgarian serbian croatian ukrainian norwegian danish finnish icelandic
    catalan basque welsh gaelic latin esperanto malay indonesian tagalog mongolian georgian armenian yiddish
    """
)
PLAYED = word_set(
    """
    guitar piano violin cello drums bass flute clarinet saxophone trumpet trombone ukulele harp banjo keyboard organ
    chess tennis soccer football basketball baseball volleyball hockey golf cricket rugby badminton squash poker
    bridge go videogames handball softball accordion viola harmonica
    """
)
NATIONALITIES = word_set(
    """
    american british english scottish welsh irish french german spanish italian portuguese dutch belgian swiss
    austrian polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish
    finnish icelandic canadian mexican brazilian argentine argentinian chilean colombian peruvian venezuelan cuban
    australian chinese japanese korean taiwanese vietnamese thai indian pakistani bangladeshi nepalese indonesian
    malaysian filipino singaporean iranian iraqi israeli lebanese syrian egyptian moroccan tunisian algerian nigerian
    kenyan ethiopian ghanaian serbian croatian bosnian macedonian albanian slovenian slovene estonian latvian
    lithuanian belarusian georgian armenian azerbaijani kazakh mongolian afghan saudi jordanian palestinian maltese
    cypriot luxembourgish catalan basque european african asian south north
    """
)
TRAITS = word_set(
    """
    vegan vegetarian pescatarian married divorced single widowed retired pregnant left-handed right-handed diabetic
    colorblind colourblind color-blind lactose-intolerant gluten-free deaf blind dyslexic bilingual trilingual
    celiac asthmatic introverted extroverted unemployed self-employed ambidextrous nearsighted atheist buddhist
    catholic jewish muslim christian hindu protestant deceased transgender gay bisexual nonbinary
    """
)
STATES = word_set(
    """
    deprecated read-only open-source proprietary stateless stateful multi-tenant single-tenant serverless
    self-hosted immutable idempotent obsolete discontinued archived decommissioned retired abandoned unmaintained
    encrypted public private wheelchair-accessible pet-friendly dog-friendly kid-friendly gluten-free nut-free
    synchronous asynchronous event-driven containerized dockerized end-of-life
    """
)
POSSESSIONS = word_set(
    """
    car bike bicycle motorcycle motorbike scooter house apartment flat cottage cabin boat truck van piano guitar
    violin farm bakery shop restaurant store company business startup studio gallery laptop camera condo land garden
    telescope kayak canoe caravan camper tesla yacht property bookshop bookstore cafe café
    """
)
CONDITIONS = word_set(
    """
    diabetes asthma allergy allergies adhd anxiety arthritis autism dyslexia migraines epilepsy insomnia eczema celiac
    hypertension degree phd masters doctorate certificate license licence visa passport tattoo insurance depression
    """
)
COUNTED = word_set(
    """
    sons daughters kids children sisters brothers siblings dogs cats pets cars bikes houses nodes replicas shards
    cores employees members workers partitions servers instances bedrooms rooms floors engineers students tables
    containers pods grandchildren nephews nieces cousins horses rabbits kittens puppies windows seats users licenses
    son daughter kid child sister brother dog cat floor bedroom bathrooms gpus disks endpoints
    """
)
NUMBERS = word_set("one two three four five six seven eight nine ten eleven twelve twenty fifty hundred dozen")
VAGUE = word_set(
    """
    thing things stuff way kind sort lot lots bit part piece time times moment point case idea reason matter problem
    issue issues question answer one ones something anything fact chance matter day days week night hours while rest
    end home same level life heart middle centre center side top bottom beginning amount number set couple bunch pair
    sense step result example place fan
    """
)
OPINIONS = word_set(
    """
    great good nice awesome amazing beautiful wonderful fantastic lovely cool best better bad worst perfect fun
    interesting important big huge tough hard easy incredible excellent brilliant terrific special true real
    fascinating crazy weird strange funny cute sweet sad happy blast must gem blessing treat game-changer delight joy
    pleasure hero star inspiration dream winner favorite favourite dear safe strong super awful terrible horrible
    pretty powerful valuable useful tricky difficult worthwhile key must-have total challenge success failure disaster
    mess pain nightmare shame surprise relief necessity possibility priority reminder symbol testament definite source
    trip ride adventure
    """
)
WORKS = word_set(
    """
    film movie novel album memoir documentary song book play opera series game single poem painting musical comedy
    drama sitcom magazine newspaper anthology miniseries short
    """
)

FOUNDED = word_set("club band group party union committee society choir orchestra association guild league army navy")
ORGANIZED = (
    FOUNDED
    | TEAMS
    | word_set("church program programme gym class council parliament senate corps force forum network community")
)

EMPLOYERS = word_set(
    """
    company startup start-up firm bank hospital school university agency studio office restaurant shop store bakery
    business factory clinic law-firm newspaper consultancy corporation college
    """
)

ATTRIBUTES: dict[str, str] = {}
"""Nouns that somebody or something has one of, with what kind of value they take.

``value``: a name, number, time, identifier or quotation; ``free``: any few words; ``word``: one or two words;
``pick``: one word, whatever it is; ``name``: a name.
"""
for _kind, _names in {
    "value": """age address birthday birthdate email number name nickname username password passcode passphrase pin
        version port url ip hostname title budget deadline population price cost limit timeout retention ttl id login
        length width zip zipcode postcode anniversary quota threshold slo sla capacity interval duration birthplace
        hostname namespace endpoint rate height weight size salary rent phone extension code ssid key handle token
        bucket region timezone default date maximum minimum""",
    "word": "color colour status priority severity language currency",
    "free": "diagnosis nationality job role profession occupation breed hobby major specialty speciality allergy",
    "pick": "branch editor ide shell theme browser distro formatter linter",
    "name": """capital hometown ceo cto cfo coo owner lead maintainer employer headquarters founder president chairman
        chair mayor director editor producer author spokesperson captain leader landlord birthstone""",
}.items():
    ATTRIBUTES.update(dict.fromkeys(_names.split(), _kind))

ATTRIBUTE_NAMES = {
    "favorite": "favourite",
    "color": "colour",
    "birthdate": "birthday",
    "passcode": "password",
    "zipcode": "zip code",
}
"""Spellings brought to one, so that facts told in either meet."""

SETTINGS = word_set(
    """
    port timeout limit retention ttl deadline budget quota threshold interval rate price cost rent capacity version
    branch editor shell theme password passcode passphrase pin default maximum minimum slo sla ssid region timezone
    """
)
"""Attributes that are told without saying of what: "the deadline is Friday"."""

DESCRIBING = word_set(
    """
    new old default current main primary next final first last only previous total full real latest own maximum
    minimum
    """
)

UNITS = word_set(
    """
    seconds second minutes minute hours hour days day weeks week months month years year ms s m h d gb mb kb tb gib mib
    kib cores core kg g km cm mm miles meters metres feet inches pounds dollars euros percent requests connections
    replicas nodes retries people inhabitants residents users bytes lb lbs rpm rps qps mhz ghz w kw l ml degrees usd
    eur gbp million billion thousand per am pm old items rows employees am pm
    """
)
MEASURED = word_set("memory ram storage disk data traffic vram swap")

HAD = RELATIONAL | PETS | POSSESSIONS
"""What one has, and says by whose it is."""

LASTING = HAD | CONDITIONS
GROUPS = ORGANIZED | EMPLOYERS
SITED = (
    GROUPS
    | TEAMS
    | word_set(
        """
        headquarters headquarter hq warehouse workshop showroom museum library theatre theater laboratory lab depot
        plant kitchen gym meeting party wedding conference exhibition fair event lesson class rehearsal printer desk
        piano sofa fridge furniture safe bike car
        """
    )
)
"""What is at a place and runs on nothing, so that it is moved to where it is from then on."""

HOSTED = word_set("data analytics analytical sql columnar virtual online digital web cloud")
"""What, before such a noun, names something that runs on a machine: a data warehouse."""

TOOLS = word_set(
    """
    slack snowflake redshift bigquery databricks jira notion zoom discord trello asana confluence github gitlab linear
    teams dropbox sharepoint mattermost basecamp
    """
)
"""Names of what is used, and no place, whoever moves to it."""

ONLY_ADJECTIVES = words.ADJECTIVES - words.NOUNS
QUALIFIERS = DESCRIBING | words.ADJECTIVES
NOUNS = words.NOUNS | COMPONENTS
