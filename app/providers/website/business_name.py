"""Extract the name of a business from its website."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence

from app.providers.website.parsing import WORDS, Page, clean, host

_SPLIT = re.compile(r"(?<!\s)\s+[|–—·•»:-]\s+|(?<!\s)\s*[|–—·•»]\s*|:\s+")
_INITIALS = re.compile(r"(?:^|\s)(?:[A-ZÀ-Ž]\.)+[A-ZÀ-Ž]$")  # “A.R.C.” keeps its last dot
_NAMED = WORDS["names"]
_LEGAL, _GENERIC, _PAGE, _LOGO, _RESERVED = (
    re.compile("|".join(_NAMED[one]), re.IGNORECASE) for one in ("legal", "generic", "page", "logo", "reserved")
)
_ORGANISATION = re.compile("|".join(WORDS["organisations"].split()))
_OF_PLACE = r"(?:de|del|du|des|of|von|van|di|da|do|dos)(?: (?:la|las|los|el|le|les|the|der|den|het))?(?: [\w’'-]+){1,2}"
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|copyright)\s*(?:©\s*)?(?:\d{4}(?:\s*[-–]\s*\d{2,4})?,?\s*)?(?:by\s+)?"
    r"([A-ZÀ-Ž0-9][^|©·•\n,;]{1,60}?)"
    r"(?=\s*(?:\d{4}|-\s|all rights|alle rechte|registered|(?<!\b\w\w)(?<!\b\w)(?<!\bmed)\.\s|\.?$|[|·•,;©]|—|–))",
    re.IGNORECASE,
)
LOOKED_AT, SHORTEST_LABEL, MOST_TIMES, LONGEST_CAPITALS, LEAST_FIRST, LOUD = 20_000, 3, 3, 4, 4, 2
LONGEST_LINE = 60
_PLACED = re.compile(r"\s(?:in|à|en|a|em|te|bij|near)\s[A-ZÀ-Ž]")  # which says what it is and where
_CAPITALS = re.compile(r"[A-ZÀ-Ž][\w'’.-]*(?: (?:[A-ZÀ-Ž][\w'’.-]*|&|and|of|und|et|y|e|en))*")


def name_of(home: Page, others: Sequence[Page] = ()) -> str:
    """Return the name that most of the site's own metadata agrees on; else the domain's first label."""
    label = _label(home.url)
    votes: Counter[str] = Counter()
    shown: dict[str, str] = {}
    titled = {tidy(piece) for piece in _SPLIT.split(home.title)}
    for candidate, weight in (*_candidates(home), *_repeated([home, *others]), *_legal(home, others)):
        name = _without_slogan(tidy(candidate), label)
        if not 2 <= len(name) <= 60 or _GENERIC.search(name) or len(name.split()) > 6 or name.isdigit():
            continue
        key = _key(name)
        if not key or (_PLACED.search(name) and candidate in home.title):
            continue
        votes[key] += weight + _likeness(key, _key(name.split()[0]), label)
        if key not in shown or _plainness(name, titled) > _plainness(shown[key], titled):
            shown[key] = name
    told = "\n".join(page.ending for page in (home, *others)).casefold()
    for key in [key for key, several in votes.items() if several]:
        votes[key] += min(told.count(shown[key].casefold()), MOST_TIMES)
    pieces = {_key(piece) for piece in titled}
    whole = {label, *(_key(tidy(match[1])) for match in _COPYRIGHT.finditer(home.footer))}
    for longer in [key for key in votes if key not in whole]:  # a logo with its slogan is no longer name
        shorter = next((key for key in pieces & set(votes) if _begins(shown, longer, key)), "")
        if shorter:
            votes[shorter] += votes.pop(longer)
    if not votes:
        return label.replace("-", " ").title() if label and not label.isdigit() else ""
    name = _as_written(shown[votes.most_common(1)[0][0]], home)
    place = re.compile(rf"{re.escape(name)} {_OF_PLACE}", re.IGNORECASE)
    return next((piece for one in _SPLIT.split(home.title) if place.fullmatch(piece := tidy(one))), name)


def _plainness(name: str, titled: set[str]) -> tuple[bool, bool]:
    """Rank a spelling: one that neither shouts nor whispers before others, then one of the title before a logo's."""
    shouts = name.isupper() and len(name) > LONGEST_CAPITALS
    return not shouts and not name.islower(), name in titled


def _as_written(name: str, home: Page) -> str:
    """Return a name as the title writes it; one that shouts as the page's text does, else with one capital a word."""
    loud = name.isupper() and len([one for one in name.split() if len(one) > LONGEST_CAPITALS]) >= LOUD
    places = [home.title, *([*home.headings, home.text, home.footer] if loud else [])]
    spelled = re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", "\n".join(places)[:LOOKED_AT], re.IGNORECASE)
    plain = next((one for one in spelled if not one.isupper() and one[0].isupper()), "")
    if plain or not loud:
        return plain or name
    return " ".join(one.capitalize() if len(one) > LONGEST_CAPITALS - 1 else one for one in name.split())


def _without_slogan(name: str, label: str) -> str:
    """Return the words of a name that are the domain, where three or more follow that say what the business does."""
    several = name.split()
    ends = (end for end in range(1, len(several) - 2) if _key(" ".join(several[:end])) == label)
    return " ".join(several[: next(ends, len(several))])


def _likeness(key: str, first: str, label: str) -> int:
    """Return how much a domain speaks for a name: the same, one within the other, or its first word."""
    if key == label:
        return 6
    if label and (label in key or key in label):
        return 3
    return 2 if len(first) >= LEAST_FIRST and first in label else 0


def _begins(shown: dict[str, str], longer: str, shorter: str) -> bool:
    """Return whether a name begins with another one and goes on for two words or more."""
    several = len(shown[longer].split()) - len(shown[shorter].split())
    return longer != shorter and longer.startswith(shorter) and several >= 2


def _candidates(home: Page) -> Iterator[tuple[str, int]]:
    yield home.site_name, 5
    for thing in home.things:
        if _ORGANISATION.search(str(thing.get("@type"))) and isinstance(thing.get("name"), str):
            yield clean(thing["name"], 80), 5
    elsewhere = _key(" ".join((host(home.url), home.title, *home.headings, home.text.replace(home.footer, ""))))
    for match in _COPYRIGHT.finditer(home.footer):  # named nowhere else, it is whose design the page is
        yield match[1], 3 if _key(match[1].split()[0]) in elsewhere else 0
    pieces = _SPLIT.split(home.title)
    told = f"{_label(home.url)} {_key(home.title)} {_key(home.site_name)}"
    if any(len(one) >= LEAST_FIRST and one in told for one in (_key(word) for word in tidy(home.logo).split())):
        yield home.logo, 3  # a picture's text by itself may be any word, such as “icon”
    for piece in pieces:
        yield piece, 2 if len(pieces) > 1 and len(piece.split()) <= 3 else 1
    text = "\n".join((*home.headings, home.text, home.footer))
    yield from ((words, min(times, MOST_TIMES)) for words, times in Counter(_spelled(_label(home.url), text)).items())


def _repeated(pages: Sequence[Page]) -> Iterator[tuple[str, int]]:
    """Yield the part that most pages have in their titles: what each is about differs, the name does not."""
    titles = Counter(tidy(piece) for page in pages for piece in dict.fromkeys(_SPLIT.split(page.title)))
    yield from ((piece, 2) for piece, times in titles.most_common(1) if times > 1)


def _legal(home: Page, others: Sequence[Page]) -> Iterator[tuple[str, int]]:
    """Yield the lines with a legal form, if the page names them elsewhere, too: others made or host the site."""
    told = f"{_label(home.url)} {_key(home.title)} {_key(home.site_name)} {_key(home.logo)}"
    lines = [line for page in (home, *others) for line in page.ending.split("\n") if len(line) <= LONGEST_LINE]
    for line in dict.fromkeys(lines):
        name = tidy(line)
        if name != line.strip(" .") and _LEGAL.search(line) and _key(name.split()[0]) in told:
            yield name, 3


def _spelled(label: str, text: str) -> Iterator[str]:
    """Yield the words in capitals that the domain abbreviates, as bkdoors does BK Overhead Doors."""
    if len(label) < SHORTEST_LABEL:
        return
    for match in _CAPITALS.finditer(text[:LOOKED_AT]):
        several = match[0].split()
        for at in range(len(several)):
            for words in (several[at:end] for end in range(at + 2, min(at + 5, len(several)) + 1)):
                if words[0][0].isupper() and words[-1][0].isupper() and _makes(label, [_key(one) for one in words]):
                    yield " ".join(words)


def _makes(label: str, words: Sequence[str], *, first: bool = True) -> bool:
    """Return whether a label is made of the beginnings of words; only the first and the last are needed."""
    if len(words) == 1:
        return bool(label) and words[0].startswith(label)
    begun = (at for at in range(1, len(label)) if words[0].startswith(label[:at]))
    left_out = not first and _makes(label, words[1:], first=False)
    return left_out or any(_makes(label[at:], words[1:], first=False) for at in begun)


def tidy(name: str, most: int = 80) -> str:
    """Return a name as people say it: without its legal form, slogans and decoration."""
    name = clean(name, most).strip(" .,;:!-–—|™®©\"'")
    name = re.sub(r"[™®©]", "", name)
    name = _LOGO.sub("", _RESERVED.sub("", name)).strip()
    name = re.sub(r"^(welcome to|home of|the official site of)\s+", "", name, flags=re.IGNORECASE)
    shorter = _LEGAL.sub("", _PAGE.sub("", name))
    plain = (shorter or name).strip(" .,;:–—|")
    return f"{plain}." if _INITIALS.search(plain) else plain


def _label(url: str) -> str:
    parts = host(url).split(".")
    if len(parts) < 2 or parts[-1].isdigit():
        return ""
    second = len(parts) > 2 and len(parts[-2]) <= 3 and len(parts[-1]) == 2  # example.co.uk
    return _key(parts[-3 if second else -2])


def _key(name: str) -> str:
    """Return the letters of a name as a domain has them: without accents."""
    return re.sub(r"[\W_]", "", unicodedata.normalize("NFKD", name.lower()).replace("&", "and"))
