"""Sixteen threads in one purse."""

import pytest
from flask import Flask

from app.core.db import end_read
from app.models.workspaces import Workspace
from tests.support import spending

pytestmark = pytest.mark.postgres


def test_credits_spent_from_many_threads_add_up(app: Flask, acme: Workspace, rival: Workspace) -> None:
    """Mixed spending by sixteen at once: every sum is right, at the end and at every moment before."""
    crowd = spending.Crowd(app, [acme.id, rival.id], seed=7, turns=12)
    end_read()
    crowd.spend(threads=16)
    assert crowd.done.total() == 16 * 12
    assert {"hold", "capture", "signal"} <= set(crowd.done)
    spending.check()
