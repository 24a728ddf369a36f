"""Referrals: a letter that names another person, address or department to talk to."""

import re
from dataclasses import dataclass

from app.domain.replies import words
from app.domain.replies.own_words import sentences
from app.domain.replies.words import alternatives, fold

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


_MOST_OF_WORD = 40  # letters: patterns of words take long on a letter that is one huge word


def _any(name: str) -> str:
    return f"(?:{alternatives('beside', 'referral', name)})"


_THEMSELVES = re.compile(rf"\b{_any('themselves')}(?: \w+(?:'\w*)?){{0,2}} $")
_BY_THEMSELVES, _COPIED = re.compile(_any("by_themselves")), re.compile(_any("copied"))
_SCHEDULING = re.compile(_any("scheduling"))
_NOBODY = re.compile(rf"\b{_any('nobody')}(?: \w+)? $")
_NAME_WORD = (
    rf"[A-ZÀ-ÖØ-ÞŁŚŻŹČŠŽ][\w'’-]{{0,{_MOST_OF_WORD}}}[a-zà-öø-ÿłśżźčšžńęąó](?:[A-Z][a-z]{{1,{_MOST_OF_WORD}}})?"
)
_NAME = re.compile(rf"(?:{_NAME_WORD}|[A-Z]\.)(?: (?:{_any('particles')}\b ?){{0,2}}(?:{_NAME_WORD}|[A-Z]\.)){{0,3}}")
_TITLE = re.compile(rf"(?:{_any('titles')}\b\.?\s+)+")
_FILLER = re.compile(rf"(?:(?:,|:|-|\s|{_any('filler')})\b[,:]?\s*|[,:–-]\s*)*")
_NO_NAMES = frozenset(alternatives("beside", "referral", "no_names").replace("|", " ").split())
_TOO_GENERAL = re.compile(_any("too_general"))
_EMAIL = re.compile(r"(?<![\w.+'-])[\w.+'-]+@[\w-]+(?:\.[\w-]+)+")
_MACHINE = re.compile(r"(?<!\S)\S*(?:unsubscribe|no-?reply|donotreply|mailer-daemon|postmaster|bounce)", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.@/-])(?:\+|00)?\(?\d[\d ()./-]{6,18}\d(?![\w@/])")
_ROLE = _any("roles")
_POSITION = re.compile(
    rf"(?:{_any('articles')}\s+|l')?(?P<role>(?:[\w&-]{{1,{_MOST_OF_WORD}}} ){{0,2}}?{_ROLE}"
    r"(?: (?:team|department|dept|manager|director|lead)\b)?"
    rf"(?: {_any('within')}\b(?: (?!{_any('ends')}\b)[\w&-]{{1,{_MOST_OF_WORD}}}){{0,3}})?)"
)
_JOINED = re.compile(rf"[ ,(–-]*{_any('joins')}?\s*")


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
    if len(own) > LONG:  # a long letter names many people without referring to them
        found = [one for one in found if one.name and (one.email or one.position)]
    return max(found, key=lambda one: (bool(one.name), bool(one.email), bool(one.position)), default=None)


def _places(small: str, begin: int, end: int, languages: list[str]) -> list[tuple[int, bool]]:
    """Return where the text after each "talk to" begins, unless the writer will talk, and whether it is "copying"."""
    places = []
    for towards in words.finds("referral", "towards", languages):
        for cue in towards.finditer(small, begin, end):
            before = small[begin : cue.start()]
            goes = _THEMSELVES.search(before) and _BY_THEMSELVES.match(cue[0])
            if not goes and not _NOBODY.search(before):
                places.append((cue.end(), bool(_COPIED.match(cue[0]))))
    return places


def _contact(own: str, at: int, end: int, below: int, copied: bool) -> tuple[str, str, str, str] | None:
    """Return the contact at this position of the text (name, address, job), completed from the next sentence."""
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
        none = fold(word).strip(".'") in _NO_NAMES | words.little_words() or re.fullmatch(_ROLE, fold(word))
        if none and not (kept and word.islower()):
            break
        kept.append(word)
    while kept and kept[-1].islower():
        kept.pop()
    name = re.sub(r"['’]s$", "", " ".join(kept))
    return name, at + len(" ".join(kept))


def _position(own: str, at: int, end: int, named: bool) -> str:
    """Return the position or department: right there, or after a name in an apposition."""
    small = fold(own)
    if named and (joined := _JOINED.match(small, at, end)):
        at = joined.end()
    found = _POSITION.match(small, at, min(end, at + 80))
    position = own[found.start("role") : found.end("role")].strip(" ,.") if found else ""
    return "" if _TOO_GENERAL.fullmatch(fold(position)) else position


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
        if not _TOO_GENERAL.fullmatch(fold(position)) and any(one.match(small, at, end) for one in charge):
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
