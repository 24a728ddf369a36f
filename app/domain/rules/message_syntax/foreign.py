"""Other tools' variables, spintax and conditions: recognized in a text, and written in ours.

One table says how tools mark a variable, another what they call it. A name is only taken for a variable where its marks
leave no doubt: `[Company]` is one, `[1]` is not.
"""

import re
import tomllib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.domain.rules.message_syntax.grammar import MOST_WRITTEN

_READ = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ALIASES: dict[str, str] = {alias: ours for ours, aliases in _READ["aliases"].items() for alias in aliases.split()}
CUSTOM, WITHOUT, PEOPLE, SENDERS, COMPANIES, CUSTOM_FIELDS, FILTERS = (
    frozenset(_READ[name].split())
    for name in ("custom", "without", "people", "senders", "companies", "custom_fields", "filters")
)

LONGEST = 300  # of what stands between the marks of a variable
# A name may end in spaces, and more may follow. The possessive quantifiers (`+` after another) keep what they took, so
# that a long row of spaces is not divided between the two in every way there is.
_NAME = r"[^\W\d_][\w.=\- ]{0,60}+"
_REST = r"(?:\s*+(?:\||,\s*(?:fallback|default)\s*=)[^\[\]{}<>\n]{0,80}+)?"
# How tools mark a variable: the pattern, and whether the marks alone leave no doubt.
_MARKS: tuple[tuple[re.Pattern[str], bool], ...] = tuple(
    (re.compile(pattern), sure)
    for pattern, sure in (
        (r"\{\{\{(?P<inner>[^{}]*)\}\}\}", True),
        (r"\{\{(?P<inner>[^{}]*)\}\}", True),
        (rf"\{{[!$@#]\s*(?P<inner>{_NAME})\s*\}}", True),
        (rf"[$#]\{{\s*(?P<inner>{_NAME})\s*\}}", True),
        (rf"(?<!\{{)\{{\s*(?P<inner>{_NAME}(?:\s*+:[^{{}}|\n]{{0,80}}+)?)\s*\}}", True),
        (rf"(?<=\{{)\{{\s*(?P<inner>{_NAME})\s*\}}(?=[^{{}}]*\|)", True),
        (rf"\*\|\s*(?P<inner>{_NAME})\s*\|\*", True),
        (rf"\[%\s*(?P<inner>{_NAME})\s*%\]", True),
        (rf"%%(?P<inner>{_NAME})%%", True),
        (rf"%(?P<inner>{_NAME})%", True),
        (rf"\[\[\s*(?P<inner>{_NAME}{_REST})\s*\]\]", True),
        (rf"\[\s*(?P<inner>{_NAME}{_REST})\s*\](?!\()", True),
        (rf"<<\s*(?P<inner>{_NAME})\s*>>", True),
        (rf"«\s*(?P<inner>{_NAME})\s*»", True),
        (rf"\{{\s*(?P<inner>{_NAME}\|[^{{}}|\n]{{0,80}})\}}", False),
        (rf"##(?P<inner>{_NAME})##", False),
        (rf"#(?P<inner>{_NAME})#", False),
        (rf"@@(?P<inner>{_NAME})@@", False),
        (rf"\$(?P<inner>{_NAME})\$", False),
        (rf"<(?P<inner>{_NAME})>", False),
        (r"__(?P<inner>[^\W\d_][\w.=\- ]{0,60}?)__", False),
    )
)
_TAG = re.compile(r"\{\{[^{}]*\}\}")
_BLOCK = re.compile(
    r"\{%(?P<liquid>[^%]*)%\}"
    r"|\{\{\s*(?P<tag>(?:[#/^]|(?:if|else|endif|unless|elseif|elsif)\b)[^{}]*)\}\}"
    r"|\*\|(?P<chimp>IF:|IFNOT:|ELSE:|END:IF)(?P<of>[^|*]*)\|\*"
)
_IF = re.compile(
    r"#?\s*(?P<verb>if|unless)\s+(?P<name>[\w.]+(?: +[\w.]+)*)\s*(?:(?:!=|<>)\s*(?:blank|empty|nil|null|''|\"\"))?"
)
_BARE = re.compile(r"\{\{\s*#?(?:endif|#else)\s*\}\}")
_DEFAULT = re.compile(r"(?:default|fallback(?:_value)?)\s*[:=(]")
_NAMED_DEFAULT = re.compile(r"\b(?:default|fallback(?:_value)?)\s*[:=]")
_CALL = re.compile(r"(?<!\w)\w+\(\s*['\"](?P<name>[\w. ]+)['\"]\s*(?:,\s*['\"](?P<fallback>[^'\"]*)['\"]\s*)?\)")
_SPIN = re.compile(r"\s*(?:random|spin|spintax)\s*[|:]", re.IGNORECASE)
_QUOTED = re.compile(r"\s*(?P<quote>['\"“‘])(?P<words>[^'\"“”‘’]*)['\"”’]\s*")
_FIELD = r"[A-Za-z0-9_][A-Za-z0-9_ -]{0,59}"
_KNOWN = frozenset(ALIASES.values())


@dataclass(frozen=True)
class Foreign:
    """What another tool would read, where it stands, and the same in our syntax; None if there is nothing like it."""

    begin: int
    end: int
    source: str
    ours: str | None

    @property
    def sentence(self) -> str:
        """Return what to do about it."""
        if self.ours is None:
            return f"{self.source} looks like another tool's syntax and has no counterpart here. Remove it."
        return f"{self.source} looks like another tool's syntax. Write {self.ours}."


def find(text: str) -> list[Foreign]:
    """Return what looks like another tool's syntax, in the order of the text."""
    text = text[:MOST_WRITTEN]  # a longer one is refused, however it is written
    found = [*_blocks(text), *_variables(text)]
    tags = [(-1, -1), *(match.span() for match in _TAG.finditer(text))]
    chosen: list[Foreign] = []
    for one in sorted(found, key=lambda each: (each.begin, -each.end)):
        inside = one.end < tags[bisect_left(tags, (one.begin,)) - 1][1]
        escaped = one.begin > 0 and text[one.begin - 1] == "\\"
        if not (inside or escaped) and (not chosen or one.begin >= chosen[-1].end):
            chosen.append(one)
    return chosen


def replaced(text: str, found: Sequence[Foreign]) -> tuple[str, Callable[[int], int]]:
    """Return the text in our syntax, and a function that says where a character of it stood before."""
    pieces, at, length, places = [], 0, 0, [(0, 0)]
    for one in found:
        ours = one.source if one.ours is None else one.ours
        pieces += [text[at : one.begin], ours]
        length += one.begin - at + len(ours)
        at = one.end
        places.append((length, at))

    def original(place: int) -> int:
        ours, theirs = places[bisect_right(places, (place, len(text))) - 1]
        return min(theirs + place - ours, len(text))

    return "".join([*pieces, text[at:]]), original


def translate(text: str) -> str:
    """Return the text in our syntax."""
    return replaced(text, find(text))[0]


def pairs(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return what can be replaced in these texts, each once, and by what."""
    return list(dict.fromkeys((one.source, one.ours) for text in texts for one in find(text) if one.ours is not None))


def advice(texts: Iterable[str]) -> str:
    """Return what to replace in these texts as one sentence, or ''."""
    found = pairs(texts)
    if not found:
        return ""
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    said = ", ".join(f"{theirs} with {ours}" for theirs, ours in found[:5])
    return f"Replace {said}{more}, and send the request again."


def _blocks(text: str) -> Iterator[Foreign]:
    for match in _BLOCK.finditer(text):
        ours = _block(match, text)
        if ours is None or not _equal_ignoring_space(ours, match[0]):
            yield Foreign(*match.span(), match[0], ours)


def _block(match: re.Match[str], text: str) -> str | None:
    """Return the tag of a condition in our syntax; None where it asks for more than whether there is a value."""
    if match["chimp"]:
        verb = {"IF:": "if", "IFNOT:": "unless", "ELSE:": "else", "END:IF": "endif"}[match["chimp"]]
        inner = f"{verb} {match['of']}".strip()
    else:
        liquid = match["liquid"]
        inner = (match["tag"] if liquid is None else liquid.removeprefix("-").removesuffix("-")).strip()
    words = inner.lstrip("#^ ").casefold()
    if words in ("else", "endif", "endunless", "/if", "/unless"):
        return "{{else}}" if words == "else" else "{{/if}}"
    if asked := _IF.fullmatch(inner):
        name = asked["name"].strip()
        ours = _own(name) or (name if inner.startswith("#if") else None)
        if ours is None:
            return None
        if asked["verb"] == "unless":
            return f"{{{{#if {ours}}}}}{{{{else}}}}"
        return f"{{{{#if {ours}}}}}" + (f"{{{{{ours}}}}}" if _BARE.match(text, match.end()) else "")
    section = inner[:1] in ("#", "/", "^") and match["tag"] and _own(inner[1:])
    if section:
        return {"#": f"{{{{#if {section}}}}}", "^": f"{{{{#if {section}}}}}{{{{else}}}}", "/": "{{/if}}"}[inner[0]]
    return None if match["liquid"] is not None or match["chimp"] else match[0]


def _equal_ignoring_space(one: str, other: str) -> bool:
    return "".join(one.split()) == "".join(other.split())


def _variables(text: str) -> Iterator[Foreign]:
    for pattern, sure in _MARKS:
        for match in pattern.finditer(text):
            inner = match["inner"].strip()
            name = re.split(r"[|:,]", inner, maxsplit=1)[0].strip()
            if not sure and not _unmistakable(name):
                continue
            double = match[0].startswith("{{") and not match[0].startswith("{{{")
            ours = (_spin(inner) if double else None) or _variable(inner, strict=not double)
            if ours is not None and not (double and _equal_ignoring_space(ours or match[0], match[0])):
                yield Foreign(*match.span(), match[0], ours or None)


def _spin(inner: str) -> str | None:
    """Return the choices of a double-braced tag that holds words instead of a variable."""
    if found := _SPIN.match(inner):
        return "{" + inner[found.end() :].strip() + "}"
    name, bar, _ = inner.partition("|")
    is_words = bar and not _own(name) and not re.fullmatch(r"\s*[a-z][a-z0-9_.]*\s*", name)
    return "{" + inner.strip() + "}" if is_words and "||" not in inner and "default" not in inner else None


def _variable(inner: str, *, strict: bool) -> str | None:
    """Return a variable in our syntax, '' where we have nothing like it, None if it is not another tool's."""
    if len(inner) > LONGEST:
        return None
    name, fallback = _cut(inner)
    ours = _own(name)
    if ours is None:
        return "" if strict and _squashed(name) in WITHOUT else None
    return f"{{{{{ours}|{fallback}}}}}" if fallback else f"{{{{{ours}}}}}"


def _cut(inner: str) -> tuple[str, str]:
    """Split the inside of a variable into its name and fallback, whatever separates them."""
    if called := _CALL.fullmatch(inner):
        return called["name"], called["fallback"] or ""
    name, *more = re.split(r"\|\|?|\?\?", inner)
    fallback = ""
    for piece in (one.strip() for one in more):
        if said := _DEFAULT.match(piece):
            fallback = _unquoted(piece[said.end() :].removesuffix(")"))
        elif piece.partition(":")[0].strip() not in FILTERS:
            fallback = _unquoted(piece)
    name = name.strip()
    if named := _NAMED_DEFAULT.search(name, 1):
        return name[: named.start()].rstrip().rstrip(",:"), _unquoted(name[named.end() :])
    if ":" in name and not more and name.split(":")[0].casefold().strip() not in PEOPLE:
        name, _, fallback = name.partition(":")
    return name.strip(), _unquoted(fallback)


def _unquoted(words: str) -> str:
    quoted = _QUOTED.fullmatch(words)
    return (quoted["words"] if quoted else words).strip()


def _own(name: str) -> str | None:
    """Return the name of our variable for another tool's, or None."""
    name = name.strip()
    if name in _KNOWN or re.fullmatch(rf"custom\.{_FIELD}", name):
        return name
    *spaces, last = [word for word in re.split(r"[.:=/]|->", name.strip("!$@#= ")) if word] or [""]
    if spaces and _words(spaces[-1]) in CUSTOM_FIELDS and re.fullmatch(_FIELD, last):
        return f"custom.{last}"
    words = _words(last)
    kind = _words(spaces[-1]) if spaces else ""
    if kind in ("", *PEOPLE) and "_" in words and words.replace("_", "") not in ALIASES and words not in CUSTOM:
        kind, words = words.split("_", 1)
    if kind and kind not in PEOPLE | SENDERS | COMPANIES:
        return None
    if kind in SENDERS:
        return {"firstname": "sender_first_name", "name": "sender_name", "fullname": "sender_name"}.get(
            _squashed(words)
        )
    if kind in COMPANIES:
        of_company = f"company_{words}"
        return "company_name" if words == "name" else f"custom.{of_company}" if of_company in CUSTOM else None
    return ALIASES.get(_squashed(words)) or (f"custom.{words}" if words in CUSTOM else None)


def _words(name: str) -> str:
    """Return a name in lower case with its words joined by underscores."""
    parted = re.sub(r"(?<=[a-zà-ÿ0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[\W_]+", "_", parted).strip("_").casefold()


def _squashed(name: str) -> str:
    return _words(name).replace("_", "")


def _unmistakable(name: str) -> bool:
    plain = _squashed(name)
    return (
        bool(set("_=") & set(name))
        or bool(re.search(r"[a-z][A-Z]", name))
        or plain in ("unsubscribe", "firstname", "lastname", "fullname", "companyname", "jobtitle")
        or (name.isupper() and len(name) > 3)
    )
