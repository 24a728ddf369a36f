"""Five hundred people answer on the other channel, moments before the next message: it does not go out any more."""

import random
import sys
from collections import Counter

from flask import Flask

from app.core.clock import Movable
from tests.simulation.two_channels import TwoChannels
from tests.support import networked

PEOPLE = 500


def test_none_of_500_is_reached_after_an_answer_that_could_have_been_read(
    app: Flask, clock: Movable, chance: random.Random
) -> None:
    """Judged by the logs of the network and of the mail server, with a mailbox that goes away now and then."""
    trial = TwoChannels(clock, chance, networked.server())
    try:
        trial.begin(people=2 * PEOPLE, senders=6)
        while len(trial.answered) < PEOPLE:
            trial.pass_time(days=0.5)
        answers = Counter(by for _, by in trial.answered.values())
        sys.stdout.write(f"{dict(answers)} answers, {len(trial.reached())} sent, away {trial.times_away} times\n")
        assert trial.too_late() == []
        assert min(answers.values()) > PEOPLE // 10
    finally:
        trial.close()
