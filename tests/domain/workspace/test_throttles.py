"""Sign-in abuse: tries are counted before they are checked, and no one elsewhere makes a user wait at home."""

import threading

import pytest
from flask import Flask

from app.core.clock import Movable
from app.core.errors import RateLimited, Unauthorized
from app.domain.workspace import throttles, workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.support.members import owner

pytestmark = pytest.mark.postgres

ADA = "ada@acme.example"


def attack(times: int, address: str = "203.0.113.{}") -> None:
    """So many wrong tries, each from another address where it has a place for one."""
    for number in range(times):
        with pytest.raises((Unauthorized, RateLimited)):
            workspaces.authenticate(ADA, "wrong", address.format(number))


def test_tries_elsewhere_make_no_one_wait_on_a_known_device(acme: Workspace) -> None:
    device = workspaces.device_token(owner(acme))
    attack(60)
    with pytest.raises(RateLimited):
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7")
    assert workspaces.authenticate(ADA, PASSWORD, "198.51.100.7", device).email == ADA


def test_tries_from_one_address_make_no_one_wait_at_another(acme: Workspace) -> None:
    attack(20, "203.0.113.9")
    assert workspaces.authenticate(ADA, PASSWORD, "198.51.100.7").email == ADA


def test_a_known_device_is_limited_too_and_counts_for_its_user_only(acme: Workspace, rival: Workspace) -> None:
    device = workspaces.device_token(owner(acme))
    assert not workspaces.is_known_device(owner(rival), device)
    assert not workspaces.is_known_device(owner(acme), "1:invented")
    for _ in range(throttles.FREE_TRIES):
        with pytest.raises(Unauthorized):
            workspaces.authenticate(ADA, "wrong", "198.51.100.7", device)
    with pytest.raises(RateLimited):
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7", device)


def test_tries_inside_a_session_are_counted_apart(acme: Workspace) -> None:
    ada = owner(acme)
    attack(60)
    assert workspaces.is_password(ada, PASSWORD)
    for _ in range(throttles.FREE_TRIES):
        assert not workspaces.is_password(ada, "wrong")
    with pytest.raises(RateLimited):
        workspaces.is_password(ada, PASSWORD)
    assert workspaces.is_password(ada, PASSWORD, "invited")


def test_success_forgives(acme: Workspace, clock: Movable) -> None:
    for _ in range(3):
        attack(throttles.FREE_TRIES - 1, "198.51.100.7")
        workspaces.authenticate(ADA, PASSWORD, "198.51.100.7")


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


def test_many_tries_at_once_get_no_more_than_one_after_the_other(app: Flask, acme: Workspace) -> None:
    outcomes: list[str] = []
    start = threading.Barrier(16)

    def guess() -> None:
        with app.app_context():
            start.wait()
            try:
                throttles.attempt({"sign-in:email:x": throttles.FREE_TRIES})
                outcomes.append("checked")
            except RateLimited:
                outcomes.append("refused")

    threads = [threading.Thread(target=guess) for _ in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert outcomes.count("checked") == throttles.FREE_TRIES
    assert len(outcomes) == 16
