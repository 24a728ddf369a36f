"""Run what needs no run with every change: `make verify` runs every part, `make verify ARGS="kills upgrade"` some.

`--touched --minutes 12` runs the parts whose folders the commits of the last day touched, the cheapest first, as far as
they fit. A part that needs more than twenty minutes is ended and counts as failed. What a part printed is in
`.verify/NAME.log`; how its last run ended is kept in `.verify/results.json` and printed as a table.
OVERTURE_VERIFY_SIZE=10 makes ten times as many kills, people and days; then no part is ended.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / ".verify"
RESULTS = KEPT / "results.json"
MOST_MINUTES = 20
LINES = 40  # of the log of a part that failed are printed
DAY = 24 * 60 * 60
SIZE = float(os.environ.get("OVERTURE_VERIFY_SIZE", "1"))
# A part that is a target of make must not take over the arguments of `make verify`.
CLEAN = {name: value for name, value in os.environ.items() if name not in ("ARGS", "MAKEFLAGS", "MAKEOVERRIDES")}
WORKERS = f"-n {min((os.cpu_count() or 2) + 2, 12)} --dist worksteal"
FUZZ = "tests/api/framework/test_fuzz.py tests/api/framework/test_stories.py"
FUZZ += " tests/domain/people/exclusions/test_gate_properties.py tests/domain/engine/test_engine_properties.py"
WEB = ("tests/api", "tests/mcp", "tests/pages", "tests/e2e")
ON_POSTGRES = f"--db postgres -k postgres {WORKERS}"
EXAMPLES = f"env FUZZ_EXAMPLES={round(20 * SIZE)} FUZZ_STORIES={round(30 * SIZE)}"


class Part(NamedTuple):
    """One part: its name and what it does, its commands, the folders that it belongs to, and its usual minutes.

    In a command, `pytest` is that of this environment.
    """

    name: str
    what: str
    commands: Sequence[str]
    folders: str
    minutes: int


PARTS = (
    Part(
        "clients",
        "Generated clients, and what integrators build on them",
        ["make clients"],
        "app/api app/resources app/domain/webhooks clients integrations tools/clients.py docs/api.md tests/integrators",
        4,
    ),
    Part(
        "deploy",
        "The wheel, servers and files of deploy",
        ["pytest tests/deploy"],
        "deploy app/serve.py app/config.py app/load_shedding.py pyproject.toml uv.lock wsgi.py tests/deploy",
        3,
    ),
    Part(
        "upgrade",
        "Old installations brought up by the migrations, on both databases",
        ["pytest tests/upgrade -n 2"],
        "migrations app/models app/core/database_copy.py app/core/migrations.py app/domain/installation tests/upgrade",
        5,
    ),
    Part(
        "attack",
        "Unsafe calls, known faults of dependencies, a network where every address is ours, services that lie",
        [
            "uvx --quiet bandit@1.9.4 --quiet --configfile pyproject.toml --recursive app",
            "python tests/browser.py",
            "pytest tests/attack -n 2",
            "uvx --quiet pip-audit@2.10.1 --path .venv",
        ],
        "app/providers app/core/text.py templates pyproject.toml uv.lock tests/attack",
        5,
    ),
    Part(
        "pages",
        "Every page in a browser, in both themes and sizes, by axe, by keyboard, and left with something typed",
        ["python tests/browser.py", "env OVERTURE_EVERY_LOOK=1 pytest tests/e2e/test_every_page.py"],
        "app/pages templates static tests/e2e",
        5,
    ),
    Part(
        "mail",
        "Mailboxes on real Dovecot, Postfix and OpenDKIM, which apt installs (as root)",
        ["python tests/mail/daemons.py", "pytest tests/mail"],
        "app/providers/mail app/domain/senders tests/mail",
        2,
    ),
    Part(
        "fuzz",
        "Thousands of made-up requests, one by one and in stories",
        [f"{EXAMPLES} pytest {FUZZ} --db sqlite {WORKERS}"],
        "app/api app/domain/people",
        8,
    ),
    Part(
        "fuzz-postgres",
        "The same on Postgres, where numbers and texts have other bounds",
        [f"{EXAMPLES} pytest {FUZZ} --db postgres {WORKERS}"],
        "app/api app/core/db.py",
        10,
    ),
    Part(
        "months",
        "Months of simulated work, held against hours, limits, exclusions and forecasts",
        ["pytest tests/simulation -n 2"],
        "app/domain/rules app/domain/people app/domain/leads/campaign_leads app/domain/campaigns tests/simulation",
        12,
    ),
    Part(
        "kills",
        "kill -9 of every process at random moments: nothing twice, nothing lost",
        ["pytest tests/kills -n 2"],
        "app/domain/engine app/domain/ledger app/domain/billing app/domain/platform tests/kills",
        10,
    ),
    Part(
        "kills-postgres",
        "The same on Postgres, where claims and locks differ",
        ["pytest tests/kills -m postgres --db postgres -n 2"],
        "app/core/claims.py app/core/db.py",
        9,
    ),
    Part(
        "chaos",
        "Suspended workers, locks, a full disk, a killed Postgres, a slow network, many senders",
        [
            "pytest tests/chaos --db both",
        ],
        "app/engines app/core/claims.py app/core/db.py app/core/db_faults.py tests/chaos",
        15,
    ),
    Part(
        "postgres",
        "Every test of `make test` that has a database, on Postgres, without those of the next part",
        [f"pytest {' '.join(f'--ignore={one}' for one in (*WEB, 'tests/house'))} {ON_POSTGRES}"],
        "app/core/db.py tests/databases.py tests/postgres.py",
        10,
    ),
    Part(
        "postgres-web",
        "Those of the API, assistants, the pages and the browser, on Postgres",
        ["python tests/browser.py", f"pytest {' '.join(WEB)} {ON_POSTGRES}"],
        "app/core/db.py tests/databases.py tests/postgres.py",
        10,
    ),
)


def main(arguments: Sequence[str]) -> int:
    """Run the chosen parts, print the table of the last results, and return 1 when one of them failed."""
    parser = argparse.ArgumentParser(prog="make verify ARGS=…", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PART", help=", ".join(part.name for part in PARTS))
    parser.add_argument("--touched", action="store_true", help="the parts that the commits of the last day touched")
    parser.add_argument("--minutes", type=int, default=MOST_MINUTES, help="how long these may take together")
    given = parser.parse_args(arguments)
    if unknown := set(given.names) - {part.name for part in PARTS}:
        parser.error(f"There is no part {', '.join(sorted(unknown))}.")
    if given.touched:
        chosen, left = fitting(touched(), given.minutes)
        if left:
            print(f'Touched, but too long for this run: make verify ARGS="{" ".join(part.name for part in left)}"')
    else:
        chosen = [part for part in PARTS if part.name in given.names or not given.names]
    KEPT.mkdir(exist_ok=True)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in chosen:
        results[part.name] = run(part)
        RESULTS.write_text(json.dumps(results, indent=1))
    print("\n".join(table(results)))
    return int(any(results[part.name]["result"] != "passed" for part in chosen))


def touched() -> list[Part]:
    """Return the parts to which a file belongs that was changed in the day before the newest commit."""
    newest = int(_git("log", "-1", "--format=%ct"))
    files = _git("log", f"--since={newest - DAY}", "--name-only", "--format=").split()
    return [part for part in PARTS if any(_belongs(file, part) for file in files)]


def _belongs(file: str, part: Part) -> bool:
    return any(file == folder or file.startswith(f"{folder}/") for folder in part.folders.split())


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def fitting(parts: Sequence[Part], minutes: int) -> tuple[list[Part], list[Part]]:
    """Return the parts that fit into so many minutes together, the cheapest first, and those that do not."""
    fits: list[Part] = []
    left: list[Part] = []
    for part in sorted(parts, key=lambda part: part.minutes):
        used = sum(each.minutes for each in fits)
        (fits if used + part.minutes <= minutes else left).append(part)
    return fits, left


def run(part: Part) -> dict[str, str]:
    """Run the commands of a part one after the other until one fails; return how it ended."""
    print(f"{part.name}: {part.what} (usually {part.minutes} min)", flush=True)
    log, began = KEPT / f"{part.name}.log", time.monotonic()
    end = began + MOST_MINUTES * 60 if SIZE <= 1 else None
    result = "passed"
    with log.open("w") as output:
        for command in part.commands:
            output.write(f"$ {command}\n")
            output.flush()
            status = _finish(_words(command), output.fileno(), end)
            if status != 0:
                result = "ended" if status is None else "failed"
                break
    minutes = f"{(time.monotonic() - began) / 60:.1f}"
    print(f"{part.name}: {result} after {minutes} min", flush=True)
    if result != "passed":
        print(
            "\n".join(["…", *log.read_text(errors="replace").splitlines()[-LINES:], f"The whole log: {log}"]),
            flush=True,
        )
    return {
        "result": result,
        "minutes": minutes,
        "commit": _git("rev-parse", "--short", "HEAD").strip(),
        "date": f"{datetime.now().astimezone():%Y-%m-%d %H:%M}",
        "log": "" if result == "passed" else str(log.relative_to(ROOT)),
    }


def _words(command: str) -> list[str]:
    """Return the command with the programs of this environment."""
    here = Path(sys.executable).parent
    words = []
    for word in command.split():
        if word == "pytest":
            words += [sys.executable, "-m", "pytest"]
        elif word == "python":
            words.append(sys.executable)
        else:
            words.append(shutil.which(word, path=str(here)) if word == "uvx" else word)
    return [word or "uvx" for word in words]


def _finish(words: Sequence[str], output: int, end: float | None) -> int | None:
    """Return the exit status of a command, or None when its time was over: then it is killed with its children."""
    process = subprocess.Popen(words, cwd=ROOT, env=CLEAN, stdout=output, stderr=output, start_new_session=True)
    try:
        return process.wait(timeout=None if end is None else max(1.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def table(results: dict[str, dict[str, str]]) -> Iterator[str]:
    """Yield the last result of every part, line by line."""
    never = {"result": "never run", "minutes": "", "commit": "", "date": "", "log": ""}
    yield f"\n{'Part':<16}{'Result':<11}{'Minutes':>7}  {'Commit':<10}{'Date':<18}Log"
    for part in PARTS:
        row = results.get(part.name, never)
        yield (
            f"{part.name:<16}{row['result']:<11}{row['minutes']:>7}  {row['commit']:<10}{row['date']:<18}{row['log']}"
        ).rstrip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
