"""Waiting for what other threads and processes do, without a pause longer than needed."""

import threading
from collections.abc import Callable


def until(happened: Callable[[], bool], seconds: float = 60) -> None:
    turn = threading.Event()
    for _ in range(round(seconds * 100)):
        if happened():
            return
        turn.wait(0.01)
    raise AssertionError("It did not happen.")
