"""Find what a business sells in its own words: in titles, descriptions and headings that the rest of its site confirms.

No word comes from a table. A phrase counts when its words come back elsewhere on the site; a slogan's do not.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from app.ports import Site
from app.ports.writer import Fact
from app.providers.writer.claims.claim_words import plain
from app.providers.writer.grammar import AND, sentences, sound
from app.providers.writer.reading import descriptions
from app.providers.writer.reading.extraction import DESCRIPTION
from app.providers.writer.tables import buyers
from app.providers.writer.taxonomy import segments_in

LONGEST, SHORTEST = 100, 4
ENOUGH, ENOUGH_ELSEWHERE = 0.52, 1.0  # the mean weight of a phrase's words from which on it is believed
HOME, INNER = (3.0, 3.5, 2.4, 1.6), (1.4, 1.2, 1.3, 0.8)  # of titles, descriptions, first headings, other headings
FIRST = 2.4  # the weight of the places where a home page says what it is
_STEM, _LEAST_LETTERS = 6, 3
_BARS = re.compile(r"\s*[|•·»]\s*|\s+[–—]\s+|\s+-\s+|[–—](?=\s)|:\s+(?=[A-ZÀ-Ž])")
_STOPS = frozenset(
    "the and for with from your our you are this that into its more than all any how who what not about der "
    "die das und ist für mit von vom zum zur aus bei den dem des ein eine einer eines einen ihr ihre ihren "
    "ihrem wir unser unsere sie auch nicht alle rund les des une pour avec dans sur nos vos votre notre nous "
    "vous est qui par tout tous plus aux chez los las una para con por nuestro nuestra nuestros nuestras sus "
    "del que más todo toda todos gli una per con del della dei delle degli nel nella sul alla che suo tuo tua "
    "nostri nostra tutto tutti het een van voor met uw onze zijn ook bij naar alle dos das uma com seu sua "
    "nosso nossa mais nos och för med till som din vår att oraz dla jest się przez nasze ile bir için olan "
    "home page welcome bienvenue bienvenidos benvenuti willkommen accueil inicio startseite contact kontakt "
    "services service leistungen prestations servicios servizi diensten serviços about".split()
)
# Words that every business says of itself: an offer of these alone says nothing.
_VAGUE = frozenset(
    one[:_STEM]
    for one in (
        "solution lösung soluciones soluzioni oplossingen soluções business company companies unternehmen "
        "entreprise empresa azienda bedrijf technology technologie tecnología tecnologia digital innovation "
        "innovative quality qualität qualité calidad qualità kwaliteit qualidade excellence success erfolg "
        "succès éxito successo professional product produkte produits productos prodotti producten produtos "
        "expert partner world global future better best more complete modern trusted reliable b2b b2c "
        "design fabrication manufacturing production herstellung fertigung fabricación producción produzione"
    ).split()
)
_ADDRESSED = re.compile(
    r"\b(you|your|yours|we|our|us|my|it's|let's|"
    r"wir|uns|unser\w*|dein\w*|du|dich|euch|euer|ihnen|ihrem|ihren|"
    r"nous|notre|nos|vous|votre|vos|tu|nuestr[oa]s?|vuestr[oa]s?|tus?|usted(?:es)?|"
    r"tuo|tua|tuoi|tue|nostr[aoie]|vostr[aoie]|noi|voi|u|uw|wij|we|ons|onze|jij|je|jouw|jullie|"
    r"seu|sua|seus|suas|nosso|nossa|nossos|nossas|você|vocês|vi|vår|våra|din|dina|dig|oss|nasz\w*|twoj\w*|siz\w*|biz)\b",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"^(?:(?:we|i) (?:also )?(?:offer|provide|sell|make|build|design|deliver|supply|do|run|teach|print|repair|rent)s?"
    r"|explore our|discover our|specialists? in|specialized in|"
    r"(?:revolutioni[sz]|transform|redefin|reimagin|reinvent|elevat|moderni[sz]|simplify)ing|"
    r"(?:the|a|an|your|our)? ?(?:[\w#-]+ ){0,3}(?:provider|supplier|specialists?|leader|expert|"
    r"partner|manufacturer|producer|exporter|importer|distributor|maker)s? (?:of|in|for)|"
    r"wir (?:bieten|liefern|bauen|fertigen|verkaufen)|(?:ihr(?:e)?|dein(?:e)?) (?:partner|spezialist|experte) für|"
    r"fachbetrieb für|spezialist für|"
    r"découvrez nos|nous proposons|spécialistes? (?:de|du|en|des)|ofrecemos|especialistas? en|distribuidor(?:es)? de|"
    r"offriamo|specialisti in|wij (?:bieden|leveren|verzorgen|maken)|specialist in|oferecemos|especialistas? em|"
    r"vi erbjuder|vi tilbyr|oferujemy)\s+",
    re.IGNORECASE,
)
# What stands before the words for what is sold, where a sentence says in what the business is special.
_SPECIAL = re.compile(
    r"^.*\b(?:we (?:also )?speciali[sz]e in|speciali[sz](?:ed|ing) in|spezialisiert auf|spécialisée?s? (?:dans|en)|"
    r"especializad[oa]s? (?:en|em)|specializzat[aeio] in|gespecialiseerd in)\s+(?:(?:manufacturing|producing)\s+)?",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"^(?:[,:–—-]+\s*|(?:is|are|offers?|provides?|providing|sells?|makes?|builds?|delivers?|supplies|repairs|rents?|"
    r"ist|sind|bietet|bieten|liefert|fertigt|verkauft|est|sont|propose|offre|réalise|vend|es|son|ofrece|è|"
    r"fornisce|realizza|propone|biedt|levert|verzorgt|é|oferece|fornece|är|erbjuder|säljer|er|tilbyr|"
    r"selger|oferuje)\s+)+"
    r"(?:(?:an?|the|ein|eine|der|die|das|une?|una?|il|la|le|een|uw|jouw|ihre?|votre|su|um|uma|en|ett)\s+)?"
    r"(?:(?:[\w#-]+ ){0,3}(?:provider|supplier|specialist)s? (?:of|in|for)\s+)?",
    re.IGNORECASE,
)
_ABBREVIATED = "".join(rf"(?<!\b{one})" for one in ("dr", "med", "dipl", "ing", "prof", "st", "inkl", "bzw", "nr"))
_FORMS = r"(?:s\.?r\.?l\.?s?|sarl|gmbh|ug|ltd|limited|inc|llc|as|ab|bv|b\.v|s\.a|s\.n\.c)\b\.?"
_LEGAL, _FORM = re.compile(rf"\s+{_FORMS}\s*$", re.IGNORECASE), re.compile(rf"^{_FORMS}\s*", re.IGNORECASE)
_NO_OFFER = re.compile(
    r"^(?:if|when|whether|why|how|what|where|wenn|warum|wie|was|si|pourquoi|comment|cuando|por qué|cómo|se|perché|come|"
    r"als|waarom|hoe|porque|como|varför|hur|welcome|willkommen|bienvenue|bienvenidos|benvenuti|bem-vindo|"
    r"everything|alles|"
    r"tout|todo|tutto|tudo|"
    r"we|wir|nous|wij|noi|nós|more|mehr|meer|más|più|mais|mer|więcej|daha|"
    r"broken|faulty|damaged|defekte?|kaputte?|kapotte|"
    r"of|to|by|at|and|or|than|"
    r"with|without|mit|ohne|avec|sans|con|sin|senza|met|zonder|com|sem|med|utan|uten|z|ze|bez|"
    r"jak|dlaczego|kim|co|gdzie|o nas|hvordan|hvorfor|hva|hvad|hvem|vad|vem|varför|om oss|nasıl|neden|hakkımızda|"
    r"quem|por quê|quiénes|qué|dónde|chi|dove|wie|wat|waar|qui|wer|wo|about us|über uns|chi siamo|over ons|à propos|"
    r"sobre nós|sobre nosotros|get|save|find|book|entrena|"
    r"scopri|découvrez|descubre|ontdek|entdecken|conheça|kies|boka)\b",
    re.IGNORECASE,
)
_LOUD = re.compile(
    r"\b(?:leading|best|top[- ]rated|number one|only|beyond|experts?|eneste|most|mest|bästa|största|führend\w*|"
    r"beste[rns]?|leader|meilleure?s?|mejor|líder|"
    r"migliore?|melhor|toonaangevend\w*|najlepsz\w*)\b",
    re.IGNORECASE,
)
# Who a business is; what it sells is said elsewhere.
_WHO = re.compile(
    r"\b(?:artisans?|craftsm[ae]n|importers?|importeur\w*|import[øö]r\w*|importador\w*|importatore|dealers?|händler|"
    r"distributors?|manufacturers?|hersteller|charpentiers?|zimmerleute|handwerker|meisterbetrieb|family business|"
    r"familien(?:betrieb|unternehmen)|entreprise familiale|empresa familiar|azienda familiare|familiebedrijf)\b",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"(?:^|\s)(for|to|serves?|serving|helps?|helping|works? with|supplies|supply|trusted by|used by|loved by|"
    r"advises?|cleans?|für|unterstütz\w+|begleite\w+|pour|auprès d(?:e|es)|accompagne\w*|conseille\w*|aide|para|"
    r"ayuda\w*|per|aiut\w+|voor|helpt|helpen|ajuda\w*|för|hjälper|dla|pomaga\w*)\s",
    re.IGNORECASE,
)
_ENDS = re.compile(
    rf"(?<=[\wà-ž)]){_ABBREVIATED}(?:[.!?;](?=\s|$)|\s[–—](?=\s)|\s(?:which|that|who|so that|with|without|since|"
    r"backed|rooted|grounded|measured|mit|ohne|damit|avec|sans|qui|con|sin|senza|utan|uten|bez|"
    r"che|que|met|zonder|die|com|sem|som|med|from|ab|vanaf|dès|desde|dal|depuis|seit|sinds)\s)",
    re.IGNORECASE,
)
_PROOF = re.compile(
    r"\b(?:since|seit|depuis|desde|dal|sinds|sedan|siden|od)\s+(?:18|19|20)\d\d\b|\b(?:founded|established|gegründet|"
    r"fondée?|fundad[ao]|fondata|opgericht)\b.{0,12}\b(?:18|19|20)\d\d\b|\biso\s?\d{4,5}\b|"
    r"\b(?:over|more than|über|mehr als|plus de|más de|oltre|più di|meer dan|ruim|mais de)\s+\d[\d.,]*\s+\w{4,}",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"\s(?:the|an?|of|in|for|with|and|or|to|at|on|by|der|die|das|dem|den|ein|eine|und|oder|für|mit|im|zum|zur|von|le|la|les|"
    r"un|une|du|des|de|et|ou|pour|avec|dans|en|el|los|las|una|y|con|por|para|il|lo|gli|di|della|per|nel|het|een|van|"
    r"voor|met|op|os|as|um|uma|do|da|dos|das|com|no|na|och|för|med|av|"
    r"such as|like|wie|comme|como|come|zoals|som|jako|including|darunter)$",
    re.IGNORECASE,
)
_AGED = re.compile(r"\d+\+?\s+(?:years|jahren?|ans|años|anni|jaar|anos|år|lat)\b", re.IGNORECASE)
# Kinds of buyers, by the beginnings of their words; they choose among the words of a site and are never written.
_BUYERS = re.compile(
    r"\b(?:compan|business|firms?\b|smes?\b|startup|start-up|founder|entrepreneur|homeowner|resident|household|famil|"
    r"hotel|restaurant|school|clinic|hospital|shops?\b|retail|office|industr|agenc|government|municip|organi[sz]ation|"
    r"student|graduate|individual|farm|manufactur|developer|landlord|teams?\b|professional|freelanc|"
    r"brands?\b|nonprofit|"
    r"charit|universit|contractor|architect|drivers?\b|patient|"
    r"unternehm|kmu\b|mittelst|betrieb|firmen|privat|gewerbe|hausverwalt|praxen|praxis|vereine|kommun|"
    r"handwerk|industrie|"
    r"frauen|paare|brautpaar|familien|schulen|kliniken|"
    r"entreprise|pme\b|tpe\b|particulier|collectivit|syndic|commerc|artisan|professionnel|automobiliste|indépendant|"
    r"associations?\b|écoles?|industriel|"
    r"empresa|pymes?\b|autónom|comerci|ganader|hoteles|restaurantes|particulares|distribuid|profesional|hogar|"
    r"aziend|impres|pmi\b|artigian|privati|professionist|startup|condomin|sposi|coppie|musicist|farmac|autotrazion|"
    r"alimentar|bedrij|organisati|zorg|scho[ol]|overhed|openbare|vve|kantor|horeca|bouw|onderwijs|ondernemer|gemeent|"
    r"residenti|produtor|profissiona|indústria|przemys|firm[ay]?\b|energetyk|petrochemi|instytuc|jacht|företag|"
    r"privatperson|bedrift|şirket|işletme)",
    re.IGNORECASE,
)
_NOT_A_LIST = re.compile(
    r"\b(?:in|im|at|with|mit|avec|con|met|com|that|who|which|die|qui|che|que|from|to|by)\b.*$", re.IGNORECASE
)
_ARTICLE = re.compile(
    r"^(?:the|die|der|den|les|le|la|los|las|el|gli|il|i|de|het|os|as|o|a|und|and|et|en|e|y)\s+", re.IGNORECASE
)
_DEED = re.compile(
    r"^(?:\w+ing|help|achieve|empower|withstand|strengthen|serve|support|grow|become|make|get)\b", re.IGNORECASE
)
_INFINITIVE = re.compile(r"^\w{2,}(?:er|ir|oir|ar|are|ere|ire|ndre) ", re.IGNORECASE)  # what something is good for
_INFINITIVES_AFTER_FOR = ("fr", "es", "it", "pt")
_MENTIONED = {
    language: re.compile(
        several if language in buyers.UNSPACED else rf"(?<![\w-])(?:{several})(?![\w-])", re.IGNORECASE
    )
    for language, several in buyers.NAMED.items()
}
_BROADLY = re.compile(rf"(?<![\w-])(?:{'|'.join(sorted(buyers.BROAD))})(?![\w-])", re.IGNORECASE)
_DETERMINED = re.compile(r"\w (?:an?|the|its|his|her|their)\b", re.IGNORECASE)
_OWNED = re.compile(rf"(?<![\w-]){buyers.OWNED}(?![\w-])", re.IGNORECASE)
# What it counts when a site names a kind of customers without saying that something is for them, and when it names
# everyone; and how much is enough to believe it. Found by trying on the websites of `make eval`.
MENTIONED_ONLY, BROADLY, ENOUGH_OF_BUYERS = 0.45, 0.4, 0.75
MOST_BUYERS = 5
_UNTIDY = re.compile(
    r"[#@*<>{}\[\]\\^~=_]|https?:|www\.|\b\w+@|\+?\d[\d ()/-]{7,}|[€$£]|\b(?:tel|phone|call)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Said:
    """Words of a page that may say something about the business; `weight` is larger for more prominent places."""

    page: str
    words: str
    weight: float


@dataclass(frozen=True)
class Phrase:
    """Words for what is sold, the place that says so, and how far the rest of the site bears it out."""

    words: str
    said: Said
    score: float


def facts(site: Site | None, description: str, name: str, language: str) -> list[Fact]:
    """Return what is sold, for which buyers, and one proof, as far as the site says it."""
    places = list(_places(site, description))
    told = None if site and site.pages else _told(description, name, language)
    best = told or _best(site, description, name, language, places)
    found = [Fact(best.words, best.said.page, best.said.words, "sells")] if best else []
    return [*found, *_buyers(places, language, f"{name} {best.words if best else ''}"), *_proof(places)]


def _told(description: str, name: str, language: str) -> Phrase | None:
    """Return what an owner's description says is sold, where it says so in plain words."""
    for sentence in sentences(description[:20_000]):
        what = descriptions.sold_in(sentence, name, language) if sound(sentence) else ""
        if 3 <= len(what) <= LONGEST - 20 and not (_UNTIDY.search(what) or _ADDRESSED.search(what) or _vague(what)):
            return Phrase(what, Said(DESCRIPTION, sentence, FIRST), ENOUGH)
    return None


def _places(site: Site | None, description: str) -> Iterator[Said]:
    """Yield the places where a business says what it is, the most prominent first."""
    for sentence in sentences(description[:20_000])[:12]:
        yield Said(DESCRIPTION, sentence, 3.4)
    for index, page in enumerate(site.pages if site else ()):
        if index and page.kind not in ("product", "about", "other"):
            continue
        title, told, first, other = HOME if index == 0 else INNER
        for at, piece in enumerate(_BARS.split(page.title)):
            yield Said(page.url, piece, max(title - 0.3 * at, title * 0.8))
        for at, sentence in enumerate(sentences(page.description)[:3]):
            yield Said(page.url, sentence, told if at == 0 else told / 2)
        for at, heading in enumerate(page.headings[:12]):
            yield Said(page.url, heading, first if at == 0 else other)
        for sentence in sentences(page.text)[:40]:
            yield Said(page.url, sentence, other)


def _stems(words: str) -> list[str]:
    found = re.findall(r"[^\W\d_][\w’'-]*", words.casefold())
    return [one[:_STEM] for one in found if len(one) >= _LEAST_LETTERS and one not in _STOPS]


def _best(site: Site | None, description: str, name: str, language: str, places: Sequence[Said]) -> Phrase | None:
    pages = site.pages if site else ()
    whole = "\n".join([description, *(f"{page.title}\n{page.description}\n{page.text}" for page in pages)])
    counted = Counter(_stems(whole))
    small = frozenset(re.findall(r"(?<![\w.])[a-zà-ž][\wà-ž-]+", whole))
    common = frozenset(counted) if language == "de" else frozenset(one[:_STEM] for one in small)
    firsts = [set(_stems(said.words)) & common for said in places if said.weight >= FIRST]
    firsts.append(set(_stems(name)) & common)
    phrases = []
    for said in places:
        for words in _phrases(said.words, name):
            words = _relaxed(words, small) if language != "de" else words
            score = _score(words, counted, common) * said.weight / 3
            agreed = sum(bool(several & {*_stems(words)}) for several in firsts) - (said.weight >= FIRST)
            if score and _flat(words) != _flat(name):
                phrases.append(Phrase(words, said, score * (1 + 0.25 * min(agreed, 3))))
    ranked = sorted(phrases, key=lambda one: (-(one.said.weight >= FIRST), -one.score))
    ranked = [one for one in ranked if one.score >= (ENOUGH if one.said.weight >= FIRST else ENOUGH_ELSEWHERE)]
    return ranked[0] if ranked else None


def _phrases(words: str, name: str) -> Iterator[str]:
    """Yield the parts of a sentence or title that may say what is sold."""
    words = " ".join(re.sub(r"[™®©“”\"„«»✓✔★]|^(?:the )?#1( rated)?\b", " ", words, flags=re.IGNORECASE).split())
    words = words.strip(" .,;:-–—|!")
    if not words or not sound(words):
        return
    bare = _without_name(words, name)
    for one in dict.fromkeys((bare, _STARTS.sub("", bare), _SPECIAL.sub("", bare))):
        for half in dict.fromkeys((one.partition(": ")[0], one.partition(": ")[2])):
            end = _ENDS.search(half, SHORTEST)
            for part in dict.fromkeys((half, half[: end.start()] if end else half)):
                if part and (short := _short(part)):
                    yield short


def _flat(words: str) -> str:
    """Return the letters of a name, whatever its accents and capitals."""
    return "".join(filter(str.isalnum, plain(words.casefold())))


def _without_name(words: str, name: str) -> str:
    """Return what a sentence says after the name; nothing when that is no offer but a deed."""
    bare = _LEGAL.sub("", name)
    if not bare or not words.casefold().startswith(bare.casefold()):
        return _without_part(words, bare)
    rest = _FORM.sub("", words[len(bare) :].strip())
    if link := _LINK.match(rest):
        return rest[link.end() :].strip(" ,;:–—-")
    later = re.search(r"(?::|\s[–—-]|\b(?:offre|ofrece|offers|bietet|biedt|oferece))\s", rest[:60])
    if later:
        return rest[later.end() :].strip(" ,;:–—-")
    return rest if rest[:1].isupper() else ""


def _without_part(words: str, name: str) -> str:
    """Return what a sentence says beside a name that it has in its middle, or after the name's first word."""
    first = name.partition(" ")[0]
    rest = words[len(first) :].lstrip()
    begins = len(first) > _LEAST_LETTERS and words.casefold().startswith(f"{first.casefold()} ")
    if begins and rest[:1].isalpha() and (link := _LINK.match(rest)):
        return rest[link.end() :]
    return " ".join(re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", words, flags=re.IGNORECASE).split()) or words


def _short(words: str) -> str:
    """Return the words, cut at the end of a part when they are too long; '' when that is not possible."""
    words = words.strip(" .,;:-–—|!")
    if len(words) <= LONGEST:
        return words
    cut = max((match.start() for match in re.finditer(r"[,;:]\s|\s[–—-]\s", words[:LONGEST])), default=0)
    return re.sub(r"\s[–—-]\s\S+$", "", words[:cut]) if cut >= LONGEST // 3 else ""


def _relaxed(words: str, small: frozenset[str]) -> str:
    """Return a title with small letters, if the site itself writes all of its words small elsewhere."""
    several = re.findall(r"[^\W\d_][\w’'-]*", words)
    raised = [one for one in several if one[:1].isupper() and not (one.isupper() and len(one) <= 4)]
    if raised and all(one.lower() in small for one in raised):
        for one in raised:
            words = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", one.lower(), words)
    return words


def _score(words: str, counted: Counter[str], common: frozenset[str]) -> float:
    """Return how far the rest of the site bears a phrase out: the mean weight of its words."""
    stems = list(dict.fromkeys(_stems(words)))
    letters = max((len(one) for one in re.findall(r"\w+", words)), default=0)
    if not stems or (len(stems) == 1 and letters < 11) or len(words.split()) > 16 or _vague(words):
        return 0
    if _UNTIDY.search(words) or _NO_OFFER.match(words) or words.endswith("?") or re.search(r"[.!?]\s", words):
        return 0
    if _PROOF.search(words) or _AGED.search(words) or _CUT_OFF.search(words):
        return 0
    weights = [log(min(counted[one], 12)) if counted[one] > 1 and one in common else 0 for one in stems]
    score = sum(weights) / (len(weights) + 1.0)
    if _LOUD.search(words) or _WHO.search(words):  # it may be true, and is no offer
        score *= 0.35
    return score * (0.45 if _ADDRESSED.search(words) else 1)


def _vague(words: str) -> bool:
    """Return whether what is offered is said by words alone that every business says of itself."""
    return not set(_stems(_FOR.split(words)[0])) - _VAGUE


def _buyers(places: Sequence[Said], language: str, sells: str) -> Iterator[Fact]:
    """Yield the kinds of customers that the site names, those named most prominently and most often first.

    A law firm whose offer names lawyers does not sell to lawyers.
    """
    found: dict[str, tuple[float, Fact]] = {}
    own = set(_stems(sells))
    for said in places:
        told = descriptions.buyers_in(said.words, language) if said.page == DESCRIPTION else []
        for words, share in [*_named_in(said.words, language), *((one, 1.0) for one in told)]:
            if own & {*_stems(words)} and share < 1:
                continue
            key = words.casefold()[:_STEM]
            weight, fact = found.get(key, (0.0, Fact(words, said.page, said.words, "for")))
            found[key] = (weight + said.weight * share, fact)
    ranked = sorted(found.values(), key=lambda one: -one[0])
    known: list[set[str]] = []
    for weight, fact in ranked:
        stems = set(_stems(fact.text))
        if (
            len(known) < MOST_BUYERS
            and weight >= ENOUGH_OF_BUYERS
            and not any(stems <= one or one < stems for one in known)
        ):
            known.append(stems)
            yield fact


def _named_in(words: str, language: str) -> Iterator[tuple[str, float]]:
    """Yield kinds of customers that a sentence names, and what that counts: who something is for counts whole."""
    served: set[str] = set()
    mentioned = _MENTIONED.get(language)
    for clause in _FOR.split(words)[2::2]:
        told = re.split(r"[.!?;:()|]|\s[–—-]\s", clause)[0]
        for item in re.split(rf"\s*,\s*|{AND}", told):
            one = _ARTICLE.sub("", _NOT_A_LIST.sub("", item).strip(" .,"))
            one = _to_the_noun(one) if language == "en" else one
            if (
                (_BUYERS.search(one) or segments_in(one) or (mentioned and mentioned.search(one)))
                and not _ADDRESSED.search(one)
                and not _DEED.search(one)
                and not (language in _INFINITIVES_AFTER_FOR and _INFINITIVE.search(one))
                and len(one.split()) <= 4
                and len(one) <= 48
            ):
                served.update(_stems(one))
                yield one, BROADLY if one.casefold() in buyers.BROAD else 1.0
    several = [match[0] for match in mentioned.finditer(words)] if mentioned else []
    for one in [*several, *_OWNED.findall(words)]:
        if not served.intersection(_stems(one)):
            yield one, MENTIONED_ONLY


def _to_the_noun(words: str) -> str:
    """Return an English phrase up to the customers it names: of "retailers seeking growth", retailers."""
    if _DETERMINED.search(words):
        return ""
    last = max((match.end() for one in (_MENTIONED["en"], _BROADLY) for match in one.finditer(words)), default=0)
    if last:
        return words[:last]
    *_, before, head = ["", "", *words.split()]
    named = segments_in(head) or (segments_in(f"{before} {head}") and not segments_in(before))
    return words if named else ""


_PARTS = re.compile(r"[.!?|]\s|\s[–—-]\s")


def _proof(places: Sequence[Said]) -> Iterator[Fact]:
    """Yield the first sentence with a year or number that can be shown."""
    for said in places:
        words = said.words.strip(" .")
        fits = 12 <= len(words) <= LONGEST - 20 and not words.endswith(("?", "!")) and len(words.split()) >= 3
        plain = not any(one.search(words) for one in (_UNTIDY, _LOUD, _ADDRESSED, _PARTS))
        if said.weight > 1 and fits and plain and _PROOF.search(words):
            yield Fact(words, said.page, said.words, "proof")
            return
