"""Split a full name that stands in one column into first and last name."""

import re

from app.core import text

_TITLES = frozenset(
    """
    mr mrs ms miss mx dr drs prof professor sir dame herr frau hr fr doktor dipl ing dipl-ing diplom mag hc mult ir mme
    mlle monsieur madame sr sra srta don doña dott dottssa avv dhr mevr mw
    """.split()
)
# Titles that are names or initials too count only with a dot.
_DOTTED = frozenset("fr hr sr ing mag don mult".split())
_DEGREES = frozenset(
    """
    phd dphil md dds jd llm llb mba emba msc bsc ma ba bs ms meng beng cpa cfa cfp acca pmp shrm-cp shrm-scp phr sphr
    cissp rn pe esq jr sr ii iii iv
    """.split()
)
_PARTICLES = frozenset(
    "af al av bin da das de del della den der di do dos du el ibn la le ten ter van von zu zur".split()
)
_FAMILY_FIRST = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_INITIAL = re.compile(r"[^\W\d_]\.?|(?:[^\W\d_]\.)+")
_NOT_NAMES = re.compile(r"\([^()]*\)|\s[|•]\s.*|[^\w\s.,'’`´\-]+")


def split(name: str) -> tuple[str, str]:
    """Return first and last name; the last name is '' when there is one word only.

    `van der Berg` and the like stay with the last name; titles, degrees and middle initials go. Chinese, Japanese and
    Korean names are read family name first, all others as they stand.
    """
    cleaned = text.squeeze(_NOT_NAMES.sub(" ", name)) or text.squeeze(name)
    family, *rest = [part.split() for part in cleaned.split(",")]
    rest = [words for words in rest if words and not all(map(_is_degree, words))]
    if rest and family:
        return " ".join(_bare(rest[0])), " ".join(_bare(family))
    words = _bare(family or [word for part in rest for word in part])
    if len(words) < 2:
        return " ".join(words), ""
    if _FAMILY_FIRST.search(name):
        return " ".join(words[1:]), words[0]
    given = _length_of_first_name(words)
    last = words[given:]
    while len(last) > 1 and _INITIAL.fullmatch(last[0]) and last[0].endswith("."):
        last = last[1:]
    return " ".join(words[:given]), " ".join(last)


def _length_of_first_name(words: list[str]) -> int:
    """Return how many words it has: those before `van der` and the like, all initials of `J. R. R.`, or one."""
    for place, word in enumerate(words[1:-1], 1):
        if word in _PARTICLES:
            return place
    given = 1
    while given < len(words) - 1 and _INITIAL.fullmatch(words[given - 1]) and _INITIAL.fullmatch(words[given]):
        given += 1
    return given


def _bare(words: list[str]) -> list[str]:
    """Return the words without leading titles and trailing degrees."""
    while len(words) > 1 and _is_title(words[0]):
        words = words[1:]
    while len(words) > 2 and _is_degree(words[-1]):
        words = words[:-1]
    return words


def _is_title(word: str) -> bool:
    plain = word.casefold().replace(".", "")
    return plain in _TITLES and (plain not in _DOTTED or word.endswith("."))


def _is_degree(word: str) -> bool:
    """Return whether the word is written like a degree: `MA` and `PhD` are, `Ma` is not."""
    plain = word.replace(".", "")
    return plain.casefold() in _DEGREES and (plain[1:] != plain[1:].lower() or plain.casefold() in ("jr", "sr", "esq"))
