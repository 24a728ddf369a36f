"""Languages of a short text, guessed from its little words, and phrases to look for in each.

"later" is English and Dutch and says "not now" in one of them only.
Texts are compared without accents, in small letters.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache

from app.domain.rules.own_words import plain

_LITTLE_WORDS = {
    "en": (
        "the in and let's you your is are not for this with we our but have to of i'm i will please can "
        "at me my it be on if us"
    ),
    "de": (
        "ich und nicht sie wir ist das die der fur mit bitte ihr ihre uns auf im ein eine kein zu es "
        "noch sich den dem haben"
    ),
    "fr": (
        "je nous vous le la les pas pour est et de des une un votre merci moi avec dans sur ce en au du "
        "c'est n'est mais il"
    ),
    "es": (
        "el la los que no de para por con gracias en es una un su tu me nos estamos ahora pero y lo se al del mi las"
    ),
    "it": "il la non di che per sono grazie e un una con mi ci siamo al del ora ma lo le i si in da della",
    "nl": ("de het een ik niet wij we is van voor bedankt met u je naar op dit maar geen en dat kan wel er nog ons"),
    "pt": (
        "o a nao que de para com obrigado obrigada um uma por em seu sua no na mas agora estamos voce e os as da do me"
    ),
    "pl": "nie sie w na z do jest prosze dziekuje i o za jestem my to ze po nam od ale dziekujemy panu panstwa",
    "sv": "jag inte vi och det ar att for en ett tack till er pa har med men kan mig oss nu i av",
    "da": "jeg ikke vi og det er at for en et tak til pa har med men kan mig os nu i af",
}
LITTLE = {name: frozenset(words.split()) for name, words in _LITTLE_WORDS.items()}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def likely(text: str) -> list[str]:
    """Return the languages a text may be in, the likeliest first and English always; all where no word tells."""
    said = _WORD.findall(plain(text[:2000]).lower())
    counts = {name: sum(word in words for word in said) for name, words in LITTLE.items()}
    most = max(counts.values())
    found = [name for name, count in sorted(counts.items(), key=lambda pair: -pair[1]) if count >= 0.6 * most]
    return found if "en" in found else [*found, "en"]  # English is mixed into any other


@cache
def either(lines: str) -> re.Pattern[str]:
    """Return what finds the beginning of any of the phrases, one a line; a backslash at its end carries a line on."""
    lines = re.sub(r"\\\n\s*", "", lines)
    return re.compile(r"\b(?:" + "|".join(line.strip() for line in lines.splitlines() if line.strip()) + ")")


class Phrases(Mapping[str, re.Pattern[str]]):
    """The phrases of each language, compiled when they are first asked for: all of them would make a start slower."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        self._lines = lines

    def __getitem__(self, language: str) -> re.Pattern[str]:
        """Return what finds those of one language; KeyError where it has none."""
        return either(self._lines[language])

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


def by_language(**lines: str) -> Phrases:
    """Return the phrases of each language, one a line."""
    return Phrases(lines)


def search(phrases: Phrases, languages: list[str], text: str) -> re.Match[str] | None:
    """Return the first phrase found, in the likeliest language that has one."""
    return next((found for language in languages if (found := phrases[language].search(text))), None)
