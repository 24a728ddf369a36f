"""T10: what a process costs that has nothing to do."""

import time
from pathlib import Path

from tests.bench import stock
from tests.bench.measure import Report, Target, processor_seconds, seconds
from tests.support import processes
from tests.support.processes import Running


def test_idle(migrated: str, tmp_path: Path, report: Report, quick: bool) -> None:
    """Memory, share of a core, and the time from the command to the first answer."""
    port, watched = processes.free_port(), 3 if quick else 20
    with processes.serve(processes.environment(migrated, tmp_path), port):
        pass  # the first start after an installation compiles every module; that one is not counted
    started = []
    took = seconds(lambda: started.append(processes.serve(processes.environment(migrated, tmp_path), port)))
    with started[0] as server:
        share = busy(server, watched) * 100
        memory = resident(server.pid)
    targets = [
        Target("MB", memory, most=130),
        Target("% of a core", share, most=1),
        Target("seconds to ready", took, most=3),
    ]
    report.add("T10", "an idle process", {"memory": memory, "core": share, "start": took}, "MB, %, s", targets)


def test_idle_workspaces(tmp_path: Path, report: Report, quick: bool) -> None:
    """The same process with many workspaces in which nothing is under way."""
    count, file, watched = 100 if quick else 2000, tmp_path / "workspaces.db", 4 if quick else 20
    stock.idle_workspaces(file, count)
    with processes.serve(processes.environment(f"sqlite:///{file}", tmp_path), processes.free_port()) as server:
        took = busy(server, watched) * 1000
    target = Target("ms of processor time a second", took, most=20)
    report.add("T10", f"{count:,} idle workspaces", {"ours": took}, "ms of processor time a second", [target])


def busy(server: Running, watched: int) -> float:
    """The share of a core that a server uses, once it has started."""
    time.sleep(2)
    before = processor_seconds(server.pid)
    time.sleep(watched)
    return (processor_seconds(server.pid) - before) / watched


def resident(pid: int) -> float:
    """The memory a process holds, in MB; shared pages count by their share."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) / 1024
