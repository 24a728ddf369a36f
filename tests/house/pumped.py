"""Print the patterns of `app` that take much longer on a text that is only a little longer, as lines of JSON.

Those of `short_texts.csv` are not tried: they meet short texts only. Run apart from the tests, because it listens to
`re.compile` while the program is loaded.
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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
LONG, TIMES = 1200, 8  # characters of the long text, and how many of the short one fit into it
WORTH_A_LOOK, GROWS = 0.0015, 20  # seconds; linear is 8 times, quadratic 64
CALLS = ("search", "match", "fullmatch", "sub", "split", "findall", "finditer")
USUAL = [" ", "\n", "\t", "a", "A", "0", ".", "-", "!", ",", "a ", "a.", "a@", "<", '"', "/", "- ", "ä", "{", "_"]
compile_plainly = re.compile
found: dict[tuple[Any, int], str] = {}
with Path(__file__).with_name("short_texts.csv").open(encoding="utf-8", newline="") as rows:
    KNOWN = [(row["file"], row["pattern"]) for row in csv.DictReader(rows)]


def listen(pattern: Any, flags: int = 0) -> Any:
    """Compile as `re` does, and remember what our own code compiled, with its place."""
    frame = sys._getframe(1)
    made = compile_plainly(pattern, flags)
    if (file := frame.f_code.co_filename).startswith(str(ROOT / "app")):
        found.setdefault((made.pattern, made.flags), f"{Path(file).relative_to(ROOT)}:{frame.f_lineno}")
    return made


def collect() -> None:
    """Load the whole program, and read the patterns that stand in calls such as `re.search(r"…", text)`."""
    re.compile = listen  # type: ignore[assignment]
    import app

    for module in pkgutil.walk_packages(app.__path__, "app."):
        importlib.import_module(module.name)
    importlib.import_module("app.domain.replies.dates").find("", date.min)  # compiled when the first text is read
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CALLS
            if called and ast.unparse(node.func.value) == "re" and isinstance(node.args[0], ast.Constant):  # type: ignore[attr-defined]
                made = compile_plainly(node.args[0].value)  # type: ignore[attr-defined]
                found.setdefault((made.pattern, made.flags), f"{path.relative_to(ROOT)}:{node.lineno}")  # type: ignore[attr-defined]


def inside(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every part of a parsed pattern."""
    for op, given in tree:
        yield op, given
        for part in given if isinstance(given, tuple | list) else [given]:
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, parser.SubPattern):
                    yield from inside(inner)


def bits(tree: Any) -> list[str]:
    """Return what to repeat: what is usual, and what the pattern itself looks for."""
    parts = list(inside(tree))
    letters = [chr(given) for op, given in parts if op is said.LITERAL]
    sets = [chr(one) for op, given in parts if op is said.IN for kind, one in given if kind is said.LITERAL]
    ranges = [chr(one[0]) for op, given in parts if op is said.IN for kind, one in given if kind is said.RANGE]
    return list(dict.fromkeys([*USUAL, *letters[:8], *sets[:8], *ranges[:4], "".join(letters[:5]) or "a"]))


def took(made: Any, text: Any) -> float:
    """Return the seconds that this thread searched."""
    began = time.thread_time()
    made.search(text)
    return time.thread_time() - began


def grows(made: Any, bit: Any) -> bool:
    """Return whether the long text takes far more than so many times as long as the short one."""
    long = bit * (LONG // len(bit))
    short, end = long[: len(long) // TIMES], "\0" if isinstance(bit, str) else b"\0"
    if took(made, short + end) < WORTH_A_LOOK / TIMES and took(made, long + end) < WORTH_A_LOOK:
        return False
    return all(took(made, long + end) > GROWS * max(took(made, short + end), 1e-6) for _ in range(3))


def main() -> None:
    """Print what grows."""
    collect()
    for (pattern, flags), place in sorted(found.items(), key=lambda one: one[1]):
        if any(place.startswith(f"{file}:") and str(pattern).startswith(begin) for file, begin in KNOWN):
            continue
        made = compile_plainly(pattern, flags)
        tree = parser.parse(pattern, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
        repeats = [given[1] for op, given in inside(tree) if op in (said.MAX_REPEAT, said.MIN_REPEAT)]
        tried = bits(tree) if any(most > 500 for most in repeats) else []
        coded = [bit.encode() if isinstance(pattern, bytes) else bit for bit in tried]
        if bad := [bit for bit in coded if grows(made, bit)]:
            sys.stdout.write(json.dumps([place, str(pattern), str(bad[0])]) + "\n")
    sys.stdout.write(json.dumps(len(found)) + "\n")


if __name__ == "__main__":
    main()
