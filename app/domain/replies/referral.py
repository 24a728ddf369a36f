"""Referrals: a letter that names another person, address or department to talk to."""

import re
from dataclasses import dataclass

from app.domain.replies import absence, words
from app.domain.replies.own_words import said, sentences
from app.domain.replies.words import fold

READ = 3000  # characters; an answer says it at its beginning
LONG = 1000
LONGEST_SAID = 200


@dataclass(frozen=True)
class Referral:
    """Another contact a reply points to, as far as it says, and the words it was read from."""

    name: str = ""
    email: str = ""
    phone: str = ""
    position: str = ""  # or department
    said: str = ""


# "I will talk to Bo": they go themselves.
_THEMSELVES = re.compile(
    r"\b(?:i|we|me|let me|i'll|we'll|i will|we will|i'd|would have to|need to|have to"
    r"|going to|ich|wir|werde|muss|je|nous|vais|dois"
    r"|io|devo|ik|wij|moet|ga|eu|nos|vou|preciso|voy a|tengo que|debo|ja|musze|jag|ska"
    r"|maste|jeg|skal|ma)(?: \w+'?\w*){0,2} $"
)
_BY_THEMSELVES = re.compile(
    r"(?:talk|speak|reach|writ|turn|ask|check|call|ping|contact|e-?mail|get|deal|liaise"
    r"|follow|message|include|try|meet|sprech|red"
    r"|frag|voir|parl|habl|comenta|consult|sent|scriv|vra|spre|fal|convers|ver|pyt|porozm|prat|tal|snak)"
)
_COPIED = re.compile(
    r"cc|copy|copi|add|loop|bring|includ|i'm|i am|i've|have|in (?:cc|copi|kopie|copia)"
    r"|mets?|mett|en copie|com copia|em copia"
)
# Who keeps their calendar is no other contact.
_SCHEDULING = re.compile(
    r"calendar|schedul|assistant|find (?:us )?(?:a |some )?(?:time|slot|\d)"
    r"|sort out a time|set (?:something|it|this) up|set up a|coordinat"
)
_NOBODY = re.compile(r"\b(?:not|never|don't|do not|no need to|stop|nicht|ne|no|non|niet|nao|nie|inte|ikke)(?: \w+)? $")

_NAME_WORD = r"[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽ][\w'’-]*[a-zà-öø-ÿłśżźčšžńęąó](?:[A-Z][a-z]+)?"
_NAME = re.compile(
    rf"(?:{_NAME_WORD}|[A-Z]\.)(?: (?:(?:van|von|de|der|den|del|della|di|da|dos|la|le|el"
    rf"|bin|al|af|zu)\b ?){{0,2}}(?:{_NAME_WORD}|[A-Z]\.)){{0,3}}"
)
_TITLE = re.compile(
    r"(?:(?:mr|mrs|ms|miss|dr|prof|herrn?|frau|hr|fr|m|mme|mlle|madame|monsieur|sr|sra"
    r"|srta|senor|senora|don|dona|sig|sig\.?ra|signor|signora"
    r"|dott|dott\.?ssa|ing|dhr|mevr|de heer|mevrouw|meneer|pan|pani|pana|panem|pania|seu)\b\.?\s+)+",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:(?:,|:|-|\s|please|directly|instead|rather|maybe|also|to|the|my|our|your|a|an"
    r"|with|at|either|of|old|new|former|current|boss|colleagues?|co-?worker|teammate"
    r"|team ?mate|friend"
    r"|manager|partner|assistant|here|in|bitte|direkt|an|mit|bei|meine[nmr]?|unsere[nmr]?"
    r"|der|die|das|den|dem|kolleg(?:e|in|en|innen)|chef(?:in)?|vorgesetzten?"
    r"|mon|ma|mes|notre|nos|votre|le|la|les|l'|collegues?|a|au|avec|plutot|directement|mi"
    r"|mis|nuestr[oa]s?|el|companer[oa]s?|colega|jef[ea]|con|al|directamente|mejor"
    r"|il|lo|mio|mia|nostr[oa]|collega|direttamente|alla|all'|mijn|onze|collega's|de|het"
    r"|met|naar|bij|meu|minha|nosso|nossa|o|com|para|min|mitt|vart|var|kollega|kollegan"
    r"|till|med|vores|mine|til|moj\w*|nasz\w*|koleg\w+|kolezank\w+|z|do|na|is|are|be|was"
    r"|would|e|ist|est|es|er|ar|named|called|namens|named|som|heter)\b[,:]?\s*|[,:–-]\s*)*",
    re.IGNORECASE,
)
_NO_NAMES = frozenset(
    """
    i i'm i'll i'd i've you your we our they he she it this that the a an hi hello hey dear thanks thank thx
    sorry best regards kind warm cheers please yes no ok not now then also and but so if for from sent on in
    at as to of my me us let lets monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december q1 q2 q3 q4 linkedin zoom teams
    google outlook gmail excel slack hubspot salesforce apollo calendly whatsapp crm erp saas api ai us uk
    eu usa gdpr ceo cfo cto coo cmo cio cro hr it pr vp svp evp roi ooo pto fyi btw asap ps cc bcc re fw fwd
    english german french sie ihr ihre ihnen ihren ich wir uns vielen dank danke guten tag hallo liebe
    lieber sehr geehrte geehrter geehrte mit freundlichen grussen gruss bitte herr frau herrn kollege
    kollegin kollegen einkauf vertrieb abteilung zentrale team geschaftsfuhrung geschaftsleitung marketing
    personal buchhaltung unternehmen firma anfrage angebot nachricht mail e-mail thema bereich
    ansprechpartner bonjour merci cordialement madame monsieur je nous vous il elle le la les un une service
    direction hola gracias saludos usted ustedes yo ella el los las buenos buenas estimado estimada ciao
    buongiorno grazie saluti cordiali lei noi voi beste groet bedankt geachte ik wij u ola oi obrigado
    obrigada bom boa senhor senhora prezado prezada eu voce ele ela dzien dobry dziekuje prosze panstwo pan
    pani hej tack med vanlig halsning jag vi ni hilsen tak jeg venlig sales procurement purchasing finance
    operations legal support engineering product person someone anyone department office
    company group head director manager procurement
    """.split()
)
_NO_NAMES |= frozenset(
    """
    what who which how when where why whose there here any some all more just only also wie was wer wo wann qui quoi
    comment quand que quien como cuando chi cosa come quando wat wie hoe wanneer quem kto co jak kiedy vad hvem hvad
    unfortunately currently actually perhaps maybe leider gerne aktuell derzeit
    """.split()
)

_TOO_GENERAL = frozenset(
    "team department dept lead leader support director manager chef abteilung departamento afdeling avdelning setor"
    " dzial".split()
)
_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
_MACHINE = re.compile(r"(?<!\S)\S*(?:unsubscribe|no-?reply|donotreply|mailer-daemon|postmaster|bounce)", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.@/-])(?:\+|00)?\(?\d[\d ()./-]{6,18}\d(?![\w@/])")
_ROLE = (
    r"head(?= of\b)|vp\b|vice president|chief [\w ]{2,25}officer|c[efmtdir]o\b|cro\b"
    r"|coo\b|cpo\b|director\b|manager\b|lead\b|leader\b|team\b|department\b|dept\b"
    r"|buyer\b|procurement\b|purchasing\b|purchase"
    r"|accounts? payable|accounting|finance\b|marketing\b|sales\b|revops\b|operations\b"
    r"|human resources|hr\b|it\b(?= (?:team|department|dept|desk|manager|director|lead))"
    r"|legal\b|support\b|compliance|office manager|head office|front desk|reception"
    r"|leit(?:er|erin|ung)\b|\w*leit(?:er|erin|ung)\b|\w*abteilung\b|einkauf\w*"
    r"|vertrieb\w*|geschaftsfuhr\w+|personal(?:abteilung|leitung|wesen)|buchhaltung"
    r"|zentrale\b|sekretariat"
    r"|responsable|directeur|directrice|direction\b|service (?:achats?|\w+)|achats?\b"
    r"|rh\b|dsi\b|daf\b|drh\b|comptabilite|chef de \w+"
    r"|director[ae]?\b|gerente\b|jef[ea] de \w+|encargad[oa]|departamento|area de \w+"
    r"|compras\b|recursos humanos|direccion\b|persona de \w+|comunicacion\b"
    r"|responsabile|direttore|direttrice|ufficio \w+|reparto \w+|acquisti\b|amministrazione"
    r"|inkoop\w*|afdeling\w*|directeur\b|directie\b|verkoop\b|hoofd \w+"
    r"|diretor[ae]?\b|setor\b|responsavel|financeiro\b|comercial\b|suprimentos|dzial\w*"
    r"|kierowni\w+|dyrektor\w*|inkop\w*|avdelning\w*|chef\b|indkob\w*|afdeling\w*"
)
_POSITION = re.compile(
    rf"(?:(?:our|the|my|your|unser\w*|mein\w*|der|die|den|notre|le|la|l'|nuestr[oa]|el|al"
    rf"|il|nostr[oa]|onze|de|het|nosso|nossa|o|a|do|vores|var|vart)\s+|l')?"
    rf"(?P<role>(?:[\w&-]+ ){{0,2}}?(?:{_ROLE})(?: (?:team|department|dept|manager|director|lead)\b)?"
    rf"(?: (?:of|de|del|di|da|do|van|fur"
    rf"|der)\b(?: (?!who|and|or|is|she|he|they|instead|directly|please|handles|at|in|on"
    rf"|for|to|with|und|et|y|e|qui|que|that|which|por|as)[\w&-]+){{0,3}})?)",
)


def read(text: str) -> Referral | None:
    """Return the contact a reply points to instead; None without one, or if only for the time of an absence."""
    own = said(text)[:READ]
    return None if absence.is_note(own) else read_own(own)


def read_own(own: str) -> Referral | None:
    """Return the contact that a person's own words, or the note of one who left, point to."""
    own = own[:READ]
    small, languages, parts = fold(own), words.likely(own), sentences(own)
    found: list[Referral] = []
    for index, (begin, end) in enumerate(parts):
        below = parts[index + 1][1] if index + 1 < len(parts) else end
        for at, copied in _places(small, begin, end, languages):
            one = None if copied and _SCHEDULING.search(small, begin, below) else _contact(own, at, end, below, copied)
            if one:
                found.append(Referral(*one, said=" ".join(own[begin:end].split())[:LONGEST_SAID]))
        if other := _in_charge(own, small, begin, end, below, languages):
            found.append(other)
    if len(own) > LONG:  # a story names many people
        found = [one for one in found if one.name and (one.email or one.position)]
    return max(found, key=lambda one: (bool(one.name), bool(one.email), bool(one.position)), default=None)


def _places(small: str, begin: int, end: int, languages: list[str]) -> list[tuple[int, bool]]:
    """Return where the words after "talk to" begin, if they do not go themselves, and whether it is "copying"."""
    places = []
    for towards in words.finds("referral", "towards", languages):
        for cue in towards.finditer(small, begin, end):
            before = small[begin : cue.start()]
            goes = _THEMSELVES.search(before) and _BY_THEMSELVES.match(cue[0])
            if not goes and not _NOBODY.search(before):
                places.append((cue.end(), bool(_COPIED.match(cue[0]))))
    return places


def _contact(own: str, at: int, end: int, below: int, copied: bool) -> tuple[str, str, str, str] | None:
    """Read who stands at a place, by name, address or position, with what the next sentence adds."""
    start = _skip(own, at, end)
    name, after = _name_at(own, start, end)
    email = _EMAIL.search(own, at, min(end, (after if name else start) + 90))
    position = _position(own, after if name else start, end, bool(name))
    if not name and position:  # "our head of sales, Bo"
        apposed = re.compile(r"[ ,(–—:-]+").match(own, own.find(position, start) + len(position), end)
        name, after = _name_at(own, apposed.end(), end) if apposed else ("", after)
    if not name and not (email and email.start() - start < 40) and (copied or not position):
        return None
    if email and _MACHINE.match(email[0]):
        return None
    if name and not email:
        email = _EMAIL.search(own, end, below)
    phone = _PHONE.search(own, after, below)
    return name, email[0] if email else "", phone[0].strip() if phone else "", position


def _skip(own: str, at: int, end: int) -> int:
    while True:
        filler = _FILLER.match(fold(own), at, end)
        titled = _TITLE.match(fold(own), filler.end() if filler else at, end)
        following = titled.end() if titled else filler.end() if filler else at
        if following == at:
            return at
        at = following


def _name_at(own: str, at: int, end: int) -> tuple[str, int]:
    found = _NAME.match(own, at, end)
    if not found:
        return "", at
    kept: list[str] = []
    for word in found[0].split():
        if word.islower() and kept:
            kept.append(word)
            continue
        if fold(word).strip(".'") in _NO_NAMES | words.little_words() or re.fullmatch(rf"(?:{_ROLE})", fold(word)):
            break
        kept.append(word)
    while kept and kept[-1].islower():
        kept.pop()
    name = re.sub(r"['’]s$", "", " ".join(kept))
    return name, at + len(" ".join(kept))


def _position(own: str, at: int, end: int, named: bool) -> str:
    """Return the position or department: right there, or after a name in an apposition."""
    small = fold(own)
    if named:
        joined = re.compile(
            r"[ ,(–-]*(?:from|in|on|at|of|our|the|who is|who's|is|aus|vom|von|im|in der|du|de|del"
            r"|dell[ao]|nuestr[oa]|notre|unser\w*|onze|van|nosso|nossa|da|do)?\s*"
        ).match(small, at, end)
        at = joined.end() if joined else at
    found = _POSITION.match(small, at, min(end, at + 80))
    position = own[found.start("role") : found.end("role")].strip(" ,.") if found else ""
    return "" if fold(position) in _TOO_GENERAL else position


def _in_charge(own: str, small: str, begin: int, end: int, below: int, languages: list[str]) -> Referral | None:
    """Read "Bo looks after this", "procurement decides"."""
    charge = list(words.finds("referral", "in_charge", languages))
    if role := _POSITION.match(small, begin, end):
        at = role.end() + (small[role.end() : role.end() + 1] == " ")
        position = own[role.start("role") : role.end("role")]
        for stop in range(role.start("role"), role.end("role")):
            if small[stop] == " " and any(one.match(small, stop + 1, end) for one in charge):
                at, position = stop + 1, own[role.start("role") : stop]
                break
        if fold(position) not in _TOO_GENERAL and any(one.match(small, at, end) for one in charge):
            return Referral(position=position, said=" ".join(own[begin:end].split())[:LONGEST_SAID])
    for found in _NAME.finditer(own, begin, end):
        name, after = _name_at(own, found.start(), end)
        if not name:
            continue
        between = re.compile(r"(?:,[^,.]{2,60},|\s*\([^)]{2,40}\)|,? )?\s*").match(small, after, end)
        at = between.end() if between else after
        if any(one.match(small, at, end) for one in charge):
            email, phone = _EMAIL.search(own, after, below), _PHONE.search(own, after, below)
            position = _position(own, after, at, True)
            text = " ".join(own[begin:end].split())[:LONGEST_SAID]
            return Referral(name, email[0] if email else "", phone[0].strip() if phone else "", position, text)
    return None
