"""A pool: the slots of one kind of unit in this process, shared fairly between workspaces."""

import logging
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import cast

from flask import Flask

from app.core.claims import Busy, Due
from app.engines.rests import Rests
from app.engines.units import UnitKind

log = logging.getLogger("app.engine")
IDLE_REST = 1.0  # seconds before a unit that was due and did nothing is tried again


class Pool:
    """Runs units of one kind, each in a thread and an application context of its own.

    A workspace gets at most three quarters of the slots, so that its hanging units never block all other workspaces.
    """

    def __init__(self, app: Flask, kind: UnitKind, may_begin: Callable[[], bool], ended: Callable[[], None]) -> None:
        self.kind = kind
        self._app, self._may_begin, self._ended = app, may_begin, ended
        self._threads = ThreadPoolExecutor(kind.slots, thread_name_prefix=kind.name)
        self._changing, self._looking, self._again = threading.Lock(), threading.Lock(), False
        self._working: dict[int, int] = {}  # the workspace of each key under way
        self._rests = Rests()
        self._share = max(1, kind.slots * 3 // 4)

    @property
    def running(self) -> int:
        """Return how many units are under way."""
        return len(self._working)

    def look(self) -> None:
        """Begin due units while slots are free. One thread looks at a time; a call meanwhile makes it look again."""
        self._again = True
        while self._again and self._looking.acquire(blocking=False):
            try:
                self._again = False
                if self._may_begin():
                    self._begin()
            finally:
                self._looking.release()

    def stop(self) -> None:
        """Wait for the units under way; begin no other."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def _begin(self) -> None:
        while self._begin_some():  # again if units were left because their workspaces had their share
            pass

    def _begin_some(self) -> bool:
        """Begin due units while slots are free; return whether some were left because of their workspace's share."""
        with self._changing:
            workspaces = Counter(self._working.values())
            keys = [*self._working, *cast(list[int], self._rests.resting())]
        free = self.kind.slots - workspaces.total()
        if free <= 0:
            return False
        full = [workspace_id for workspace_id, slots in workspaces.items() if slots >= self._share]
        left = False
        for due in self.kind.due(free, Busy(keys, full)):
            if workspaces[due.workspace_id] >= self._share:
                left = True
                continue
            workspaces[due.workspace_id] += 1
            with self._changing:
                self._working[due.key] = due.workspace_id
            self._threads.submit(self._run, due)
        return left

    def _run(self, due: Due) -> None:
        try:
            if self._may_begin():
                self._run_one(due.key)
        finally:
            with self._changing:
                del self._working[due.key]
            self._ended()

    def _run_one(self, key: int) -> None:
        try:
            with self._app.app_context():
                did = self.kind.run(key)
        except Exception:
            rest = self._rests.after_failure(key, self.kind.every)
            log.exception("A unit failed", extra={"fields": {"kind": self.kind.name, "key": key, "restSeconds": rest}})
        else:
            self._rests.end(key)
            if not did:
                self._rests.once(key, IDLE_REST)
