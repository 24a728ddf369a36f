"""T8: a CSV of 100,000 rows into a list, beside the same written plainly."""

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core import migrations
from app.core.db import db
from app.domain.leads import lists as lead_lists
from app.domain.workspace import workspaces
from tests.bench import plain, stock
from tests.bench.measure import Report, Target, in_turn
from tests.bench.stock import People
from tests.support import processes

ROOT = Path(__file__).parents[2]
HEADER = "Profile URL,First name,Last name,Headline,Title,Company,Company URL,Location,Email,Tier,Note".split(",")


def test_import(tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """One row in a hundred is broken, one in fifty is there twice; every round goes into a new list."""
    size = 2_000 if quick else 100_000
    file, database = tmp_path / "people.csv", tmp_path / "import.db"
    broken, doubled = _write(file, range(size))
    migrations.upgrade(f"sqlite:///{database}")  # not stock.empty: its rows have other ids than users see
    with stock.application(database).app_context():
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD)
        lists = [lead_lists.create_list(workspace, f"List {number}").id for number in range(rounds)]
        workspace_id = workspace.id
        db.session.remove()
        db.engine.dispose()
    beside = tmp_path / "plain.db"
    plain.database(beside, {number: f"List {number}" for number in range(1, rounds + 1)}, key="")
    env = processes.environment(f"sqlite:///{database}", tmp_path, PYTHONPATH=str(ROOT))
    peaks, seen = [], []

    def ours() -> float:
        found = _told(env, broken, "tests.bench.csv_import", database, file, workspace_id, lists.pop())
        assert found["added"] == size - broken - doubled, found
        peaks.append(found["peak"])
        seen.append(found["seen"])
        return size / found["seconds"]

    def plainly() -> float:
        found = _told(env, broken, "tests.bench.plain", "import", beside, file, len(peaks))
        assert found["added"] == size - broken - doubled, found
        return size / found["seconds"]

    figures = in_turn(rounds, ours=ours, plain=plainly)
    targets = [
        Target("rows a second", figures["ours"], least=10_000),
        Target("MB at most", max(peaks), most=150),
        Target("seconds until the first rows are visible", max(seen), most=2),
    ]
    report.add("T8", f"CSV import of {size:,} rows, from upload to the last row", figures, "rows/s", targets)


def test_import_onto_many(people: People, tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """The same onto a workspace with a million people, of whom half of the file's rows are known."""
    size, peaks, seen = 2_000 if quick else 100_000, [], []
    ours = people.copy_to(tmp_path / "many.db")
    with stock.application(ours.file).app_context():
        workspace = workspaces.get(ours.workspace)
        lists = [lead_lists.create_list(workspace, f"List {number}").id for number in range(rounds)]
        db.session.remove()
        db.engine.dispose()
    env = processes.environment(f"sqlite:///{ours.file}", tmp_path, PYTHONPATH=str(ROOT))

    def imported() -> float:
        begin = len(peaks) * size
        file = tmp_path / f"{begin}.csv"
        numbers = [number if number % 4 < 2 else people.long_size + number for number in range(begin, begin + size)]
        broken, doubled = _write(file, numbers)
        command = ("tests.bench.csv_import", ours.file, file, ours.workspace, lists.pop())
        found = _told(env, broken, *command)
        assert found["added"] == size - broken - doubled, found
        peaks.append(found["peak"])
        seen.append(found["seen"])
        return size / found["seconds"]

    figures = in_turn(rounds, ours=imported)
    targets = [
        Target("rows a second", figures["ours"], least=10_000),
        Target("MB at most", max(peaks), most=150),
        Target("seconds until the first rows are visible", max(seen), most=2),
    ]
    title = f"CSV import of {size:,} rows, half of them known, onto {people.long_size:,} people"
    report.add("T8", title, figures, "rows/s", targets)


def _told(env: dict[str, str], broken: int, *command: object) -> dict[str, float]:
    """What an import in a process of its own says of itself."""
    given = [sys.executable, "-m", *(str(each) for each in command)]
    answer = subprocess.run(given, env=env, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stderr
    figures: dict[str, float] = json.loads(answer.stdout)
    assert figures["invalid"] == broken, figures
    return figures


def _write(file: Path, people: Sequence[int]) -> tuple[int, int]:
    """The file; how many of its rows are broken, and how many people are in it a second time."""
    broken = doubled = 0
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(HEADER)
        before = -1
        for number in people:
            if number % 100 == 99:
                writer.writerow(["", "Nobody", "Without", "", "", "", "", "", "", "", ""])
                broken += 1
                continue
            known = number % 50 == 48
            doubled += known
            given = stock.profile(before if known else number)
            before = number
            names = "profileUrl firstName lastName headline position companyName companyUrl location email".split()
            writer.writerow([*(given[name] for name in names), "A", f"Note {number % 7}"])
    return broken, doubled
