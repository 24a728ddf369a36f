"""Message templates: variables with fallbacks, spintax, conditionals, and messages of several parts.

Values are inserted as plain text, once. Which option of a choice a person gets is computed from the person, the step,
the part of the text and the number of the choice in it, so every preview, draft, retry and restart gives the same text.
"""

import difflib
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

from app.core.text import company, squeeze
from app.domain.rules.message_syntax import foreign, grammar
from app.domain.rules.message_syntax.grammar import MOST_WRITTEN, Choice, Condition, Variable

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}(\.[A-Za-z0-9_][A-Za-z0-9_ -]{0,59})?")
_CUT = re.compile(r"^[ \t]*---[ \t]*$", re.MULTILINE)

VARIABLES: dict[str, str] = {
    "first_name": "First name",
    "last_name": "Last name",
    "full_name": "First and last name",
    "headline": "Headline",
    "position": "Position",
    "company_name": "Company",
    "location": "Location",
    "sender_name": "Sender name",
    "sender_first_name": "Sender first name",
    "meeting_link": "Meeting link",
}
CUSTOM = "custom."
MEETING = "meeting_link"  # the member's who writes or, in a campaign, the workspace's; it says whose it is
WAY_OUT = "unsubscribe_link"  # stays in an email's text until it is sent, then becomes the recipient's own link
SUBJECT = "subject"


@dataclass(frozen=True)
class Draw:
    """The seed of a random choice: the person's id, and the step or another name of the text."""

    person: object
    text: object

    def option(self, part: object, choice: Choice) -> int:
        """Return the option that this person gets of a choice, always the same one."""
        key = f"{self.person}|{self.text}|{part}|{choice.number}"
        return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) % len(choice.options)


class Filled(NamedTuple):
    """A text as one person gets it. `missing` names variables that have neither value nor fallback."""

    parts: tuple[str, ...]
    missing: tuple[str, ...]
    broken: str = ""  # what is wrong with the text itself; it must not be sent


def split(text: str) -> list[str]:
    """Split a text into messages at lines of three hyphens; leave empty ones out."""
    text = text.replace("\r\n", "\n")
    return [text[begin:end] for begin, end in _spans(text)]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the position of each message in a text."""
    cuts = [(0, 0), *(cut.span() for cut in _CUT.finditer(text)), (len(text), len(text))]
    for (_, begin), (end, _) in pairwise(cuts):
        if part := text[begin:end].strip():
            start = text.index(part, begin)
            yield start, start + len(part)


def problems(text: str, *, mail: bool = False, whole: bool = False) -> list[str]:
    """Return a sentence for each mistake in `text` (of an email with `mail`), with its place and how to mend it.

    A text that is `whole` is not split into messages.
    """
    text = text.replace("\r\n", "\n")
    if len(text) > MOST_WRITTEN:
        return [f"Use at most {MOST_WRITTEN:,} characters, counting all choices."]
    found = foreign.find(text)
    ours, original = foreign.replaced(text, found)
    faults = [grammar.Fault(one.begin, one.sentence) for one in found]
    for begin, end in [(0, len(ours))] if whole else _spans(ours):
        part = grammar.parse(ours[begin:end])
        said = [*_cut_in_two(ours, begin, end, part.faults), *_unknown(part.nodes, mail)]
        faults += [grammar.Fault(original(begin + at), sentence) for at, sentence in said]
    return list(dict.fromkeys(f"{grammar.place(text, at)}: {sentence}" for at, sentence in sorted(faults)))


def _cut_in_two(text: str, begin: int, end: int, faults: Sequence[grammar.Fault]) -> Sequence[grammar.Fault]:
    """Return a part's mistakes; where the line of hyphens behind it causes them, one mistake at that line instead."""
    if not faults or grammar.parse(text).faults:
        return faults
    cut = _CUT.search(text, end)
    sentence = "A --- line can't be between { and }, or {{#if}} and {{/if}}."
    return [grammar.Fault(cut.start() - begin, sentence)] if cut else []


def _unknown(nodes: grammar.Nodes, mail: bool) -> Iterator[grammar.Fault]:
    for node in grammar.walk(nodes):
        if isinstance(node, Variable) and node.name == WAY_OUT:
            if not mail:
                yield grammar.Fault(node.at, f"{{{{{WAY_OUT}}}}} only works in the text of a campaign's email.")
        elif isinstance(node, Variable | Condition) and not _is_known(node.name):
            yield grammar.Fault(node.at, f"Unknown variable {{{{{node.name}}}}}. {_suggestion(node)}")


def _is_known(name: str) -> bool:
    return bool(_NAME.fullmatch(name)) and (name in VARIABLES or name.startswith(CUSTOM))


def _suggestion(node: Variable | Condition) -> str:
    if isinstance(node, Condition) and not re.fullmatch(r"[\w.]+", node.name):
        return "A condition can only check whether a variable has a value, as in {{#if company_name}}."
    if close := difflib.get_close_matches(node.name.lower().replace(" ", "_"), VARIABLES, 1, 0.75):
        return f"Did you mean {{{{{close[0]}}}}}?"
    if _is_known(own := CUSTOM + node.name):
        return f"For a custom field, write {{{{{own}}}}}."
    return f"Use one of {', '.join(VARIABLES)} or custom.<field>."


def longest(text: str) -> int:
    """Return the length of the longest message that `text` can become, variables without fallback not counted."""
    return max((grammar.longest(_nodes(part)) for part in split(text)), default=0)


def longest_line(text: str) -> int:
    """Return the length of the longest line that a subject can become."""
    return grammar.longest(_nodes(text))


def is_drawn(text: str) -> bool:
    """Return whether people get different texts: by a choice, or by a condition."""
    return any(isinstance(node, Choice | Condition) for part in split(text) for node in grammar.walk(_nodes(part)))


def is_plain(text: str) -> bool:
    """Return whether everyone gets the text as it stands."""
    if len(text) > MOST_WRITTEN:
        return False
    parsed = grammar.parse(text)
    return not (parsed.faults or parsed.marks or foreign.find(text)) and "\\" not in text


def _nodes(part: str) -> grammar.Nodes:
    return grammar.parse(part).nodes if len(part) <= MOST_WRITTEN else (grammar.Plain(part),)


def may_be_empty(text: str) -> bool:
    """Return whether a person without some value could get an empty message."""
    return any(grammar.may_be_empty(_nodes(part)) and not grammar.parse(part).faults for part in split(text))


def needed(text: str) -> set[str]:
    """Return the variables that hold the message back where a person lacks them."""
    return {name for part in split(text) for name in grammar.needed(_nodes(part))}


def marked(text: str) -> list[tuple[str, bool]]:
    """Cut a text into pieces, and say of each whether it is a variable, a choice or a condition's tag."""
    pieces, at = [], 0
    for begin, end in grammar.parse(text).marks:
        pieces += [(text[at:begin], False), (text[begin:end], True)]
        at = end
    return [(words, is_syntax) for words, is_syntax in [*pieces, (text[at:], False)] if words]


def asks_for_meeting(*texts: str) -> bool:
    """Return whether one of the texts may have a link in it at which meetings are booked."""
    return any(MEETING in text for text in texts)


def values(lead: Any, sender_name: str, address: str = "") -> dict[str, str]:
    """Return the variables' values for one lead and one sender, who may write from a mailbox of that address."""
    known = {
        "first_name": lead.first_name,
        "last_name": lead.last_name,
        "full_name": f"{lead.first_name} {lead.last_name}".strip(),
        "headline": lead.headline,
        "position": lead.position,
        "company_name": lead.company_name,
        "location": lead.location,
        "sender_name": sender_name,
        "sender_first_name": _first_name(sender_name, address),
        WAY_OUT: f"{{{{{WAY_OUT}}}}}",
    }
    for name, value in (lead.custom_fields or {}).items():
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            known[CUSTOM + name] = str(value)
            known.setdefault(CUSTOM + name.lower().replace(" ", "_"), str(value))
    return known


def _first_name(name: str, address: str) -> str:
    """Return a person's first name; a company's name, known by its legal form or the mailbox's domain, is kept."""
    first, (local, _, domain) = name.split(" ")[0], address.casefold().partition("@")
    bare = company(name)
    is_domain = _letters(bare) == _letters(domain.partition(".")[0]) and local != first.casefold()
    return name if is_domain or bare != squeeze(name).casefold().strip(" ,.") else first


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name))


def fill(text: str, known: Mapping[str, str], draw: Draw) -> Filled:
    """Fill in each message of `text` (split at lines of `---`) for one person; syntax in the values is not parsed."""
    return _fill(list(enumerate(split(text))), known, draw)


def fill_line(text: str, known: Mapping[str, str], draw: Draw) -> Filled:
    """Fill in a one-line text, such as a subject."""
    filled = _fill([(SUBJECT, text.replace("\n", " "))], known, draw)
    return filled._replace(parts=(" ".join(filled.parts[0].split()),))


def fill_whole(text: str, known: Mapping[str, str], draw: Draw) -> Filled:
    """Fill in a text that is one message: lines of hyphens do not split it."""
    return _fill([(0, text)], known, draw)


def _fill(parts: list[tuple[Any, str]], known: Mapping[str, str], draw: Draw) -> Filled:
    missing: dict[str, None] = {}
    broken = ""

    def say(variable: Variable) -> str:
        value = known.get(variable.name, "").strip() or variable.fallback
        if not value:
            missing[variable.name] = None
        return value

    written = []
    for name, text in parts:
        parsed = grammar.parse(text)
        if parsed.faults and not broken:
            broken = f"{grammar.place(text, parsed.faults[0].at)}: {parsed.faults[0].sentence}"
        written.append(write(parsed, name, known, draw, say))
    return Filled(tuple(written), tuple(missing), broken)


def write(
    parsed: grammar.Parsed, part: object, known: Mapping[str, str], draw: Draw, say: Callable[[Variable], str]
) -> str:
    """Return one parsed message filled in, with the words that `say` gives for each variable."""
    return grammar.write(parsed.nodes, known, partial(draw.option, part), say).strip()
