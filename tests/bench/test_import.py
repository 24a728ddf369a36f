"""T8: a CSV of 100,000 rows into a list, beside reading and inserting it with nothing but the standard library."""

import csv
import json
import subprocess
import sys
from itertools import count
from pathlib import Path

from app.core.db import db
from app.domain.leads import lists as lead_lists
from app.domain.workspace import workspaces
from tests import processes
from tests.bench import stock
from tests.bench.measure import Report, Target, in_turn, rate

ROOT = Path(__file__).parents[2]
HEADER = "Profile URL,First name,Last name,Headline,Title,Company,Company URL,Location,Email,Tier,Note".split(",")


def test_import(tmp_path: Path, report: Report, rounds: int, quick: bool) -> None:
    """One row in a hundred is broken, one in fifty is there twice; every round goes into a new list."""
    size = 2_000 if quick else 100_000
    file, database = tmp_path / "people.csv", tmp_path / "import.db"
    broken, doubled = _write(file, size)
    app = stock.empty(database)
    with app.app_context():
        workspace = workspaces.create("Bench", "bench@example.com", stock.PASSWORD)
        lists = [lead_lists.create_list(workspace, f"List {number}").id for number in range(2 * rounds)]
        workspace_id = workspace.id
        db.session.remove()
        db.engine.dispose()
    numbers, peaks = count(), []

    def ours() -> float:
        env = processes.environment(f"sqlite:///{database}", tmp_path, PYTHONPATH=str(ROOT))
        command = [sys.executable, "-m", "tests.bench.csv_import", database, file]
        ids = [str(workspace_id), str(lists[next(numbers)])]
        answer = subprocess.run([*command, *ids], env=env, capture_output=True, text=True)
        assert answer.returncode == 0, answer.stderr
        told = json.loads(answer.stdout)
        assert told["added"] == size - broken - doubled, told
        assert told["invalid"] == broken, told
        peaks.append(told["peak"])
        return float(size / told["seconds"])

    def raw() -> float:
        return rate(size, lambda: _by_hand(database, file, workspace_id, lists[next(numbers)]))

    figures = in_turn(rounds, ours=ours, raw=raw)
    targets = [
        Target("rows a second", figures["ours"], least=20_000),
        Target("MB at most", max(peaks), most=150),
    ]
    report.add("T8", f"CSV import of {size:,} rows, from upload to the last row", figures, "rows/s", targets)


def _write(file: Path, size: int) -> tuple[int, int]:
    """The file; how many of its rows are broken, and how many people are in it a second time."""
    broken = doubled = 0
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(HEADER)
        for number in range(size):
            if number % 100 == 99:
                writer.writerow(["", "Nobody", "Without", "", "", "", "", "", "", "", ""])
                broken += 1
                continue
            known = number % 50 == 48
            doubled += known
            given = stock.profile(number - 1 if known else number)
            names = "profileUrl firstName lastName headline position companyName companyUrl location email".split()
            writer.writerow([*(given[name] for name in names), "A", f"Note {number % 7}"])
    return broken, doubled


def _by_hand(database: Path, file: Path, workspace: int, list_id: int) -> None:
    connection = stock.connect(database)
    with file.open(newline="", encoding="utf-8") as opened:
        rows = csv.reader(opened)
        next(rows)
        kept = ((workspace, list_id, row[0].rpartition("/")[2], "", *_columns(row)) for row in rows if row[0])
        statement = stock.INSERT_LEAD.replace("INSERT", "INSERT OR IGNORE")
        while chunk := [row for _, row in zip(range(1000), kept, strict=False)]:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(statement, chunk)
            connection.execute("COMMIT")
    connection.close()


def _columns(row: list[str]) -> tuple[str, ...]:
    custom = json.dumps({"tier": row[9], "note": row[10]})
    return (*row[:8], "", row[8], "", "[]", custom, stock.AT)
