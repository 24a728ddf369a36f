"""Answers on the other channel; `tests/chaos/test_cross_channel.py` is the long version."""

import random

from flask import Flask

from app.core.clock import Movable
from tests.simulation.two_channels import TwoChannels
from tests.support import networked


def test_no_one_hears_from_us_after_an_answer_on_the_other_channel(app: Flask, clock: Movable) -> None:
    """Fourteen people; the mailbox is away now and then."""
    trial = TwoChannels(clock, random.Random(5), networked.server())
    try:
        trial.begin(people=14, senders=1)
        trial.pass_time(days=2.2)
        assert trial.too_late() == []
        assert {by for _, by in trial.answered.values()} == {"mail", "network"}
        assert trial.times_away > 0
    finally:
        trial.close()
