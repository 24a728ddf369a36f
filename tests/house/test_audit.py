"""The audit log: every verb that an edge calls and that writes is recorded, or stands in a table with the reason."""

import ast
import csv
import re
from pathlib import Path

from app.domain.platform import audit_log
from tests.house.ours import files, name, nodes, text

TABLE = Path(__file__).with_name("unrecorded.csv")
EDGES = ("app.api.", "app.pages.", "app.mcp.", "app.cli.")
WRITES = "app.core.db.transaction"
RECORDS = {f"app.domain.platform.audit_log.{one}" for one in ("record", "record_all", "record_for_user")}


def module(path: Path) -> str:
    return name(path).removesuffix(".py").replace("/", ".")


def imported(path: Path) -> dict[str, str]:
    """Return what each name of a file stands for."""
    froms = [node for node in nodes(path) if isinstance(node, ast.ImportFrom)]
    return {one.asname or one.name: f"{node.module}.{one.name}" for node in froms for one in node.names}


def name_of(node: ast.stmt) -> str:
    """Return the name that a statement of a module defines: a function, a class, or a table of functions."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return next((one.id for one in targets if isinstance(one, ast.Name)), "")


def uses() -> dict[str, set[str]]:
    """Return what our modules define, each with what it names."""
    found: dict[str, set[str]] = {}
    for path in files("app"):
        known = imported(path)
        made = {called: node for node in ast.parse(text(path)).body if (called := name_of(node))}
        known |= {called: f"{module(path)}.{called}" for called in made}
        for called, node in made.items():
            inside = list(ast.walk(node))
            names = {known.get(one.id, "") for one in inside if isinstance(one, ast.Name)}
            for one in inside:
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in known:
                    names.add(f"{known[one.value.id]}.{one.attr}")
            found[f"{module(path)}.{called}"] = names
    return found


def reached(start: str, known: dict[str, set[str]]) -> set[str]:
    """Return everything that a function names, and what that names."""
    seen, waiting = set[str](), [start]
    while waiting:
        new = known.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def unrecorded(known: dict[str, set[str]]) -> set[str]:
    """Return the verbs that edges call and that write, but record nothing."""
    called = {verb for user, names in known.items() if f"{user}.".startswith(EDGES) for verb in names}
    verbs = {one for one in called & set(known) if one.startswith("app.domain.") and one.rpartition(".")[2].islower()}
    all_of = {verb: reached(verb, known) for verb in verbs}
    return {verb.removeprefix("app.domain.") for verb, of in all_of.items() if WRITES in of and not RECORDS & of}


def test_a_verb_that_writes_is_recorded_or_says_why_not() -> None:
    table = {row["verb"]: row["why"] for row in csv.DictReader(text(TABLE).splitlines())}
    known = uses()
    found = unrecorded(known)
    assert len(table) > 50
    forgotten, needless = sorted(found - set(table)), sorted(set(table) - found)
    assert not forgotten, f"Record them in the audit log, or say in {name(TABLE)} why not: {forgotten}"
    assert not needless, f"Take these out of {name(TABLE)}, they are recorded now or gone: {needless}"
    assert all(table.values())
    forgets = known | {"app.api.new.create": {"app.domain.new.create"}, "app.domain.new.create": {WRITES}}
    assert unrecorded(forgets) - found == {"new.create"}


def test_the_page_has_words_for_every_kind_that_is_recorded() -> None:
    calls = re.compile(r"audit_log\.record\w*\((?:[^()\"]|\([^()]*\))*?\"([a-z_]+\.[a-z_]+)\"")
    kinds = {kind for path in files("app") for kind in calls.findall(text(path))}
    assert len(kinds) > 60
    assert sorted(kinds - set(audit_log.WORDS)) == []
