# SPDX-License-Identifier: Apache-2.0
"""Word lists for reading English text by rules: what opens sentences, and what kinds of names there are."""

from __future__ import annotations

import re

from ..domain.causal.verbs import VERB_FORMS
from ..domain.stopwords import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOUNS = """
accident account action activity adult advice adventure age agenda agent air album alarm alert amount analysis anger
animal anniversary answer anxiety apartment appetite app apple application appointment approach area argument arm
army art article artist aspect assistant athlete attitude audience author autumn award baby back backup bag balance
ball band bank bar baseline basket bath battle beach beauty bed beer behavior behaviour belief bell benefit bike
bill bird birthday blessing blood board boat body bone bonus book bottle bottom bowl box boy boyfriend brain bread
break breakfast breath bridge brother boss budget bug building bus business butter button cache cake calendar camera
camp campaign cancer candidate capacity capital car card care career case cash cat category cause cell center centre
century chain chair challenge chance change chapter character charity chart chat cheese chef chicken child childhood
children chocolate choice church circle city class client climate clock clothes clothing cloud club cluster coach
coast code coffee collection college color colour column combination comfort command comment commit committee
communication community company competition computer concept concern concert conclusion condition conference
confidence config configuration conflict connection consequence contact container content contest context contract
contrast control conversation cookie copy corner cost counsel country couple courage course cousin coverage coworker
craft creation creativity credential credit crew crime crisis crowd culture cup currency curtain customer dad daddy
damage dance danger dashboard data database date daughter deadline death debt decision default definition degree
delivery demand dependency deployment design desk dessert detail developer development device diagram diary diet
difference difficulty dinner direction director disaster discovery discussion disease disk distance doctor document
documentation dog doll door doubt downtime draft drama drawing dream dress drink driver drug dust duty ear earth
ease east economy edge editor education effect effort egg election element emotion employee employer end endpoint
energy engine engineer engineering entry environment equipment error essay evening event evidence exam example
exception exercise exhibition exit experience experiment expert expression eye fabric face facility fact factor
failure faith fall fame family fan farm fashion fat father fault fear feature feedback feeling festival fiction
field figure file film finance finding finger fire fish fitness flag flavor flight floor flour flow flower flu focus
folk folks food foot football forest form format foundation frame freedom friend friendship front fruit fuel fun
function fund funeral furniture future gallery game gap garden garlic gas gathering gear gender generation genre
gift girl girlfriend glass goal god gold golf government grade graduation grandfather grandma grandmother grandpa
grass gratitude ground group growth guess guest guidance guide guitar guy gym habit hair half hall hand happiness
harm hat head headache health heart heat height hell hero hike hill history hobby hockey hold holiday home homework
honey honor hope horse hospital host hotel hour house household housing humor husband ice idea identity illness
image imagination impact importance improvement incident income increase index industry inflation influence info
information infrastructure injury input insight inspiration installation instance instruction instructor instrument
insurance intention interaction interest internet interview introduction investigation investment invitation island
issue item jacket job jog joke journal journey joy judge juice jump key keyboard kid kind king kitchen knee
knowledge label labor lack lady lake lamp land language laptop latency laugh law lawyer layer lead leader leadership
leaf league leather leg leisure lesson letter level library license life light limit limitation line link list
literature load loan location lock log logic look loss lot love luck lunch machine magazine magic mail maintenance
majority mall man management manager manner manual map market marketing marriage match material math matter maximum
meal meaning meat media medicine meditation meeting member memory menu merge mess message metadata method metric
middle midnight migration milk mind mindset minimum minute mirror miss mission mistake mitigation mix mode model mom
moment money monitoring month mood moon morning mother motion motivation mountain mouse mouth move movement movie
mud mum muscle museum music nail name nation nature neck need neighbor neighborhood nerve nest network news
newspaper night node noise noon north nose note notice notification number nurse nutrition oak object objective
ocean offer office officer oil onion operation operator opinion opportunity option orange order organization origin
outage outcome output outrage oven owner ownership pace package page pain paint painter painting pair pan panel
panic paper paragraph parent park part participant partner partnership party passage passion password past pasta
patch path patience patient pattern pay payment peace peer pen people pepper percent percentage performance period
permission permit person personality perspective pet phase phone photo photographer photography phrase piano pick
pickup picture pie piece pilot pipeline place plan plane planet plant plate platform play player pleasure plenty
poem poet poetry point police policy politics pool population portrait position possession possibility post poster
postmortem pot potato potential pottery power practice prayer precaution preference prep preparation presence
present presentation president pressure price pride priest principle print priority privacy prize pro problem
procedure process product production productivity professional professor profile profit program programmer progress
project promise promotion proof property proposal protection protocol psychology public pull punch pupil puppy
purpose push puzzle quality quantity quarter query question queue quote race radio rain range rate ratio reach
reaction read reader reading reality reason recipe recognition recommendation record recovery reference reflection
region relation relationship relative release relief religion remediation reminder rent repair replacement replica
reply report repository representation reputation request requirement rescue research reset resolution resort
resource respect response responsibility rest restaurant result retirement retreat retry return revenue review
reward rice ride ring risk river road rock role roll rollback rollout roof room root rope routine row rule run
safety salad salary sale salt sample sand sauce saving scale scene schedule scheme school science scientist scope
score screen script sculpture sea search season seat second secret secretary section sector security selection self
sense sentence sequence series server service session set setting setup severity shade shadow shame shape share
shelter shift ship shirt shock shoe shop shopping shot shoulder show shower sickness side sight sign signal
significance silence silver singer sink sister site situation size skill skin skirt sky sleep smell smile smoke
snack snow society software soil solution son song sort soul sound soup source south space speaker species speech
speed spell spirit sport spot spread spring stability staff stage standard star start state statement station status
stay step stock stomach stone stop storage store storm story stranger strategy stream street strength stress
structure struggle student studio study stuff style subject success sugar suggestion suit summary summer sun sunrise
sunset supply support surface surgery surprise survey swim switch symbol sympathy symptom system table tale talent
talk tank target task taste tax tea teacher teaching team teammate tech technique technology teen teenager telephone
television tension term test testing text texture theater theatre theme theory therapist therapy thing thinking
thought thread threat throat ticket tide timeline timeout tip title toast today toe tomorrow tone tongue tonight
tool tooth top topic total touch tour tourist town toy trace track tradition traffic trail train trainer training
transaction transfer transition translation transportation travel treat treatment tree trend trial trick trigger
trip trouble truck trust truth try turn tutorial type uncle understanding uniform union unit unity update upgrade
usage user vacation validation valley value variation variety vegetable vehicle vendor version vessel vet victory
video view village vision visit visitor voice volume volunteer vote wait walk wall war warning wave way weakness
wealth weather web website wedding week weekend weight welcome west wheel wife win wind window wine wing winner
winter wish witness woman women wonder wood word work worker workflow workload workout workplace workshop world
worry worth writer writing yard year yesterday yoga youth zone aunt auntie contributor detection impacted resolved
owners participants severity
"""

_ADJECTIVES = """
able absolute abstract academic acceptable accurate active actual additional adopted afraid aggressive alive alone
alternative amazing ambitious ancient angry annual anxious appropriate artistic asleep attractive authentic
automated automatic available average awake aware awesome awful awkward bad basic beautiful beloved best better big
biggest bitter black blank blind blue bold bored boring bottom brave brief bright brilliant broad broken brown busy
calm capable careful casual central certain charming cheap chief chronic civil classic clean clear clever close
closed cold colorful comfortable common compact comparable compatible competitive complete complex complicated
concrete confident congrats congratulations conscious considerable consistent constant constructive continuous
convenient conventional cool correct cozy crazy creative critical crucial cultural curious current cute daily
dangerous dark dead deaf dear deep defensive definite delicate delicious dense dependent desperate detailed
different difficult digital direct dirty disabled distant distinct diverse double downstream dramatic dry due dull
dumb eager early easy economic educational effective efficient elderly electric elegant emotional empty encouraging
endless enormous entire environmental equal essential eternal ethical exact excellent excessive excited exciting
exclusive existing exotic expensive experienced explicit external extra extraordinary extreme fabulous fair faithful
false familiar famous fancy fantastic fast fatal favorite favourite federal female few fierce final financial fine
firm first fit fixed flat flexible foreign formal former fortunate fragile free frequent fresh friendly frustrated
full fundamental funny further general generic generous gentle genuine giant glad global golden good gorgeous
gradual grand grateful gray great greatest green grey gross guilty handy handsome happy hard hardest harmful harsh
healthy heavy helpful hidden high higher highest hilarious historic historical honest horrible hot huge human humble
hungry ideal identical ill illegal immediate immense implicit important impossible impressive inclusive incomplete
inconsistent incorrect incredible independent indirect individual industrial inevitable informal initial inner
innocent inspired inspirational inspiring instant insufficient intelligent intense intentional interested
interesting interim intermittent internal international intimate invalid invisible involved isolated joint junior
just keen key known large larger largest late later latest lazy leading legal legendary less likely limited linear
literary little live lively living local logical lonely long longer loose lost loud lovely low lower loyal lucky mad
main major male manual many marine married marvelous massive mature maximum mean meaningful mechanical medical
medium mental mere messy mild military mini minimal minor missing mixed mobile moderate modern modest monthly moral
multiple musical mutual mysterious naked narrow nasty national native natural neat necessary negative nervous
neutral new newer newest next nice noisy normal notable noted novel numerous nuts obvious occasional odd official
old older oldest online only open opposite optimal optional oral ordinary organic original outdoor outside
outstanding overall overnight painful pale parallel partial particular passionate passive past patient peaceful
perfect permanent personal physical plain planned pleasant pleased plus polite political poor popular portable
positive possible powerful practical precious precise pregnant premium present pretty previous primary prime prior
private probable productive professional profound prompt proper proud public pure quick quiet random rapid rare raw
ready real realistic reasonable recent red regional regular related relative relaxed relaxing relevant reliable
religious reluctant remarkable remote repeated responsible rich ridiculous right rigid romantic rough round royal
rude rural sacred sad safe same satisfied scared scary secondary secret secure senior sensitive separate serious
severe sexual sharp short shy sick significant silent silly similar simple single sleepy slight slow small smaller
smart smooth social soft solid sorry special specific spiritual stable standard steady steep stiff still straight
strange strict strong stunning stupid subsequent substantial successful sudden sufficient suitable super superb
supportive supposed sure surprised surprising suspicious sweet tall technical temporary tender terrible terrific
thankful thick thin thirsty thorough thoughtful tight tiny tired top total tough traditional tragic true typical
ugly unable unavailable unaware uncomfortable unexpected unfair unhappy unhealthy unique universal unknown unlikely
unnecessary unplanned unusual upcoming upper upset upstream urban urgent used useful useless usual valid valuable
various vast verbal vertical very viable vibrant violent virtual visible visual vital vivid voluntary vulnerable
warm weak wealthy weekly weird well wet whole wide wild willing wise wonderful wooden worldwide worried worse worst
worthwhile worthy wrong yearly nightly hourly yellow young younger youngest yummy
"""

_ADVERBS = """
abroad accordingly additionally afterwards ago ahead altogether amen anyways anywhere apart aside away aww awww
backward bravo bro btw bye cheers clearly consequently damn dang downstairs earlier else elsewhere eventually
everywhere fair farewell firstly forever forth forward frankly furthermore goodbye goodness gosh gotcha greetings
hahaha hardly hence heya honestly hopefully hooray howdy hurray ideally indeed initially kinda lastly lately lemme
likewise lmao literally meanwhile moreover nah namely naw nearby nevertheless nonetheless nowadays oops ooh
originally ouch overall phew recently regarding regardless secondly seldom someday somehow sometime somewhat
somewhere soon sorta specifically suddenly thirdly thereafter thereby thx till together totally tho thru twice ugh
ultimately unlike upstairs versus whoa woah woo woohoo yay yikes yo
"""

_MORE = """
alright anytime awh basketball baseball soccer football tennis volleyball chess bummer kudos yea yeah yep yum yummy
looky oof truly tons ton setback obstacle mentor turtle coconut sunflower veggie clay contemporary domestic fantasy
epic laughter allergy unconditional remind adapt ideas hours hobby hobbies pal dude buddy folks mate bestie sis bro
pumpkin lemon banana strawberry vanilla cinnamon garlic salmon shrimp bacon sausage noodle pancake waffle muffin
puppies kitten bunny rabbit hamster parrot butterfly elephant lion tiger bear wolf deer duck eagle owl rainbow
thunder lightning sunshine moonlight waterfall camping kayak canoe surfboard snowboard skateboard scooter violin
drum trumpet flute orchestra choir karaoke ballet yoga pilates zumba marathon sprint engineers devops ops infra
kernel container pod cluster node disk cpu memory ram latency throughput bandwidth packet firewall subnet proxy
router socket thread mutex deadlock checksum backup replica shard partition index schema migration rollback canary
hotfix release build pipeline runner artifact registry image manifest chart webhook cron daemon worker scheduler
broker consumer producer publisher subscriber topic offset lag backlog retry timeout throttle quota limit threshold
alert pager runbook playbook postmortem dashboard metric trace span log authentication authorization certificate
token secret password encryption hash signature login logout signup frontend backend middleware endpoint payload
header cookie cache session namespace ingress egress sidecar oncall responder customer tenant region zone rack stats
accuse accident coordinate investigate automate validate terminate mitigate escalate replicate duplicate communicate
create migrate update rotate operate isolate evaluate estimate generate integrate
"""

_NUMBERS = """
zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen second third
fourth fifth sixth once half double triple quarter
"""

_VERBS_TOO = """
adopt appreciate bake begin blend boil brew brush celebrate chop congratulate cook cope cuddle dance decorate dig
dive dream embrace brighten encourage explore fancy garden graduate hike hug invest jog juggle knit lend love
meditate mix nurture paint pack peel pray preheat practise puts reflect relax roast rock sail sand sew shop shine
simmer sing ski smile socialize sound sounds speak sprinkle stir surf swim taste teach tell train treasure unwind
volunteer wander whisk convey motivate inspire symbolize cling chase wrap stumble strive thrive cherish dedicate
pursue fulfil fulfill stink march commute congrats craft debug deploy fry grill knead marinate refactor sauté serve
soak sprint squash toast undo
"""

NAME_PARTS = frozenset((*_NOUNS.split(), *_ADJECTIVES.split()))
"""Ordinary words that names are often made of, as in "Red Cross"."""

CALENDAR = _words(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september
    october november december jan feb mar apr jun jul aug sep sept oct nov dec spring summer autumn winter today
    tomorrow yesterday tonight
"""
)
"""Names of days, months and seasons: times, and never entities."""

COMMON = (
    STOP_WORDS
    | frozenset(form for form in VERB_FORMS if "-" not in form)
    | _words(_NOUNS)
    | _words(_ADJECTIVES)
    | _words(_ADVERBS)
    | _words(_MORE)
    | _words(_NUMBERS)
    | _words(_VERBS_TOO)
    | CALENDAR
)
"""Words that have a capital because a sentence begins, and not because they are names."""

_COMMON_ENDINGS = (
    *("ing", "ly", "tion", "tions", "sion", "sions", "ment", "ments", "ness", "ity", "ities", "ism", "isms", "ance"),
    *("ances", "ship", "ships", "able", "ible", "ful", "less", "ous", "ive", "ical", "wise", "ward", "ology", "graphy"),
    *("ental", "onal", "ually", "ical", "ial", "ating"),
)


NOUNS = frozenset(_NOUNS.split())
ADJECTIVES = frozenset(_ADJECTIVES.split())
VERBS = frozenset(_VERBS_TOO.split()) - NOUNS
ADVERBS = frozenset(_ADVERBS.split())


def is_interjection(word: str) -> bool:
    """Say whether a case-folded word is a sound, such as "hmm" or "aww"."""
    return _INTERJECTION.fullmatch(word) is not None


def is_common(word: str) -> bool:
    """Say whether a case-folded word is an ordinary English word, by the list or by its ending."""
    if word in COMMON or (len(word) > 5 and word.endswith(_COMMON_ENDINGS)) or is_interjection(word):
        return True
    if word.endswith("ed") and len(word) > 3:
        return True
    if word.startswith(_PREFIXES) and any(word.startswith(p) and word[len(p) :] in COMMON for p in _PREFIXES):
        return len(word) > 5
    return word.endswith("s") and len(word) > 3 and (word[:-1] in COMMON or singular(word) in COMMON)


_PREFIXES = ("un", "in", "re", "dis", "mis", "pre", "over", "non")
_INTERJECTION = re.compile(r"[ahmow]{2,}|[aeuhy]{3,}s?|hm+|y+[aeu]+[hsy]*|[wy]?o+[ahow]*|g?r+|z+|pf+t*|ph?ew")
_IN_IE = _words("movie cookie calorie selfie brownie smoothie zombie hoodie foodie veggie rookie genie pie tie lie die")
_NOT_PLURAL = _words(
    """
    news series species trans always perhaps besides chaos canvas atlas bias gas lens aids diabetes politics physics
    texas kubernetes athletics mathematics economics ethics logistics yes christmas analytics js css dns tls aws
    https os
"""
)


def singular(word: str) -> str:
    """Return a lower-case English noun in the singular, and any other word as it is."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")) or word in _NOT_PLURAL:
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-1] if word[:-1] in _IN_IE else word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


VAGUE = _words(
    """
    thing stuff way kind sort type bit part place point case time day week month year hour minute moment today
    tonight tomorrow yesterday morning afternoon evening night weekend people person someone guy man woman name
    number amount couple example reason idea fact matter question answer good great nice cool awesome amazing
    fantastic wonderful lovely super big small little new old long short high low whole full own next last first
    second third one two three four five six seven eight nine ten multiple many several certain different important
    interesting sure glad happy sorry excited great right wrong true real able ready hard easy better best bad worse
    recent current previous following various additional able really total overall due step end start lately
    recently soon later ago ever together away back kinda bye congrats cheers yay haha luck fun love look sound
    sounds looks yup definitely totally
"""
)
"""Content words that are poor retrieval cues on their own."""

LIGHT_VERBS = _words(
    """
    be have do get go come make take give put let try want need like love see hear look feel think know mean wish
    hope seem keep start stop find use say tell ask show help turn bring wait care guess happen become leave call
    believe wonder stay move end begin miss enjoy add allow set run work check thank excite feel sound talk spend
"""
)
"""Verbs that say so little that no form of them is a cue, their nouns excepted that are none of the verb's forms."""

NOT_NAMES = _words(
    """
    i i'm i'll i've i'd ok okay tv am pm utc gmt bst pst pdt pt est edt et cst cdt ct mst mdt cet cest ist jst faq
    todo fixme nb ps fyi asap lol omg btw imo imho aka eta etc diy tldr tl rsvp wip lgtm yolo rip xoxo wtf dm ad bc
    ce bce mr mrs ms mx dr prof sir madam mom dad mum mommy daddy grandma grandpa auntie uncle god lord ma'am
    english french german spanish italian russian chinese japanese american british indian european african asian
    canadian australian mexican pakistani israeli iranian iraqi egyptian nigerian norwegian danish finnish
    midwestern brazilian korean dutch swedish polish greek turkish irish scottish western eastern northern southern
    christian muslim jewish catholic internet q a api apis ip ips http https cpu ram url urls ui id ids db vm vms
    sms pdf json xml html css sql os pc hz khz mhz ghz kb mb gb tb kpi ci cd ii iii iv
"""
)
"""Capitalised words that name nobody and nothing in particular."""

ROLES = _words(
    """
    user assistant system human ai bot agent note notes warning summary update title q a todo impact cause causes
    resolution action actions example answer question status date time subject from to cc re fw fwd context result
    results trigger detection timeline mitigation important tip step reminder ps edit tldr source author description
"""
)
"""What stands before a colon without being the speaker."""

CONNECTORS = _words("of de la le du des del della di da dos van von der den ter ten bin ibn al el y")
TITLES = _words("mr mrs ms mx dr prof professor sir madam lord lady president captain king queen prince princess saint")
GREETINGS = _words("hey hi hello thanks thank dear congrats congratulations bye goodbye sorry yo wow morning welcome")
KIN = _words(
    """
    friend sister brother mother father mom dad wife husband son daughter cousin aunt uncle nephew niece colleague
    boss manager teammate coworker partner girlfriend boyfriend neighbor neighbour roommate mentor coach teacher
    therapist grandma grandpa grandmother grandfather friends kid doctor director actor actress singer author
    engineer
"""
)
PERSONAL_VERBS = _words(
    """
    said says told tells asked asks thinks thought wants wanted likes liked loves loved prefers preferred hates
    hated wrote agreed decided suggested noticed joined visited married believes believed works worked lives lived
    feels felt plays played enjoys enjoyed met called texted emailed replied explained mentioned knows knew lovingly
    went goes bought cooked baked painted drove walked graduated moved born died came eats ate drinks drank speaks
    spoke
"""
)
ROLE_HEADS = _words(
    """
    director president king queen prince princess duke duchess count earl head chair chairman chief minister mayor
    governor secretary ceo cto elector margrave bishop archbishop emperor ambassador professor member author
"""
)
ORGANIZATION_HEADS = _words("university bank museum ministry department institute church")
ORGANIZATION_WORDS = _words(
    """
    inc ltd llc llp gmbh ag plc corp corporation company co university institute college school academy hospital
    bank foundation association council ministry department agency committee group labs lab society union federation
    organization organisation commission bureau club orchestra church airlines airways motors industries systems
    technologies partners ventures times press studios records party army museum gallery orchestra ensemble choir
    theatre
"""
)
PLACE_HEADS = _words("lake mount san santa saint st new los las cape fort rio buenos hong saudi")
PLACE_WORDS = _words(
    """
    street avenue road lane boulevard park lake river mountain mountains mount island islands city county beach bay
    valley square bridge airport station canyon falls forest desert ocean sea coast province state district village
    north south east west coast harbor harbour port hill hills cape
"""
)
SERVICE_WORDS = _words(
    """
    service api gateway db database worker server client cache queue proxy config prod production staging svc lib
    sdk cli ui app job cluster node pod daemon controller operator agent backend frontend store broker scheduler
    exporter router bot plugin module schema token key secret id sidecar pipeline registry balancer lambda cron
    webhook endpoint
"""
)
COMPOUND_STARTS = _words(
    """
    self full pre post multi single cross in on off non sub co semi high low long short well real open third first
    second all part half anti over under re two three one four six ten follow late early fast slow client server
    cloud third-party ready built hard soft
"""
)
PLACES = _words(
    """
    africa america asia europe antarctica australia argentina austria belgium brazil canada chile china colombia
    cuba denmark egypt england ethiopia finland france germany greece hungary iceland india indonesia iran iraq
    ireland israel italy japan kenya korea malaysia mexico morocco nepal netherlands nigeria norway pakistan peru
    philippines poland portugal romania russia scotland singapore spain sweden switzerland taiwan thailand turkey
    ukraine usa uk vietnam wales alaska arizona california colorado florida georgia hawaii illinois massachusetts
    michigan minnesota montana nevada ohio oregon pennsylvania texas utah virginia washington wisconsin amsterdam
    athens bangkok barcelona beijing berlin boston brussels budapest cairo chicago copenhagen dallas delhi denver
    detroit dubai dublin edinburgh florence geneva hamburg helsinki houston istanbul jakarta johannesburg karachi
    kyiv lagos lima lisbon london madrid manchester melbourne miami milan montreal moscow mumbai munich nairobi
    naples osaka oslo paris philadelphia phoenix prague rome seattle seoul shanghai stockholm sydney tokyo toronto
    vancouver venice vienna warsaw zurich
"""
)
GIVEN_NAMES = _words(
    """
    aaron abby abigail adam adrian agnes ahmed aidan aiden aisha alan albert alex alexander alexandra alexis alfred
    ali alice alicia allison amanda amber amelia amir amy ana andre andrea andrew andy angela anita ann anna anne
    annie anthony antonio ariana arthur ashley audrey austin ava barbara beatrice becky ben benjamin bernard beth
    betty bill bob bobby brad bradley brandon brenda brian bruce bryan caleb calvin cameron carl carla carlos carmen
    carol caroline carolyn catherine cathy charles charlie charlotte chloe chris christian christina christine
    christopher claire clara connor craig cynthia daniel danielle danny darren dave david dean deborah debra denise
    dennis derek diana diane diego dmitri dominic donald donna dorothy douglas dylan eddie edward eleanor elena eli
    elijah elizabeth ella ellen emily emma eric erica erik ethan eugene eva evan evelyn felix fiona frances francis
    frank fred frederick gabriel gary gavin geoffrey george gerald gina giovanni gloria gordon grace greg gregory
    hannah harold harry heather hector helen henry howard hugo ian igor irene isaac isabel isabella ivan jack
    jackson jacob jacqueline jake james jamie jane janet janice jared jason javier jean jeff jeffrey jen jennifer
    jenny jeremy jerry jesse jessica jim jimmy joan joanna joe joel john johnny jolene jon jonathan jordan jorge
    jose joseph josh joshua joyce juan judith judy julia julian julie justin karen karl kate katherine kathleen
    kathryn katie kayla keith kelly ken kenneth kevin kim kimberly kyle larry laura lauren laurie leah leo leon
    leonard leslie liam lily linda lisa logan louis louise lucas lucy luis luke madison manuel marco marcus margaret
    maria marie marilyn mario martha martin marvin mary matt matthew maureen max megan mel melanie melissa mia
    michael michelle miguel mike mohammed monica morgan nancy naomi natalia natalie nate nathan nathaniel neil
    nicholas nick nicole nina noah nora norman oliver olivia omar oscar pablo pamela patricia patrick paul paula
    pedro peggy penny peter phil philip phillip rachel ralph ramon randy raymond rebecca ricardo richard rick rob
    robert roberto robin rodney roger ronald rosa rosie ross roy russell ruth ryan sally sam samantha samuel sandra
    sara sarah sasha scott sean sebastian sergio seth shane shannon sharon shawn sheila shirley simon sofia sophia
    sophie stacy stan stanley stephanie stephen steve steven stuart susan suzanne sylvia tamara tara taylor ted ed
    luna cindy ada teresa theodore theresa thomas tiffany tim timothy tina todd tom tommy tony tracy travis trevor
    tyler valerie vanessa veronica vicky victor victoria vincent virginia vivian walter wanda warren wayne wendy
    wesley william xavier yolanda yusuf zachary zoe
"""
)
PRODUCTS = _words(
    """
    postgres postgresql mysql mariadb sqlite redis memcached kafka rabbitmq elasticsearch opensearch mongodb
    cassandra dynamodb neo4j falkordb ladybugdb clickhouse bigquery duckdb nginx haproxy traefik istio linkerd
    terraform ansible docker kubernetes k8s podman jenkins github gitlab bitbucket circleci argocd prometheus
    grafana datadog splunk pagerduty opsgenie kibana logstash fluentd cloudflare fastly akamai aws azure gcp heroku
    vercel netlify supabase firebase openai anthropic chatgpt linux ubuntu debian centos macos android python
    javascript typescript golang kotlin scala perl php django fastapi svelte nextjs nodejs numpy pytorch tensorflow
    pytest webpack npm jira figma trello paypal oauth oauth2 jwt saml graphql grpc kubectl systemd vscode vim emacs
    intellij etcd zookeeper hadoop flink coredns kubelet containerd ec2 s3 rds eks sqs sns iam cloudwatch cloudfront
    cloudtrail airflow dbt wordpress powerpoint photoshop iphone ipad playstation xbox netflix spotify youtube
    instagram
"""
)
EXTENSIONS = _words(
    """
    py js ts tsx jsx md txt json yaml yml toml ini cfg conf env sh bash zsh sql csv tsv xml html css scss go rs java
    kt c h cpp hpp cs rb php swift lock log pdf doc docx xls xlsx ppt pptx png jpg jpeg gif svg zip gz tar db sqlite
    tf ipynb proto graphql vue pem crt key service
"""
)
TOP_DOMAINS = _words(
    "com org net io dev ai co uk de fr edu gov app local internal info me us eu ch nl se jp cn ru br in au ca xyz cloud"
)
REFERENCES = _words("pr mr issue ticket gh bug rfc pep cve incident story task jira pull request case")
NOT_TICKETS = _words("covid aes sha utf gpt iso http rsa md mp pm us eu f a b c h e x t ipv usb ps rtx")
