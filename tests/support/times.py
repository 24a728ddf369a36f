"""Where the time of a run went, by folder; pytest's own `--durations` adds the slowest tests."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seconds and the number of tests of each folder, where `--durations` was asked for."""
    if not terminalreporter.config.getoption("durations"):
        return
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in (each for each in reports if isinstance(each, pytest.TestReport)):
            folder = "/".join(report.nodeid.partition("::")[0].split("/")[:-1][:3])
            seconds[folder] += report.duration
            tests[folder] += report.when == "call"
    terminalreporter.section("seconds by folder")
    for folder, spent in seconds.most_common():
        terminalreporter.write_line(f"{spent:8.1f} s {tests[folder]:6} tests  {folder}")
