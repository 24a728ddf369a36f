"""People answer on the other channel, moments before the next message: it does not go out any more."""

import os
import random
from collections import Counter

from flask import Flask

from app.core.clock import Movable
from tests.simulation.two_channels import TwoChannels
from tests.support import networked
from tests.support.size import sized


def test_no_one_hears_from_us_after_an_answer_on_the_other_channel(app: Flask, clock: Movable) -> None:
    """Judged by the logs of the network and of the mail server, with a mailbox that goes away now and then."""
    answers = sized(60)
    trial = TwoChannels(clock, random.Random(int(os.environ.get("SEED") or 5)), networked.server())
    try:
        trial.begin(people=2 * answers, senders=2)
        while len(trial.answered) < answers:
            trial.pass_time(days=0.5)
        assert trial.too_late() == []
        assert min(Counter(by for _, by in trial.answered.values()).values()) > answers / 10
        assert trial.times_away > 0
    finally:
        trial.close()
