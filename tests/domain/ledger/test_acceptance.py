"""How invitations fare, judged by how far each has come."""

from datetime import timedelta
from random import Random

import pytest

from app.domain.ledger import acceptance
from app.domain.ledger.acceptance import Invitation

DAY = timedelta(days=1)


def sent(number: int, share: float, mean: timedelta, chance: Random) -> list[Invitation]:
    """Invitations of the last 14 days, of which in the end that share is accepted, after that time on average."""
    found = []
    for _ in range(number):
        age = 14 * DAY * chance.random()
        delay = mean * chance.expovariate(1) if chance.random() < share else None
        found.append(Invitation(age, delay if delay is not None and delay <= age else None))
    return found


def test_young_invitations_say_what_old_ones_will() -> None:
    """The mean of many estimates is the share that is accepted in the end."""
    for share in [0.1, 0.3, 0.6]:
        chance = Random(7)
        estimates = []
        for _ in range(300):
            found = acceptance.measure(sent(60, share, acceptance.USUAL_DELAY, chance))
            estimates.append(found.accepted / found.decided)
        assert sum(estimates) / len(estimates) == pytest.approx(share, abs=0.02), share


def test_senders_are_judged_by_their_own_delays_and_what_had_two_weeks_is_decided() -> None:
    """Its people take a week: those invited five days ago have had none of their time."""
    own = [Invitation(20 * DAY, 7 * DAY)] * 20
    assert acceptance.measure([*own, *[Invitation(5 * DAY, None)] * 30]) == (20, 20)
    assert acceptance.measure([*own[:19], *[Invitation(5 * DAY, None)] * 30]).decided == 43
    assert acceptance.measure([Invitation(14 * DAY, None)] * 5) == (5, 0)
    assert acceptance.measure([Invitation(DAY / 24, DAY / 48)] * 3) == (3, 3)
