"""The budget and the circuit breaker of the AI model, which all processes share."""

from datetime import timedelta

import pytest

from app.core.actor import spender
from app.core.clock import now
from app.core.db import in_transaction
from app.domain.platform import model_meter
from app.domain.platform.model_meter import BUSY, LONGEST_REST, OPENS_AFTER, RESTS, SPENT, SharedMeter
from app.models.workspaces import Workspace
from tests.support.movable import Movable

NAME = "http://box/api tiny"
DAY = 86_400.0  # seconds


@pytest.mark.postgres
def test_the_tokens_of_a_day_are_counted_by_all_processes(acme: Workspace, clock: Movable) -> None:
    """And forgotten with the day; another model has a budget of its own."""
    one, other = SharedMeter(), SharedMeter()
    one.answered(NAME, 600)
    assert other.refusal(NAME, 1000) == ""
    other.failed(NAME, 500)
    assert (one.refusal(NAME, 1000), one.refusal(NAME, 0), one.refusal("else", 1)) == (SPENT, "", "")
    assert not in_transaction()
    clock.forward(days=1)
    assert one.refusal(NAME, 1000) == ""
    one.answered(NAME, 999)
    assert one.refusal(NAME, 1000) == ""


def test_no_workspace_uses_up_the_day_of_another(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    meter = SharedMeter()
    for workspace, refusal in ((acme, ""), (acme, SPENT), (rival, "")):
        paid_by = spender.set(workspace.id)
        assert meter.refusal(NAME, 500) == refusal
        meter.answered(NAME, 500)
        spender.reset(paid_by)
    assert model_meter.state(*NAME.split()).all_tokens == 1500


def test_after_failures_in_a_row_the_model_rests_longer_each_time(acme: Workspace, clock: Movable) -> None:
    meter = SharedMeter()
    for _ in range(OPENS_AFTER - 1):
        meter.failed(NAME)
        assert meter.refusal(NAME, 0) == ""
    meter.failed(NAME)
    assert meter.refusal(NAME, 0) == RESTS
    clock.forward(seconds=61)
    assert meter.refusal(NAME, 0) == ""
    meter.failed(NAME)
    clock.forward(seconds=61)
    assert meter.refusal(NAME, 0) == RESTS
    for _ in range(8):
        meter.failed(NAME)
    clock.forward(seconds=LONGEST_REST.total_seconds() + 1)
    assert meter.refusal(NAME, 0) == ""
    meter.answered(NAME, 1)
    meter.failed(NAME)
    assert meter.refusal(NAME, 0) == ""


def test_a_model_that_asks_for_rest_gets_it_and_its_last_failure_is_known(acme: Workspace, clock: Movable) -> None:
    """Ten minutes at most. The reason is known to all until it answers again; a rest does not take its place."""
    meter = SharedMeter()
    meter.failed("other", rest=20)
    assert meter.refusal("other", 0) == BUSY
    clock.forward(seconds=21)
    assert meter.refusal("other", 0) == ""
    meter.failed("other", rest=DAY)
    clock.forward(seconds=LONGEST_REST.total_seconds() + 1)
    assert meter.refusal("other", 0) == ""
    assert model_meter.state("http://box/api", "tiny") == model_meter.State()
    for _ in range(OPENS_AFTER):
        meter.failed(NAME, 100)
    meter.heard(NAME, "it returned an error (500)")
    found = model_meter.state("http://box/api", "tiny")
    assert (found.tokens, found.failures, found.failure) == (300, OPENS_AFTER, "it returned an error (500)")
    assert found.rests_until == now() + timedelta(seconds=60)
    clock.forward(days=1)
    later = model_meter.state("http://box/api", "tiny")
    assert (later.tokens, later.rests_until) == (0, None)
    meter.heard(NAME)
    assert model_meter.state("http://box/api", "tiny").failure == ""
