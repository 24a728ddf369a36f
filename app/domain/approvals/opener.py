"""The opener of a message: sentences about its recipient, at a fixed place in the text of a play."""

import re

from app.domain.rules import message_templates

_CUT = "\n---\n"
_GREETING = re.compile(
    r"^\s*(?P<hello>(?P<first>[^\W\d_]+)[^,.!?:;\n–—]{0,60}[,!:–—.]?)[ \t]*(?P<end>\n\s*|\s+|$)(?P<rest>.*)", re.DOTALL
)
_HELLO = frozenset(
    "hi hello hey dear good hallo guten liebe lieber sehr moin bonjour cher chère hola buenos buenas estimado estimada "
    "ciao salve buongiorno gentile caro cara dag goedendag geachte beste olá bom boa prezado prezada hej hei".split()
)


def put(text: str, opener: str) -> str:
    """Return the text with the opener as a paragraph behind its greeting.

    In a text of several messages it ends the first one; without a greeting it comes first.
    """
    if not opener:
        return text
    parts = message_templates.split(text)
    if len(parts) > 1:
        return _CUT.join([f"{parts[0]}\n\n{opener}", *parts[1:]])
    greeted = _GREETING.match(text)
    if greeted is None or greeted["first"].casefold() not in _HELLO:
        return f"{opener}\n\n{text}"
    hello, rest = greeted["hello"].rstrip(" –—"), greeted["rest"].strip()
    hello = hello if hello[-1] in ",!:." else f"{hello},"
    if "\n" not in greeted["end"]:
        rest = rest[:1].upper() + rest[1:]
    return "\n\n".join(one for one in (hello, opener, rest) if one)
