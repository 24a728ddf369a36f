"""Find what an owner says is sold, and to whom: "we sell … to …", in the languages that the built-in writer writes."""

import re

from app.core import languages

_GOODS = {
    "en": r"(?:also |only )?(?:sell|offer|make|provide|build|supply|produce|manufacture|deliver|develop|bake|roast|"
    r"brew|craft|run)s?",
    "de": r"(?:verkauf|biet|liefer|fertig|bau|produzier|entwickel|mach|back|röst|brau|vertreib)(?:en|n|t|et)",
    "fr": r"(?:vend|propos|offr|fabriqu|produis|livr|développ|réalis|fourniss|torréfi)(?:ons|ez|e|ent)?",
    "es": r"(?:vend|ofrec|fabric|produc|distribu|desarroll|suministr|elabor)(?:emos|imos|amos|e|a)",
    "it": r"(?:vend|offr|produc|realizz|forn|svilupp|distribu)(?:iamo|e|a|isce)",
    "nl": r"(?:verko(?:op|pen)|lever(?:en|t)|ma(?:ken|akt)|bied(?:en|t)|produce(?:ren|ert)|ontwikkel(?:en|t))",
    "pt": r"(?:vend|oferec|fabric|produz|fornec|desenvolv|distribu)(?:emos|imos|amos|e|a)",
}
_WE = {"en": "we|i", "de": "wir|ich", "fr": "nous|je", "es": "", "it": "", "nl": "wij|we|ik", "pt": ""}
_BEING = {
    "en": r"(?:is|are|am|run|own) an?(?! (?:small|team)\b)|is(?= [a-z])",
    "de": r"(?:ist|sind|bin) eine?n?",
    "fr": r"(?:est|sommes|suis) une?",
    "es": r"(?:somos|soy) una?",
    "it": r"(?:siamo|sono) un[oa']?",
    "nl": r"(?:is|zijn|ben) een",
    "pt": r"(?:somos|sou) uma?",
}
# What an owner does, as words for what is sold; other languages would have to inflect what follows.
_DEEDS = {
    "repair": "repair of", "clean": "cleaning of", "rent": "rental of", "install": "installation of",
    "test": "testing of", "translate": "translation of", "restore": "restoration of", "host": "hosting of",
    "print": "printing of", "design": "design of", "inspect": "inspection of", "manage": "management of",
    "maintain": "maintenance of", "recycle": "recycling of", "transport": "transport of",
}  # fmt: skip
_WHERE = {  # where the words for what is sold end: for whom, where, with what, since when
    "en": r"to(?= [a-z])|for|so|that|which|who|where|in a|from|and (?:we|ship|it)|with|at|within|by|since",
    "de": r"für|an|in|im|aus|mit|seit|bei|zu|zum|zur|nach|auf|damit|der|die|das|und (?:wir|liefern)|von(?= [A-ZÄÖÜ])",
    "fr": r"pour|aux?|à|dans|avec|depuis|chez|sur|par|qui|que|afin|en(?= [A-ZÀ-Ž])|et (?:nous|les?)",
    "es": r"para|a|al|en|con|desde|por|que|y (?:los?|las?)",
    "it": r"per|a|ai|agli|alle|alla|in|nel|nella|con|dal|da|che|e (?:li|le)",
    "nl": r"voor|aan|in|met|sinds|bij|uit|naar|die|dat|en (?:we|wij)",
    "pt": r"para|a|aos?|às?|em|no|na|com|desde|por|que|e (?:os?|as?)",
}
_ENDS = {language: re.compile(rf"\s(?:{words})\s.*$|,\s.*$|\sin [A-Z].*$") for language, words in _WHERE.items()}
_PARTITIVE = re.compile(r"^(?:des|du|de la|de l['’]|les)\s*", re.IGNORECASE)
# What anyone may say of themselves: a friendly team, a family business, the highest quality, lasting partnerships.
_ANYONE = re.compile(
    r"\b(?:team|family|group|people|équipe|equipo|squadra|equipe|familia|família|famiglia|famille|familie|groep|"
    r"community|comunidad|comunità|comunidade|gemeinschaft)\b.{0,20}$|"
    r"\b(?:partnerships?|relationships?|results|estimates?|options|oversight|leadership|mission|quality|support)$|"
    r"\b(?:qualität|qualité|calidad|qualità|kwaliteit|qualidade|lasting|highest|unique)\b|"
    r"^(?:\w+e[rsn]?\s+)?(?:Unternehmen|Firma|Betrieb|Familienbetrieb|Familienunternehmen)$|"
    r"^(?:entreprise|empresa|azienda|impresa|bedrijf|société|sociedad)(?:\s\w+)?$|"
    r"^(?:(?:small|young|new|old|local|friendly|growing|independent|international|leading|modern|proud|family|"
    r"family-run|family-owned|privately|owned|held|and|operated)\s+)+(?:company|business|firm|startup|agency)$",
    re.IGNORECASE,
)
# Verbs after which the buyers are named, the word before them, those between them, and those after them.
_SELLING = {
    "en": (r"sells?|suppl(?:y|ies)|delivers?|rents?", "to", "and|or", "in|with|from|since|who|that|through|by|at"),
    "de": (r"(?:verkauf|liefer|vermiet)(?:en|t)", "an", "und|oder|sowie", "in|im|aus|mit|seit|die|über"),
    "fr": (r"(?:vend|livr|lou|fourniss)(?:ons|e|ent)?", "aux?", "et|ou", "à|en|dans|avec|depuis|qui|que"),
    "es": (r"(?:vend|suministr|distribu)(?:emos|imos|amos|e|a)", "a", "y|e|o", "en|con|desde|que"),
    "it": (r"(?:vend|forn|distribu)(?:iamo|e|isce)", "a|ai|agli|alle", "e|ed|o", "in|nel|con|da|dal|che"),
    "nl": (r"verko(?:opt?|pen)|lever(?:en|t)", "aan", "en|of", "in|met|sinds|die|via"),
    "pt": (r"(?:vend|fornec|distribu)(?:emos|imos|amos|e|a)", "a|aos?|às?", "e|ou", "em|no|na|com|desde|que"),
}
_ARTICLE = re.compile(r"^(?:the|die|der|den|les|la|los|las|gli|le|de|het|os|as)\s+", re.IGNORECASE)
MOST_WORDS = 4  # of a kind of buyers


def buyers_in(sentence: str, language: str) -> list[str]:
    """Return the kinds of buyers to whom a sentence of an owner's description says that something is sold."""
    language = languages.base(language) or "en"
    if language not in _SELLING:
        return []
    verbs, to, between, after = _SELLING[language]
    told = rf"\b(?:{verbs})\s[^.!?;:]*?\s(?:{to})\s(?P<whom>[^.!?;:\n]{{3,160}})"
    match = re.search(told, sentence, re.IGNORECASE)
    if match is None:
        return []
    whom = re.sub(rf"\s(?:{after})\s.*$", "", match["whom"])
    several = (_ARTICLE.sub("", one.strip()) for one in re.split(rf"\s*[,/]\s*|\s(?:{between})\s", whom))
    return [one for one in several if len(one) >= 3 and len(one.split()) <= MOST_WORDS]


def sold_in(sentence: str, name: str, language: str) -> str:
    """Return what a sentence of an owner's description says is sold; '' where it does not say so in plain words."""
    language = languages.base(language) or "en"
    if language not in _GOODS:
        return ""
    who = "|".join(filter(None, (_WE[language], re.escape(name))))
    subject = rf"(?:^|, )(?:(?:{who})(?:\s+(?:gmbh|ltd|inc|llc|ag))?\s+)" + ("" if _WE[language] else "?")
    deed = rf"(?P<deed>{'|'.join(_DEEDS)})e?s?|" if language == "en" else "(?P<deed>(?!))|"
    told = rf"{subject}(?:(?P<goods>{_GOODS[language]})|{deed}{_BEING[language]})\s+(?P<what>[^.!?;:\n]{{3,200}})"
    match = re.search(told, sentence, re.IGNORECASE)
    if match is None:
        return ""
    what = _ENDS[language].sub("", match["what"]).strip(" ,")
    if match["goods"]:
        what = _PARTITIVE.sub("", what)
    if _ANYONE.search(what) or " called " in what:
        return ""
    return f"{_DEEDS.get((match['deed'] or '').lower(), '')} {what}".strip()
