"""English grammar helpers: lists, capitals, sentences, and safe quotes."""

import re
from collections.abc import Sequence

# Between the last two of a list, in the languages in which businesses describe themselves.
AND = r"(?<!\s)\s+(?:and|or|und|oder|et|ou|y|o|e|en|of|och|og|oraz|i|&)\s+"
_END = re.compile(r"(?<=[.!?])[\"”’]?\s+(?=[\"“‘¿¡␣{A-ZÀ-Ž0-9])")
_ABBREVIATION = re.compile(
    r"\b(Mr|Mrs|Ms|Dr|med|Dipl|Ing|Prof|St|No|Inc|Ltd|Pvt|Pty|Pte|Co|e\.g|i\.e|approx|vs|etc|incl)\.$", re.IGNORECASE
)
_TAKEOVER = re.compile(
    r"https?:|www\.|\w@\w|ignore (all|any|the|previous|prior|above|every)|disregard|system prompt|prompt|instruction|"
    r"you (are|must) (now|always|an? (ai|assistant|model))|as an ai|assistant|language model|api key|password|"
    r"javascript|onerror|onclick|base64|[{}<>\\`]|\$\(|\bselect \*|drop table",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"cookie|privacy|all rights|copyright|©|newsletter|subscribe|log ?in|sign ?(in|up)|read more|learn more|click|"
    r"browser|skip to|404|lorem|terms (of|and)|opening hours|download|follow us|share this",
    re.IGNORECASE,
)


def listed(items: Sequence[str], last: str = "and") -> str:
    """Return a, b and c; with one more comma if an item has an `and`."""
    if len(items) < 2:
        return items[0] if items else ""
    comma = "," if any(" and " in item for item in items) else ""
    return f"{', '.join(items[:-1])}{comma} {last} {items[-1]}"


def capital(text: str) -> str:
    """Capitalize the first letter, and leave the rest unchanged."""
    return text[:1].upper() + text[1:]


def small(text: str) -> str:
    """Make the first letter small, unless the word is written in capitals."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; the end of a line ends a sentence too."""
    found: list[str] = []
    for line in text.splitlines():
        for piece in _END.split(line.strip()):
            if found and _ABBREVIATION.search(found[-1]) and piece:
                found[-1] = f"{found[-1]} {piece}"
            elif piece:
                found.append(piece)
    return found


def sound(sentence: str) -> bool:
    """Return whether a sentence from outside is meaningful and harmless."""
    return not (_TAKEOVER.search(sentence) or _NOISE.search(sentence))


def harmless(name: str, most: int = 60) -> str:
    """Return a name from outside for the middle of a text: on one line, without braces, tags and addresses."""
    plain = " ".join(re.sub(r"[{}<>\[\]|\\`\"“”]", " ", name).split())
    if len(plain) > most:
        plain = plain[: most + 1].rpartition(" ")[0] or plain[:most]
    return "" if _TAKEOVER.search(plain) else plain.strip(" ,;:-–")


def quoted(words: str, most: int = 180) -> str:
    """Return another person's words in quotation marks, cut at the end of a word."""
    inner = re.sub(r"[\"“”]", "'", " ".join(words.split())).strip()
    if len(inner) > most:
        inner = inner[:most].rsplit(" ", 1)[0].rstrip(" ,;:-–—.") + " …"
    return f"“{inner}”"


def has(text: str, words: str) -> bool:
    """Return whether the text has these whole words, also in the plural."""
    return bool(re.search(rf"(?<![\w-]){re.escape(words.lower())}(?:e?s)?(?![\w-])", text.lower()))


def adds(proof: str, pitch: str) -> bool:
    """Return whether a proof tells no number that the pitch told already."""
    return not set(re.findall(r"\d+", proof)) & set(re.findall(r"\d+", pitch))


def after_de(word: str) -> str:
    """Return French words after “de”, which loses its vowel before another."""
    return f"d'{word}" if re.match(r"[aeiouyhàâéèêîôûœ]", word, re.IGNORECASE) else f"de {word}"


def closed(sentence: str) -> str:
    """Return the sentence with a mark at its end."""
    sentence = sentence.strip()
    return sentence if not sentence or re.search("[.!?…]”?$", sentence) else f"{sentence}."
