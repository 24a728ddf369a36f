"""The small Markdown of emails: bold, italics, links and lists, as plain text and as HTML.

The rules are narrow, so that a text written without markup is sent unchanged: asterisks within a word, beside spaces or
in an address are no markup, underscores never are, and a list has two items or more.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import groupby
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline import escape as unescape
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

LONGEST_LINK = 1000
WAY_OUT = re.compile(r"\{\{\s*unsubscribe_link\s*(\|[^{}]*)?\}\}")  # in the text of an email, until it is sent
_LINK = re.compile(r"https?://[^\s<>\"]{1,1000}[^\s<>\".,;:!?)\]'’”]")
_TARGET = re.compile(r"(?:https?://|mailto:|tel:)[^\s<>\"]{1,1000}")
_BULLET = re.compile(r"[ \t]{0,3}[-*][ \t]+(?=\S)")
_NUMBER = re.compile(r"[ \t]{0,3}(\d{1,3})\.[ \t]+(?=\S)")
_EMPTY = "<div><br></div>"
_ENDS, _BEGINS = ("Pe", "Pf"), ("Ps", "Pi")  # categories of brackets and quotation marks


class _Line(NamedTuple):
    """A line of a text: the list that it is an item of ("ul", "ol" or ""), its marker, and what it says."""

    list: str
    marker: str
    tokens: Sequence[Token]
    end: str


class _Mail(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        return _TARGET.fullmatch(url) is not None

    def normalizeLink(self, url: str) -> str:
        return url


def has_markup(text: str) -> bool:
    """Return whether anything in the text is markup."""
    return plain(text) != text or any(line.list for line in _lines(text))


def plain(text: str, *, links: bool = True) -> str:
    """Return the text without markup; with `links`, each link's address follows its words."""
    said = []
    for line in _lines(text):
        said.append(line.marker)
        target = ""
        for one in line.tokens:
            target = str(one.attrs.get("href", "")) if one.type == "link_open" else target
            said.append(one.content)
            if one.type == "link_close" and links and said[-2] != target:
                said.append(f" <{target.removeprefix('mailto:').removeprefix('tel:')}>")
        said.append(line.end)
    return "".join(said)


def html(text: str) -> str:
    """Return the text as simple HTML: line breaks, paragraphs, clickable addresses, and the markup as tags."""
    made: list[str] = []
    for kind, lines in groupby(_lines(text.rstrip()), lambda line: line.list):
        if kind:
            if made[-1:] == [_EMPTY]:
                made.pop()  # a list has a margin of its own
            made.append(f"<{kind}>{''.join(f'<li>{_formatted(line.tokens)}</li>' for line in lines)}</{kind}>")
            continue
        told = [f"<div>{_formatted(line.tokens)}</div>" if line.tokens else _EMPTY for line in lines]
        made += told[1:] if made and told[0] == _EMPTY else told
    return '<div dir="auto">\n' + "\n".join(made) + "\n</div>\n"


def signed(text: str, signature: str) -> str:
    """Return the text with the signature below it, but above a last line with the unsubscribe link.

    A text that ends with the name on the signature's first line gets the other lines: no one signs twice.
    """
    if not signature:
        return text
    above, gap, last = text.rstrip().rpartition("\n")
    below = f"\n\n{last}" if gap and WAY_OUT.search(last) else ""
    body = (above if below else text).rstrip()
    said = {plain(line).strip() for line in body.rpartition("\n\n")[2].split("\n")}
    lines = signature.split("\n")
    if plain(lines[0]).strip() in said:
        rest = [line for line in lines if plain(line).strip() not in said]
        return "\n".join([body, *rest]) + below
    return f"{body}\n\n{signature}{below}"


def with_link_named(text: str) -> str:
    """Return the text as pages show it: each recipient's link is named, since it is made when the email is sent."""
    return WAY_OUT.sub("Unsubscribe link", text)


def readings(text: str) -> list[str]:
    """Return the text in every form in which a recipient's reply may quote it."""
    return list(dict.fromkeys((plain(text), plain(text, links=False)))) if has_markup(text) else [text]


def _lines(text: str) -> Iterator[_Line]:
    whole = text.splitlines(keepends=True)
    for line, (kind, marker) in zip(whole, _items(whole), strict=True):
        said = line.splitlines()[0] if line else ""
        yield _Line(kind, marker, _tokens(said[len(marker) :]), line[len(said) :])


def _items(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return for each line the kind of its list ("ul", "ol" or "") and its marker; a lone item is no list."""
    found: list[tuple[str, str]] = []
    last = 0
    for line in lines:
        bullet, number = _BULLET.match(line), _NUMBER.match(line)
        last = int(number[1]) if number and int(number[1]) == last + 1 else 0
        found.append(("ul", bullet[0]) if bullet else ("ol", number[0]) if number and last else ("", ""))
    runs = [list(run) for _, run in groupby(found, lambda one: one[0])]
    return [one if len(run) > 1 else ("", "") for run in runs for one in run]


def _tokens(line: str) -> Sequence[Token]:
    if "*" not in line and "](" not in line:
        return [Token("text", "", 0, content=line)] if line else []
    return _reader().parseInline(line, {})[0].children or []


@cache
def _reader() -> MarkdownIt:
    reader = _Mail("zero").enable(["emphasis", "link", "escape"])
    reader.inline.ruler.at("emphasis", _emphasis)
    reader.inline.ruler.at("escape", _escape)
    return reader


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Parse asterisks around words as CommonMark parses underscores, and none within an address."""
    if silent or state.src[state.pos] != "*":
        return False
    found = state.scanDelims(state.pos, False)
    before, after = state.src[max(0, state.pos - LONGEST_LINK) : state.pos], state.src[state.pos + found.length :][:1]
    word = "" if before[-1:].isspace() else before.rsplit(None, 1)[-1:]
    is_text = found.length <= 3 and not any(mark in one for one in word for mark in ("://", "@"))
    opens = found.can_open and is_text and not (unicodedata.category(after) in _ENDS or after in ".,;:!?")
    closes = found.can_close and found.length <= 3 and unicodedata.category(before[-1:] or " ") not in _BEGINS
    for _ in range(found.length):
        state.push("text", "", 0).content = "*"
        last = len(state.tokens) - 1
        state.delimiters.append(Delimiter(ord("*"), found.length, last, -1, opens, closes))
    state.pos += found.length
    return True


def _escape(state: StateInline, silent: bool) -> bool:
    """Parse a backslash as an escape only before a character that could be markup."""
    return state.src[state.pos + 1 : state.pos + 2] in ("*", "[", "]") and unescape(state, silent)


def _formatted(tokens: Sequence[Token]) -> str:
    made, within = [], False
    for one in tokens:
        if one.type == "link_open":
            within = True
            made.append(f'<a href="{escape(str(one.attrs["href"]))}">')
        elif one.type == "link_close":
            within = False
            made.append("</a>")
        elif one.nesting:
            made.append(f"<{'/' if one.nesting < 0 else ''}{one.tag}>")
        else:
            made.append(_kept(one.content) if within else _linked(one.content))
    return "".join(made)


def _linked(words: str) -> str:
    parts, end = [], 0
    for found in _LINK.finditer(words):
        address = escape(found[0])
        parts += [_kept(words[end : found.start()]), f'<a href="{address}">{address}</a>']
        end = found.end()
    return "".join([*parts, _kept(words[end:])])


def _kept(words: str) -> str:
    """Keep the spaces between words as they were typed."""
    return escape(words).replace("\t", "    ").replace("  ", "&nbsp; ")
