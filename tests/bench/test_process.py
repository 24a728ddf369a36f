"""T10: what a process costs that has nothing to do."""

import os
import time
from pathlib import Path

from app.core import migrations
from tests import processes
from tests.bench.measure import Report, Target, seconds

TICK = os.sysconf("SC_CLK_TCK")


def test_idle(tmp_path: Path, report: Report, quick: bool) -> None:
    """Memory, share of a core, and the time from the command to the first answer."""
    url, port, watched = f"sqlite:///{tmp_path / 'idle.db'}", processes.free_port(), 3 if quick else 20
    migrations.upgrade(url)
    with processes.serve(processes.environment(url, tmp_path), port):
        pass  # the first start after an installation compiles every module; that one is not counted
    started = []
    took = seconds(lambda: started.append(processes.serve(processes.environment(url, tmp_path), port)))
    with started[0] as server:
        time.sleep(2)
        before = cpu_seconds(server.pid)
        time.sleep(watched)
        share = (cpu_seconds(server.pid) - before) / watched * 100
        memory = resident(server.pid)
    targets = [
        Target("MB", memory, most=120),
        Target("% of a core", share, most=1),
        Target("seconds to ready", took, most=3),
    ]
    report.add("T10", "an idle process", {"memory": memory, "core": share, "start": took}, "MB, %, s", targets)


def cpu_seconds(pid: int) -> float:
    """The processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def resident(pid: int) -> float:
    """The memory a process holds, in MB; shared pages count by their share."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) / 1024
