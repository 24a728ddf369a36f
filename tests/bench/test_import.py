"""T8: a CSV of 100,000 rows into a list."""

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from app.core import migrations
from app.domain.leads import lists as lead_lists
from app.domain.workspace import workspaces
from tests.bench import stock
from tests.bench.measure import Report, Target, in_turn
from tests.bench.stock import People
from tests.support import processes

ROOT = Path(__file__).parents[2]
HEADINGS = {
    "profile_url": "Profile URL",
    "first_name": "First name",
    "last_name": "Last name",
    "headline": "Headline",
    "position": "Title",
    "company_name": "Company",
    "company_url": "Company URL",
    "location": "Location",
    "email": "Email",
}


def test_import(tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """One row in a hundred is broken, one in fifty is there twice; every round goes into a new list."""
    database = tmp_path / "import.db"
    migrations.upgrade(f"sqlite:///{database}")  # not stock.empty: its rows have other ids than users see
    with stock.at_work(stock.application(database)):
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD).id
    _measure(database, workspace, report, rounds, quick)


def test_import_onto_many(people: People, tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """The same onto a workspace with a million people, of whom half of the file's rows are known."""
    ours = people.copy_to(tmp_path / "many.db")
    _measure(ours.file, ours.workspace, report, rounds, quick, known=ours.long_size)


def _measure(database: Path, workspace_id: int, report: Report, rounds: int, quick: bool, known: int = 0) -> None:
    size, peaks, seen = 2_000 if quick else 100_000, list[float](), list[float]()
    with stock.at_work(stock.application(database)):
        workspace = workspaces.get(workspace_id)
        lists = [lead_lists.create_list(workspace, f"List {number}").id for number in range(rounds)]
    env = processes.environment(f"sqlite:///{database}", database.parent, PYTHONPATH=str(ROOT))
    file = database.with_suffix(".csv")

    def imported() -> float:
        begin = len(peaks) * size if known else 0
        numbers = [number if number % 4 < 2 or not known else known + number for number in range(begin, begin + size)]
        broken, doubled = _write(file, numbers)
        command = [sys.executable, "-m", "tests.bench.csv_import", database, file, workspace_id, lists.pop()]
        done = subprocess.run([str(each) for each in command], env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        told: dict[str, float] = json.loads(done.stdout)
        assert (told["invalid"], told["added"]) == (broken, size - broken - doubled), told
        peaks.append(told["peak"])
        seen.append(told["seen"])
        return size / told["seconds"]

    figures = in_turn(rounds, ours=imported)
    targets = [
        Target("rows a second", figures["ours"], least=10_000),
        Target("MB at most", max(peaks), most=150),
        Target("seconds until the first rows are visible", max(seen), most=2),
    ]
    title = f"CSV import of {size:,} rows, "
    title += f"half of them known, onto {known:,} people" if known else "from upload to the last row"
    report.add("T8", title, figures, "rows/s", targets)


def _write(file: Path, people: Sequence[int]) -> tuple[int, int]:
    """The file; how many of its rows are broken, and how many people are in it a second time."""
    broken = doubled = 0
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow([*HEADINGS.values(), "Tier", "Note"])
        before = -1
        for number in people:
            if number % 100 == 99:
                writer.writerow(["", "Nobody", "Without", "", "", "", "", "", "", "", ""])
                broken += 1
                continue
            known = number % 50 == 48
            doubled += known
            given = stock.person(before if known else number, 1)
            before = number
            writer.writerow([*(given[name] for name in HEADINGS), "A", f"Note {number % 7}"])
    return broken, doubled
