"""Text of an HTML mail, with what its program marks as a quotation behind ">", as plain mails have it."""

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_NODES = 50_000
_NO_TEXT = "script, style, head, title, template, [hidden], [style*='display:none' i], [style*='display: none' i]"
_BLOCKS = frozenset(
    "address article aside blockquote center dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li"
    " main nav ol p pre section table tbody td th tr ul".split()
)
_PARAGRAPHS = frozenset(("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "table"))


@dataclass
class Told:
    """The text of an HTML mail, and whether its program marked a quotation in it."""

    text: str
    is_marked: bool


@dataclass
class _Line:
    quoted: bool
    signature: bool
    words: list[str] = field(default_factory=list)


@cache
def _selectors() -> dict[str, str]:
    table = tomllib.loads((resources.files(__package__) / "quotations.toml").read_text("utf-8"))
    return {name: ", ".join(lines) for name, lines in table.items()}


def read(html: str) -> Told:
    """Return the text; a blockquote that holds all of it is none."""
    tree = LexborHTMLParser(html)
    if tree.body is None:
        return Told("", False)
    for node in tree.css(_NO_TEXT):
        node.decompose()
    lines = _lines(tree)
    if lines and all(line.quoted or not "".join(line.words).strip() for line in lines):
        lines = [_Line(False, line.signature, line.words) for line in lines]
    written, signed = [], False
    for line in lines:
        text = " ".join("".join(line.words).split())
        if line.signature and not signed and text:
            written.append("-- ")
        signed = line.signature
        written.append(f"> {text}".rstrip() if line.quoted else text)
    text = re.sub(r"\n\s*\n\s*\n+", "\n\n", "\n".join(written)).strip("\n")
    return Told(text, any(line.quoted for line in lines))


def _lines(tree: LexborHTMLParser) -> list[_Line]:
    """Return the lines of the text in the order of the page."""
    named = {name: {node.mem_id for node in tree.css(selector)} for name, selector in _selectors().items()}
    inside: set[int] = set()
    signing: set[int] = set()
    block_of: dict[int, int] = {}
    lines, block, rest, body = [_Line(False, False)], 0, False, tree.body
    for count, node in enumerate(body.traverse(include_text=True)) if body else ():
        if count > MOST_NODES:
            break
        above = node.parent.mem_id if node.parent else 0
        me = node.mem_id
        rest = rest or me in named["from_here"]
        if me in named["inside"] or above in inside:
            inside.add(me)
        if me in named["signature"] or above in signing:
            signing.add(me)
        quoted, signature = rest or me in inside, me in signing and not (rest or me in inside)
        if node.tag == "-text":
            mine = block_of.get(above, 0)
            if mine != block or lines[-1].quoted != quoted or lines[-1].signature != signature:
                lines.append(_Line(quoted, signature))
                block = mine
            lines[-1].words.append(_words(node))
            continue
        block_of[me] = me if node.tag in _BLOCKS else block_of.get(above, 0)
        if node.tag == "br" or node.tag in _BLOCKS:
            lines.append(_Line(quoted, signature))
            block = block_of[me]
            if node.tag in _PARAGRAPHS:
                lines.append(_Line(quoted, signature))
    return lines


def _words(node: LexborNode) -> str:
    return re.sub(r"[ \t\r\n\xa0\u200b\ufeff]+", " ", node.text_content or "")
