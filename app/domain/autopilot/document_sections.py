"""A document as its sections, so that it is edited as headings and text instead of Markdown."""

from collections.abc import Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark")
ADDED_LEVEL = 2  # a section that someone adds stands below the title


class Section(NamedTuple):
    """A heading of level 1–6 and the text below it, still Markdown; level 0 is text before the first heading."""

    level: int
    heading: str
    text: str


def split(markdown: str) -> list[Section]:
    """Return the sections. A `#` inside a list, a quotation or code begins none."""
    lines = markdown.replace("\r\n", "\n").split("\n")
    tokens = _MARKDOWN.parse("\n".join(lines))
    starts = [
        (*(token.map or (0, 0)), int(token.tag[1]), " ".join(tokens[place + 1].content.split()))
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.level == 0
    ]
    before = _text(lines[: starts[0][0]] if starts else lines)
    found = [Section(0, "", before)] if before else []
    for place, (_, end, level, heading) in enumerate(starts):
        following = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        found.append(Section(level, heading, _text(lines[end:following])))
    return found


def join(sections: Sequence[Section]) -> str:
    """Return the document; a section without words is dropped, text without a heading stays below the one before."""
    parts: list[str] = []
    for level, heading, text in sections:
        if words := " ".join(heading.split()):
            parts.append(f"{'#' * (min(max(level, 0), 6) or ADDED_LEVEL)} {words}")
        if kept := _text(text.replace("\r\n", "\n").split("\n")):
            parts.append(kept)
    return "\n\n".join(parts) + "\n" if parts else ""


def _text(lines: Sequence[str]) -> str:
    return "\n".join(lines).strip("\n").rstrip()
