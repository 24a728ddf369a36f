"""Print the patterns of `app` that take much longer on a text that is only a little longer, as lines of JSON.

Each is tried as the program uses it: a pattern of which only `match` or `fullmatch` is called begins at the beginning
of a text. `from_beginning.csv` says so of those that are called through another name. Run apart from the tests,
because it listens to `re.compile` while the program is loaded.
"""

import ast
import csv
import importlib
import json
import pkgutil
import re
import re._constants as said
import re._parser as parser
import sys
import time
from collections.abc import Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
LONG, TIMES = 1200, 8  # characters of the long text, and how many of the short one fit into it
WORTH_A_LOOK, GROWS = 0.0015, 20  # seconds; linear is 8 times, quadratic 64
TOO_LONG = 0.02  # seconds for the long text, however it grows
MOST_PAIRED = 12  # bits of a pattern that are tried two by two
CALLS = ("search", "match", "fullmatch", "sub", "split", "findall", "finditer")
USUAL = [" ", "\n", "\t", "a", "A", "0", ".", "-", "!", ",", "a ", "a.", "a@", "<", '"', "/", "- ", "ä", "{", "_"]
Tried = tuple[Any, int, str]  # a pattern, its flags, and the method that is called
compile_plainly = re.compile
found: dict[Tried, str] = {}
with Path(__file__).with_name("from_beginning.csv").open(encoding="utf-8", newline="") as rows:
    KNOWN = [(row["file"], row["pattern"], row["called"]) for row in csv.DictReader(rows)]


def listen(pattern: Any, flags: int = 0) -> Any:
    """Compile as `re` does, and remember what our own code compiled, with its place."""
    frame = sys._getframe(1)
    made = compile_plainly(pattern, flags)
    if (file := frame.f_code.co_filename).startswith(str(ROOT / "app")):
        place = f"{Path(file).relative_to(ROOT)}:{frame.f_lineno}"
        known = (how for of, begin, how in KNOWN if place.startswith(f"{of}:") and str(pattern).startswith(begin))
        found.setdefault((made.pattern, made.flags, next(known, named.get(place, "search"))), place)
    return made


def collect() -> None:
    """Load the whole program, and read the patterns that stand in calls such as `re.search(r"…", text)`."""
    trees = {
        path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "app").rglob("*.py")
    }
    name_the_methods(trees)
    re.compile = listen  # type: ignore[assignment]
    import app

    for module in pkgutil.walk_packages(app.__path__, "app."):
        importlib.import_module(module.name)
    importlib.import_module("app.domain.replies.dates").find("", date.min)  # compiled when the first text is read
    words = importlib.import_module("app.domain.replies.words")
    for language in words.languages().values():
        for table, entries in language._tables.items():
            for name in entries if isinstance(entries, dict) else ():
                language.phrases(table, name)
    own_words = importlib.import_module("app.domain.replies.own_words")
    for compiled in (own_words._wrote, *(partial(own_words._formulas, name) for name in own_words._FORMULAS)):
        compiled()
    importlib.import_module("app.domain.replies.absence")._patterns()
    for path, tree in trees.items():
        for node in ast.walk(tree):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS
            if called and ast.unparse(node.func.value) == "re" and isinstance(node.args[0], ast.Constant):  # type: ignore[attr-defined]
                made = compile_plainly(node.args[0].value)  # type: ignore[attr-defined]
                how = node.func.attr if node.func.attr in ("match", "fullmatch") else "search"  # type: ignore[attr-defined]
                found.setdefault((made.pattern, made.flags, how), f"{path}:{node.lineno}")  # type: ignore[attr-defined]


named: dict[str, str] = {}  # the place of a pattern with a name, of which one method is called: that method


def name_the_methods(trees: dict[Path, ast.Module]) -> None:
    """Note the patterns of which only `match` or only `fullmatch` is called."""
    uses: dict[str, set[str]] = {}
    for path, tree in trees.items():
        called = {id(node.value): node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
            if name and isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]
                uses.setdefault(f"{path}:{name}" if name.startswith("_") else name, set()).add(called.get(id(node), ""))
    for path, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("re.compile("):
                name = ast.unparse(node.targets[0])
                those = uses.get(f"{path}:{name}" if name.startswith("_") else name, set())
                if those in ({"match"}, {"fullmatch"}):
                    named[f"{path}:{node.value.lineno}"] = next(iter(those))


def inside(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every part of a parsed pattern."""
    for op, given in tree:
        yield op, given
        for part in given if isinstance(given, tuple | list) else [given]:
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, parser.SubPattern):
                    yield from inside(inner)


def own_bits(tree: Any) -> list[str]:
    """Return what the pattern itself looks for."""
    parts = list(inside(tree))
    letters = [chr(given) for op, given in parts if op is said.LITERAL]
    sets = [chr(one) for op, given in parts if op is said.IN for kind, one in given if kind is said.LITERAL]
    ranges = [chr(one[0]) for op, given in parts if op is said.IN for kind, one in given if kind is said.RANGE]
    return list(dict.fromkeys([*letters[:8], *sets[:8], *ranges[:4]]))


def sample(tree: Any) -> str:
    """Return about what the pattern finds first, with each repeat as short as it may be."""
    made = ""
    for op, given in tree:
        if op is said.LITERAL:
            made += chr(given)
        elif op is said.IN:
            kind, one = given[0]
            made += chr(one) if kind is said.LITERAL else chr(one[0]) if kind is said.RANGE else "a"
        elif op is said.SUBPATTERN:
            made += sample(given[3])
        elif op is said.BRANCH:
            made += sample(given[1][0])
        elif op in (said.MAX_REPEAT, said.MIN_REPEAT):
            made += sample(given[2]) * min(given[0], 10)
    return made[:30]


def texts(tree: Any) -> list[tuple[str, str]]:
    """Return what to begin with and what to repeat: bits, two of them in turn, and whole lines."""
    own, begun = own_bits(tree), sample(tree)
    paired = list(dict.fromkeys([" ", "a", *own]))[:MOST_PAIRED]
    single = list(dict.fromkeys([*USUAL, *own, begun or "a"]))
    lines = [bit * 20 + "\n" for bit in [*USUAL[:8], *own]]
    pairs = [one + other for one in paired for other in paired if one != other]
    return [*(("", bit) for bit in [*single, *lines, *pairs]), *((begun, bit) for bit in single if begun)]


def took(made: Any, how: str, text: str) -> float:
    """Return the seconds that this thread searched."""
    given = text.encode() if isinstance(made.pattern, bytes) else text
    began = time.thread_time()
    getattr(made, how)(given)
    return time.thread_time() - began


def grows(made: Any, how: str, begun: str, bit: str) -> bool:
    """Return whether the long text takes far more than so many times as long as the short one, or too long."""
    long = bit * (LONG // len(bit))
    short = begun + long[: len(long) // TIMES] + "\0"
    long = begun + long + "\0"
    if took(made, how, long) < WORTH_A_LOOK:
        return False
    measured = [(took(made, how, long), took(made, how, short)) for _ in range(3)]
    return all(one > min(GROWS * max(other, 1e-6), TOO_LONG) for one, other in measured)


def main() -> None:
    """Print what grows."""
    collect()
    for (pattern, flags, how), place in sorted(found.items(), key=lambda one: one[1]):
        made = compile_plainly(pattern, flags)
        tree = parser.parse(pattern, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
        repeats = [given[1] for op, given in inside(tree) if op in (said.MAX_REPEAT, said.MIN_REPEAT)]
        tried = texts(tree) if any(most > 50 for most in repeats) else []
        if bad := next((one for one in tried if grows(made, how, *one)), None):
            sys.stdout.write(json.dumps([place, str(pattern), how, *bad]) + "\n")
            sys.stdout.flush()
    sys.stdout.write(json.dumps(len(found)) + "\n")


if __name__ == "__main__":
    main()
