"""XML from strangers: no declarations of types or entities, so that nothing in it can grow or reach out."""

import re
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from app.ports import Unreachable

MOST_DEPTH = 60
_DECLARES = re.compile(r"<!\s*(DOCTYPE|ENTITY|ELEMENT|ATTLIST|NOTATION)", re.IGNORECASE)
_INSTRUCTION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")


def parse(body: bytes, source: str) -> Element:
    """Return the root element; raise Unreachable for unsafe or invalid XML.

    Parse as text, because a declared encoding could hide what is checked here.
    """
    text = _INSTRUCTION.sub("", body.decode("utf-8", errors="replace").lstrip("\ufeff")).replace("\0", "")
    strange = Unreachable(f"{source} returned an unexpected response.")
    if _DECLARES.search(text) or _depth(text) > MOST_DEPTH:
        raise strange
    try:
        root = ElementTree.fromstring(text)  # declarations were refused above  # nosec B314
    except ElementTree.ParseError:
        raise strange from None
    for element in root.iter():
        element.tag = str(element.tag).rpartition("}")[2]  # names are told apart by what they are called
    return root


def words(element: Element | None, path: str) -> str:
    """Return the text under a path on one line; '' without one."""
    found = element.findtext(path) if element is not None else None
    return " ".join((found or "").split())


def _depth(text: str) -> int:
    depth = deepest = 0
    for mark in re.finditer(r"<(/?)[A-Za-z_][^<>]*?(/?)>", text):
        if mark[1]:
            depth -= 1
        elif not mark[2]:
            depth += 1
            deepest = max(deepest, depth)
    return deepest
