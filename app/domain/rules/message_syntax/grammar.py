"""Grammar of message texts: variables, spintax and conditionals, read into a tree.

    text        = (plain | variable | choice | condition | escape)*
    variable    = "{{" name ["|" fallback] "}}"
    choice      = "{" text ("|" text)+ "}"
    condition   = "{{#if" name "}}" text ["{{else}}" text] "{{/if}}"
    escape      = "\\" before one of { } | [ %

A single brace is plain text unless a bar stands between it and its partner, so `{}` in a text means what it says. A tag
of a condition that is alone on its line takes the line with it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MOST_WRITTEN = 20_000  # characters of a text with all its choices
DEEPEST = 10  # choices and conditions in each other
MOST_OPEN = 50  # braces and conditions at once; braces beyond are plain text
_TOKEN = re.compile(r"\{\{(?P<tag>[^{}]*)\}\}|\\(?P<escaped>[{}|\[%])|(?P<mark>[{}|])")
_TAG_IF, _TAG_ELSE, _TAG_END = re.compile(r"#if\s+(\S.*)", re.DOTALL), "else", "/if"
_BLOCK = re.compile(r"[#/^]|else\b|elseif\b|elsif\b|endif\b")


class Plain(NamedTuple):
    """Words that everyone gets."""

    words: str


class Variable(NamedTuple):
    """A variable with its fallback, and how it is written."""

    name: str
    fallback: str
    source: str
    at: int


class Choice(NamedTuple):
    """Spintax: one of the options is drawn. `number` counts the choices of a text from its start."""

    options: "tuple[Nodes, ...]"
    number: int
    at: int
    end: int


class Condition(NamedTuple):
    """What a person gets who has a value, and what the others get."""

    name: str
    then: "Nodes"
    otherwise: "Nodes"
    at: int
    end: int


Node = Plain | Variable | Choice | Condition
Nodes = tuple[Node, ...]


class Fault(NamedTuple):
    """A mistake in a text: where it begins, and what to do about it."""

    at: int
    sentence: str


class Parsed(NamedTuple):
    """A text as a tree, its mistakes, and the places of its tags and choices."""

    nodes: Nodes
    faults: tuple[Fault, ...]
    marks: tuple[tuple[int, int], ...]


@dataclass
class _Open:
    """A brace or a condition that is not closed yet; the outermost one is the text itself."""

    kind: str  # text, brace or if
    at: int
    name: str = ""
    within: frozenset[str] = frozenset()  # the kinds of what it stands inside: brace, choice, if
    branches: list[list[Node]] = field(default_factory=lambda: [[]])

    def inner(self, kind: str, at: int, name: str = "") -> "_Open":
        """Return what opens inside this one."""
        mine = {self.kind, "choice"} if self.is_choice else {self.kind}
        return _Open(kind, at, name, self.within | mine)

    @property
    def nodes(self) -> list[Node]:
        return self.branches[-1]

    @property
    def is_choice(self) -> bool:
        return self.kind == "brace" and len(self.branches) > 1


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.faults = text, list[Fault]()
        self.stack = [_Open("text", 0)]
        self.braces: set[int] = set()  # the places of single braces that are plain text
        self.marks: list[tuple[int, int]] = []

    def read(self) -> Parsed:
        at = 0
        for token in _TOKEN.finditer(self.text):
            begin, end = self._whole_line(token) if _is_block(token["tag"]) else token.span()
            self._say(self.text[at:begin])
            at = end
            if token["tag"] is not None:
                self.marks.append(token.span())
                self._tag(token["tag"].strip(), token)
            elif token["escaped"]:
                self._say(token["escaped"])
            else:
                self._mark(token["mark"], token.start())
        self._say(self.text[at:])
        self._close_rest("text")
        for place in sorted(self.braces):
            if place + 1 in self.braces and self.text[place] == self.text[place + 1]:
                self._fault(place, "A variable is not closed. Write variables as {{first_name}}.")
                break
        nodes = _numbered(tuple(self.stack[0].nodes))
        return Parsed(nodes, tuple(sorted(self.faults)), _outermost(self.marks))

    def _whole_line(self, token: re.Match[str]) -> tuple[int, int]:
        """Return the span of the line if the tag is alone on it, or else the tag's own."""
        begin = self.text.rfind("\n", 0, token.start()) + 1
        end = self.text.find("\n", token.end()) + 1 or len(self.text)
        alone = not (self.text[begin : token.start()].strip() or self.text[token.end() : end].strip())
        return (begin, end) if alone else token.span()

    def _fault(self, at: int, sentence: str) -> None:
        self.faults.append(Fault(at, sentence))

    def _say(self, words: str) -> None:
        nodes = self.stack[-1].nodes
        if words and nodes and isinstance(nodes[-1], Plain):
            nodes[-1] = Plain(nodes[-1].words + words)
        elif words:
            nodes.append(Plain(words))

    def _tag(self, inner: str, token: re.Match[str]) -> None:
        at = token.start()
        if named := _TAG_IF.fullmatch(inner):
            self.stack.append(self.stack[-1].inner("if", at, named[1].strip()))
        elif inner == _TAG_ELSE:
            self._else(at)
        elif inner == _TAG_END:
            self._end_if(at, token.end())
        elif _BLOCK.match(inner):
            self._fault(at, f"{{{{{inner}}}}} is not supported. {_advice(inner)}")
        else:
            name, _, fallback = inner.partition("|")
            self.stack[-1].nodes.append(Variable(name.strip(), fallback.strip(), token[0], at))

    def _else(self, at: int) -> None:
        if not self._close_rest("if"):
            self._fault(at, "{{else}} is outside a condition. Start a condition with {{#if company_name}}.")
        elif len(self.stack[-1].branches) > 1:
            self._fault(at, "A condition can have only one {{else}}. Remove this one.")
        else:
            self.stack[-1].branches.append([])

    def _end_if(self, at: int, end: int) -> None:
        if not self._close_rest("if"):
            self._fault(at, "{{/if}} has no {{#if}}. Remove {{/if}}, or start the condition with {{#if company_name}}.")
            return
        opened = self.stack.pop()
        then, otherwise = (tuple(opened.branches[0]), tuple(opened.branches[1]) if opened.branches[1:] else ())
        self._add(Condition(opened.name, then, otherwise, opened.at, end))

    def _mark(self, sign: str, at: int) -> None:
        top = self.stack[-1]
        if sign == "{" and len(self.stack) > MOST_OPEN:
            self._literal(at)
        elif sign == "{":
            self.stack.append(top.inner("brace", at))
        elif top.kind == "brace" and sign == "|":
            top.branches.append([])
        elif top.kind == "brace":
            self._close_brace(at)
        elif sign == "|" and "brace" in top.within:
            self._fault(at, "This | is inside a condition, but its { is outside. Put both inside, or write \\|.")
        elif sign == "}" and "choice" in top.within:
            self._fault(at, "This } is inside a condition, but its { is outside. Put both inside, or write \\}.")
        elif sign == "}":
            self._literal(at)
        else:
            self._say(sign)

    def _literal(self, at: int) -> None:
        self.braces.add(at)
        self._say(self.text[at])

    def _close_brace(self, at: int) -> None:
        opened = self.stack.pop()
        if not opened.is_choice:
            self._put_back_as_text(opened)
            self._literal(at)
            return
        self.marks.append((opened.at, at + 1))
        options = _trimmed([tuple(branch) for branch in opened.branches])
        if not any(options):
            self._fault(opened.at, "All choices are empty. Write words between { and }.")
        self._add(Choice(tuple(options), 0, opened.at, at + 1))

    def _put_back_as_text(self, opened: _Open) -> None:
        """Put back an open brace and what it held as plain text, since it turned out to be no choice."""
        self._literal(opened.at)
        for node in opened.nodes:
            if isinstance(node, Plain):
                self._say(node.words)
            else:
                self.stack[-1].nodes.append(node)

    def _add(self, node: Choice | Condition) -> None:
        if depth((node,)) > DEEPEST:
            self._fault(node.at, f"Choices and conditions can be nested up to {DEEPEST} levels deep.")
        else:
            self.stack[-1].nodes.append(node)

    def _close_rest(self, kind: str) -> bool:
        """Close all that is open inside the innermost condition, or the text; return False if there is no condition."""
        if kind != "text" and kind != self.stack[-1].kind and kind not in self.stack[-1].within:
            return False
        left = len(self.stack)
        while self.stack[left - 1].kind != kind:
            left -= 1
        rest, self.stack = self.stack[left:], self.stack[:left]
        for opened in rest:
            if opened.kind == "if":
                self._fault(opened.at, f"{{{{#if {opened.name}}}}} is not closed. Add {{{{/if}}}} where it ends.")
            elif opened.is_choice:
                self._fault(opened.at, "A { is not closed. Add } after the last choice, or write \\{ for a plain {.")
            else:
                self._put_back_as_text(opened)
        return True


def _is_block(tag: str | None) -> bool:
    return tag is not None and (bool(_TAG_IF.fullmatch(tag.strip())) or tag.strip() in (_TAG_ELSE, _TAG_END))


def _advice(inner: str) -> str:
    if inner.startswith("#unless"):
        return "Write {{#if company_name}}{{else}}…{{/if}}."
    if inner.startswith("else"):
        return "Put another {{#if …}}…{{/if}} after {{else}}."
    if inner.startswith("#if"):
        return "Name the variable to check, as in {{#if company_name}}."
    return "A condition is written {{#if company_name}}…{{else}}…{{/if}}."


def _trimmed(options: list[Nodes]) -> list[Nodes]:
    """Return the options without the spaces around their bars, if each bar has one on either side."""
    padded = all(
        _edge(before, -1).endswith(" ") and _edge(after, 0).startswith(" ") for before, after in pairwise(options)
    )
    return [_stripped(option) for option in options] if padded else options


def _edge(option: Nodes, place: int) -> str:
    node = option[place] if option else None
    return node.words if isinstance(node, Plain) else ""


def _stripped(option: Nodes) -> Nodes:
    nodes = list(option)
    if nodes and isinstance(nodes[0], Plain):
        nodes[0] = Plain(nodes[0].words.lstrip())
    if nodes and isinstance(nodes[-1], Plain):
        nodes[-1] = Plain(nodes[-1].words.rstrip())
    return tuple(node for node in nodes if node != Plain(""))


def _numbered(nodes: Nodes) -> Nodes:
    """Return the tree with its choices numbered in the order in which they begin."""
    starts = sorted(node.at for node in walk(nodes) if isinstance(node, Choice))
    number = {at: index for index, at in enumerate(starts)}

    def renumber(branch: Nodes) -> Nodes:
        return tuple(_renumbered(node) for node in branch)

    def _renumbered(node: Node) -> Node:
        if isinstance(node, Choice):
            return node._replace(options=tuple(renumber(one) for one in node.options), number=number[node.at])
        if isinstance(node, Condition):
            return node._replace(then=renumber(node.then), otherwise=renumber(node.otherwise))
        return node

    return renumber(nodes)


def _outermost(marks: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for begin, end in sorted(marks, key=lambda one: (one[0], -one[1])):
        if not found or begin >= found[-1][1]:
            found.append((begin, end))
    return tuple(found)


@lru_cache(maxsize=1024)  # all people of a campaign share the text before it is filled in
def parse(text: str) -> Parsed:
    """Read a text into its tree. Never fails: `faults` says what is wrong with it."""
    return _Reader(text).read()


def _branches(node: Node) -> tuple[Nodes, ...]:
    if isinstance(node, Choice):
        return node.options
    return (node.then, node.otherwise) if isinstance(node, Condition) else ()


def walk(nodes: Nodes) -> Iterator[Node]:
    """Yield every node of the tree, outer ones first."""
    for node in nodes:
        yield node
        for branch in _branches(node):
            yield from walk(branch)


def depth(nodes: Nodes) -> int:
    """Return how deeply choices and conditions are nested."""
    return max((1 + max(map(depth, branches)) for node in nodes if (branches := _branches(node))), default=0)


def longest(nodes: Nodes) -> int:
    """Return the length of the longest text that can be drawn; variables count with their fallback, which is known."""
    return sum(_longest(node) for node in nodes)


def _longest(node: Node) -> int:
    if isinstance(node, Plain):
        return len(node.words)
    return len(node.fallback) if isinstance(node, Variable) else max(map(longest, _branches(node)))


def may_be_empty(nodes: Nodes) -> bool:
    """Return whether some draw for some person leaves nothing to read."""
    return all(_may_be_empty(node) for node in nodes)


def _may_be_empty(node: Node) -> bool:
    if isinstance(node, Plain):
        return not node.words.strip()
    return not isinstance(node, Variable) and any(map(may_be_empty, _branches(node)))


def needed(nodes: Nodes, held: frozenset[str] = frozenset()) -> Iterator[str]:
    """Yield the variables without fallback that a person may lack where they stand."""
    for node in nodes:
        if isinstance(node, Variable) and not node.fallback and node.name not in held:
            yield node.name
        elif isinstance(node, Condition):
            yield from needed(node.then, held | {node.name})
            yield from needed(node.otherwise, held)
        elif isinstance(node, Choice):
            for option in node.options:
                yield from needed(option, held)


def write(nodes: Nodes, known: Mapping[str, str], draw: Callable[[Choice], int], say: Callable[[Variable], str]) -> str:
    """Return the text that one person gets: `draw` picks an option, `say` gives a variable's words."""
    written: list[str] = []
    for node in nodes:
        if isinstance(node, Plain):
            written.append(node.words)
        elif isinstance(node, Variable):
            written.append(say(node))
        elif isinstance(node, Choice):
            written.append(write(node.options[draw(node)], known, draw, say))
        else:
            branch = node.then if known.get(node.name, "").strip() else node.otherwise
            written.append(write(branch, known, draw, say))
    return "".join(written)


def place(text: str, at: int) -> str:
    """Return where a character stands, in words."""
    line, character = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
    return f"Line {line}, character {character}" if "\n" in text else f"Character {character}"
