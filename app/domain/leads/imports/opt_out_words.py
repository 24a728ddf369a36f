"""The words by which other tools say that a person must not be contacted: loaded from opt_outs.toml and compared."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_APART = re.compile(r"[\W_]+")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_INSIDE = 6  # words of at least so many letters also match inside others, as in Newsletterabmeldung
_REQUEST = 3  # a phrase of at least so many words is a whole request
LONGEST = 200


def plain(written: str) -> str:
    """Return the words of a text, without case, accents and punctuation, with a space around each."""
    text = _CAMEL.sub(" ", written[:LONGEST])
    if not text.isascii():
        spread = unicodedata.normalize("NFKD", text)
        text = unicodedata.normalize("NFC", "".join(sign for sign in spread if not unicodedata.combining(sign)))
    return f" {_APART.sub(' ', text.casefold()).strip()} "


def value_of(written: str) -> str:
    """Return a whole value as it is compared: its words, or the sign that it is, such as a tick."""
    words_of = plain(written)
    return words_of if words_of.strip() else f" {written.strip()} "


class Phrases(NamedTuple):
    """Phrases that are looked for in a text, and that a whole text can be."""

    anywhere: re.Pattern[str]
    whole: re.Pattern[str]

    def found(self, words: str) -> bool:
        """Return whether one of the phrases is in the text, which is plain."""
        return self.anywhere.search(words) is not None

    def is_whole(self, words: str) -> bool:
        """Return whether the text, which is plain, is one of the phrases and nothing else."""
        return self.whole.fullmatch(words) is not None


def _phrases(written: Iterable[str], inside: bool) -> Phrases:
    anywhere, whole = [], []
    for phrase in dict.fromkeys(written):
        words = plain(phrase).split()
        body, open_end = " ?".join(map(re.escape, words)), phrase.endswith("*")
        whole.append(f" {body}{'[^ ]*' if open_end else ''} ")
        if _UNSPACED.search(body):
            anywhere.append(body)
            continue
        front = "" if inside and len(words) == 1 and len(words[0]) >= _INSIDE else " "
        anywhere.append(front + body + ("" if open_end else "(?= )"))
    return Phrases(re.compile("|".join(anywhere)), re.compile("|".join(whole)))


class Tool(NamedTuple):
    """A tool: its name, the columns that tell it, and what only its files mean by columns, statuses and file names."""

    name: str
    columns: list[frozenset[str]]
    named: list[str]  # as it is called in names of files
    column_meanings: Mapping[str, str]
    statuses: Mapping[str, str]
    files: Mapping[str, str]


class Words(NamedTuple):
    """The contents of opt_outs.toml."""

    never: Phrases
    asked: Phrases  # those of `never` that are a whole request, such as "do not contact"
    dead: Phrases
    soft: Phrases
    consent: Phrases
    vague: Phrases
    engagement: Phrases
    status: Phrases
    subscription: Phrases
    lists: Phrases
    address: Phrases
    elsewhere: Phrases
    postal: Phrases
    reason: Phrases
    nothing: Phrases
    detail: Phrases
    when: Phrases
    mixed: Phrases
    turned: Phrases
    values: Mapping[str, frozenset[str]]  # whole values, by their section
    tools: list[Tool]


_INSIDE_OTHERS = ("never", "dead", "consent", "vague")
_VALUES = (
    *("status_never", "status_dead", "status_unclear", "names_never", "address_dead"),
    *("yes", "no", "empty", "open", "fine", "refused"),
)


@cache
def words() -> Words:
    """Load the file."""
    table = tomllib.loads(resources.files(__package__).joinpath("opt_outs.toml").read_text("utf-8"))
    tools = [_tool(name, about) for name, about in table.pop("tools").items()]
    told = {section: [phrase for phrases in by.values() for phrase in phrases] for section, by in table.items()}
    told["turned"] = told.pop("not")
    told["asked"] = [phrase for phrase in told["never"] if len(phrase.split()) >= _REQUEST or _UNSPACED.search(phrase)]
    values = {section: frozenset(map(value_of, told.pop(section))) for section in _VALUES}
    phrases = {section: _phrases(written, section in _INSIDE_OTHERS) for section, written in told.items()}
    return Words(**phrases, values=values, tools=tools)


def _tool(name: str, about: Mapping[str, Any]) -> Tool:
    kinds = ("never", "dead", "consent")
    return Tool(
        name,
        [frozenset(map(plain, one)) for one in about["columns"]],
        about.get("named", [name.casefold()]),
        {plain(column): kind for kind in kinds for column in about.get(kind, ())},
        {plain(value): meaning for value, meaning in about.get("status", {}).items()},
        {plain(file): kind for kind in ("never", "dead") for file in about.get(f"files_{kind}", ())},
    )


def tool_of(header: Iterable[str], file_name: str) -> Tool | None:
    """Return the tool that wrote the file, by its columns or by its name in the file's name."""
    names, called = frozenset(map(plain, header)), plain(file_name)
    joined = called.replace(" ", "")
    by_columns = (tool for tool in words().tools if any(one <= names for one in tool.columns))
    by_name = (tool for tool in words().tools if any(called in joined for called in tool.named))
    return next(by_name, None) or next(by_columns, None)


def is_turned(before: str) -> bool:
    """Return whether the last word before a phrase turns it round, as in `not unsubscribed`."""
    last = before.split()[-1:]
    return bool(last) and words().turned.is_whole(f" {last[0]} ")
