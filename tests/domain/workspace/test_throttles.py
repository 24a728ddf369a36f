"""Sign-in abuse: tries are counted before they are checked, and no one elsewhere makes a user wait at home."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from app.core.errors import RateLimited, Unauthorized
from app.domain.workspace import throttles, workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.support.members import owner
from tests.support.movable import Movable

ADA = "ada@acme.example"


def attack(times: int, address: str = "203.0.113.{}") -> None:
    """So many wrong tries, each from another address where it has a place for one."""
    for number in range(times):
        with pytest.raises((Unauthorized, RateLimited)):
            workspaces.authenticate(ADA, "wrong", address.format(number))


def test_tries_elsewhere_make_no_one_wait_here_or_on_a_known_device(acme: Workspace, rival: Workspace) -> None:
    """A known device is limited too, and counts for its user only."""
    device = workspaces.device_token(owner(acme))
    assert not workspaces.is_known_device(owner(rival), device)
    assert not workspaces.is_known_device(owner(acme), "1:invented")
    attack(20, "203.0.113.9")
    assert workspaces.authenticate(ADA, PASSWORD, "198.51.100.7").email == ADA
    attack(60)
    with pytest.raises(RateLimited):
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7")
    assert workspaces.authenticate(ADA, PASSWORD, "198.51.100.7", device).email == ADA
    for _ in range(throttles.FREE_TRIES):
        with pytest.raises(Unauthorized):
            workspaces.authenticate(ADA, "wrong", "198.51.100.7", device)
    with pytest.raises(RateLimited):
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7", device)


def test_tries_inside_a_session_are_counted_apart_and_success_forgives(acme: Workspace, clock: Movable) -> None:
    ada = owner(acme)
    for _ in range(3):
        attack(throttles.FREE_TRIES - 1, "198.51.100.7")
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7")
    attack(60)
    assert workspaces.is_password(ada, PASSWORD)
    for _ in range(throttles.FREE_TRIES):
        assert not workspaces.is_password(ada, "wrong")
    with pytest.raises(RateLimited):
        workspaces.is_password(ada, PASSWORD)
    assert workspaces.is_password(ada, PASSWORD, "invited")


def test_an_own_success_does_not_forgive_tries_at_others(acme: Workspace, rival: Workspace) -> None:
    """One address that tries many users waits all the same."""
    refused = 0
    for number in range(throttles.FREE_TRIES * 10 + 20):
        try:
            workspaces.authenticate(f"user{number}@acme.example", "wrong", "203.0.113.9")
        except RateLimited:
            refused += 1
        except Unauthorized:
            pass
        if number == 30:
            workspaces.authenticate(owner(rival).email, PASSWORD, "203.0.113.9")
    assert refused >= 10


@pytest.mark.postgres
def test_many_tries_at_once_get_no_more_than_one_after_the_other(app: Flask, acme: Workspace) -> None:
    start = threading.Barrier(16)

    def guess(_: int) -> bool:
        with app.app_context():
            start.wait()
            try:
                throttles.attempt({"sign-in:email:x": throttles.FREE_TRIES})
            except RateLimited:
                return False
            return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(guess, range(16))) == throttles.FREE_TRIES
