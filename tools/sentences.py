"""List every sentence a person reads, with its place: pages, errors, notices, emails, commands, API, documents.

.venv/bin/python tools/sentences.py                       all of them: place, tab, sentence
.venv/bin/python tools/sentences.py templates docs        only those of these folders
.venv/bin/python tools/sentences.py --draw 200 --seed 7   that many at random, without their places
.venv/bin/python tools/sentences.py --count               how many words each folder has
"""

import argparse
import ast
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, TypeGuard

from jinja2 import Environment, nodes

ROOT = Path(__file__).resolve().parent.parent
# Letters to people and from them, the words of languages and of other tools: not the words of Overture.
OTHERS = tuple(
    """
    app/providers/writer app/providers/sandbox app/providers/model.py app/providers/mail/bounce_
    app/providers/industries
    app/domain/replies app/domain/people/company_ app/domain/people/free_mail_hosts
    app/domain/autopilot/monitors/fit_words app/domain/rules/message_syntax/foreign app/domain/leads/imports/csv
    app/domain/leads/full_names app/domain/leads/company_csv app/domain/installation/sandbox/demo
    app/domain/installation/table_rows app/domain/autopilot/draft_provenance app/core/countries app/ports
    app/pages/framework/components templates/components docs/settings.md docs/command-line.md
    """.split()
)
# Docstrings that callers read, by what carries them there: OpenAPI, the help of commands, the tools of assistants.
SHAPES = re.compile(r"app/(resources/|api/(?!framework/)|api/framework/sequence_bodies|mcp/tools/)")
CALLED = re.compile(r"endpoint|tool|command|group")

LINE = re.compile("\x00(\\d+)\x00")
TAG = re.compile(r"<(script|style|svg)\b.*?</\1>|</?([a-z][\w-]*)([^>]*)>", re.DOTALL)
INLINE = {"a", "b", "strong", "em", "code", "kbd", "span", "time", "abbr", "small", "mark", "i", "wbr"}
READ_ATTRIBUTE = re.compile(r'\b(?:aria-label|aria-description|title|alt|placeholder|data-confirm)="([^"]*)"')
TEXTS = nodes.Const | nodes.Concat | nodes.CondExpr
BLOCK = "<hr>"  # where a macro prints a piece of its own
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z“\"{`*])")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^\s*(?:[-*]|\d+\.|#+|>)\s+|^\s*\|[-:| ]+\|$", re.MULTILINE)
PIECE = re.compile(r"(\n\s*\n|\n(?=\s*(?:[-*]|\d+\.|#+|\|)\s)|\||(?<=\n)#+ .*\n)")
CODE = re.compile(
    r"[\\<>=^]|::|^[a-z]+[:/]|^[/#.]|IS NOT NULL|\bIN \(|\b[A-Z]{4,} [A-Z]{2,}\b|\b(?:btn|small|muted)\b(?!.*[.?!])"
)
WHOLE = re.compile(r"(?!.*(?:\{…\}| /|/[ A-Z.]|\">|<|`tests/))[A-Z{“`*].*")  # one wording, and no macro in between
LOGS = {"debug", "info", "warning", "error", "exception"}


class Sentence(NamedTuple):
    """A sentence and where it stands."""

    place: str
    text: str


def sentences() -> Iterator[Sentence]:
    """Yield every sentence of the templates, the code and the documents."""
    for path in sorted((ROOT / "templates").rglob("*.*")):
        yield from _split(path, _of_template(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "app").rglob("*.py")):
        yield from _split(path, _of_code(path))
    for path in sorted([ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]):
        yield from _split(path, _of_document(path.read_text(encoding="utf-8")))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _split(path: Path, found: Iterator[tuple[int, str]]) -> Iterator[Sentence]:
    if _name(path).startswith(OTHERS):
        return
    for line, text in found:
        for one in END.split(" ".join(text.split())):
            if re.search(r"[A-Za-z]{2}", re.sub(r"\{[^}]*\}", "", one)):
                yield Sentence(f"{_name(path)}:{line}", one.strip())


def _of_template(source: str) -> Iterator[tuple[int, str]]:
    """Yield what a template shows: text between block tags, read attributes, and strings in its expressions."""
    shown: list[str] = []
    yield from _of_nodes(Environment(autoescape=True).parse(source), shown)
    yield from _of_html("".join(shown))


def _of_html(html: str) -> Iterator[tuple[int, str]]:
    line, start, text, at = 1, 1, "", 0
    for tag in TAG.finditer(html):
        before = html[at : tag.start()]
        if not LINE.sub("", text).strip():
            text, start = "", _line_after(line, before[: len(before) - len(LINE.sub("", before).lstrip())])
        text, at = text + before, tag.end()
        line = _line_after(line, before)
        yield from ((line, LINE.sub("", one)) for one in READ_ATTRIBUTE.findall(tag[3] or ""))
        line = _line_after(line, tag[0])
        if tag[2] not in INLINE:
            yield start, LINE.sub("", text)
            text = ""
    yield start, LINE.sub("", text + html[at:])


def _line_after(line: int, text: str) -> int:
    marks = list(LINE.finditer(text))
    return int(marks[-1][1]) + text.count("\n", marks[-1].end()) if marks else line + text.count("\n")


def _of_nodes(node: nodes.Node, shown: list[str]) -> Iterator[tuple[int, str]]:
    """Add to `shown` what the template prints, in order, and yield the strings that its expressions pass on."""
    if isinstance(node, nodes.TemplateData):
        shown.append(f"\x00{node.lineno}\x00{node.data}")
    elif isinstance(node, nodes.If):
        for number, part in enumerate([node.body, *(one.body for one in node.elif_), node.else_]):
            shown.append(" / " if number and part else "")
            for one in part:
                yield from _of_nodes(one, shown)
    elif isinstance(node, nodes.Output):
        for one in node.nodes:
            if isinstance(one, nodes.TemplateData):
                yield from _of_nodes(one, shown)
            else:
                shown.append(_printed(one))
                yield from () if isinstance(one, TEXTS) else _passed_on(one)
    else:
        for one in node.iter_child_nodes():
            yield from _passed_on(one) if isinstance(one, nodes.Expr) else _of_nodes(one, shown)


def _passed_on(node: nodes.Node) -> Iterator[tuple[int, str]]:
    if isinstance(node, TEXTS):
        if _is_read(text := _printed(node)):
            yield node.lineno, text
    elif not isinstance(node, nodes.Compare | nodes.Getitem):
        for one in node.iter_child_nodes():
            yield from _passed_on(one)


def _printed(node: nodes.Node | None) -> str:
    """Return what an expression prints, with the names of its values in braces."""
    if isinstance(node, nodes.Const):
        return str(node.value)
    if isinstance(node, nodes.Concat):
        return "".join(_printed(one) for one in node.nodes)
    if isinstance(node, nodes.CondExpr):
        return "/".join(_printed(one) for one in (node.expr1, node.expr2) if one is not None)
    if isinstance(node, nodes.Filter):
        return _printed(node.node)
    if isinstance(node, nodes.Call):
        return BLOCK if isinstance(node.node, nodes.Getattr) else "{…}"
    return f"{{{node.name if isinstance(node, nodes.Name) else node.attr if isinstance(node, nodes.Getattr) else '…'}}}"


def _of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Yield every string in a Python file that a person reads, with the docstrings that are published."""
    tree, shapes = ast.parse(path.read_text(encoding="utf-8")), bool(SHAPES.match(_name(path)))
    inside: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            called = any(CALLED.search(ast.unparse(one)) for one in node.decorator_list)
            if called or (shapes and isinstance(node, ast.ClassDef)):
                yield node.lineno, ast.get_docstring(node) or ""
            if shapes and isinstance(node, ast.ClassDef):  # what stands under a field describes it
                texts = (ast.literal_eval(one.value) for one in node.body[1:] if _is_text(one))
                yield from ((node.lineno, text) for text in texts)
        if isinstance(node, ast.stmt) and _is_text(node):
            inside.add(id(node.value))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOGS:
            inside |= {id(one) for one in ast.walk(node)}
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in inside:
            inside |= {id(one) for one in ast.walk(node)}
            text = node.value if isinstance(node, ast.Constant) else _joined(node)
            if isinstance(text, str) and " " in text.strip() and _is_read(text):
                yield node.lineno, text


def _is_text(node: ast.stmt) -> TypeGuard[ast.Expr]:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _joined(node: ast.JoinedStr) -> str:
    parts = (one.value if isinstance(one, ast.Constant) else f"{{{_short(one)}}}" for one in node.values)
    return "".join(str(part) for part in parts)


def _short(node: ast.expr) -> str:
    return re.sub(r"\W+.*|.*\.", "", ast.unparse(node.value)) if isinstance(node, ast.FormattedValue) else "…"


def _is_read(text: str) -> bool:
    """Return whether a string in code is for a person: words, and nothing that only programs write."""
    words = re.match(r"\s*[\w{“’'`*(]+[^ ]* \S", text) or re.fullmatch(r"[A-Z][a-z]+", text)
    listed = len(text.split()) > 6 and not re.search(r"[.,:;?!]", text)
    return bool(words) and not listed and not CODE.search(text)


def _of_document(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs, list items and table cells of a Markdown page, without its examples."""
    text = FENCE.sub(lambda found: "\n" * found[0].count("\n"), text)
    line = 1
    for part in PIECE.split(text):
        bare = MARK.sub("", part).strip("-: \n")
        if " " in bare and not re.match(r"\d+\.\d+|`[^`]*`(?:, `[^`]*`)*$", bare):
            yield line, bare
        line += part.count("\n")


def main() -> None:
    """Print the sentences, a sample of them, or how many words there are."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    options.add_argument("folders", nargs="*", help="such as templates, app/api or docs")
    options.add_argument("--draw", type=int, default=0)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", action="store_true")
    chosen = options.parse_args()
    found = [one for one in sentences() if one.place.startswith(tuple(chosen.folders) or "")]
    if chosen.count:
        counted: Counter[str] = Counter()
        for one in found:
            counted[one.place.partition("/")[0].partition(":")[0]] += len(one.text.split())
        print("\n".join(f"{words:7} {folder}" for folder, words in counted.items()))
    elif chosen.draw:
        whole = sorted({one.text for one in found if len(one.text.split()) > 3 and WHOLE.fullmatch(one.text)})
        print("\n".join(random.Random(chosen.seed).sample(whole, chosen.draw)))
    else:
        print("\n".join("\t".join(one) for one in found))


if __name__ == "__main__":
    main()
