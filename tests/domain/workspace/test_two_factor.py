"""The second step: codes a step early or late, each once; recovery codes; slow tries."""

import pyotp
import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import Conflict, InvalidRequest, RateLimited, Unauthorized
from app.domain.workspace import passwords, two_factor
from app.models.sessions import LinkOrigin, RecoveryCode, SecondFactor
from app.models.workspaces import User, Workspace
from tests.domain.workspace.test_team import kinds
from tests.support.members import owner
from tests.support.movable import Movable


def turned_on(user: User, clock: Movable) -> tuple[pyotp.TOTP, list[str]]:
    """The app of someone who set it up, and their recovery codes."""
    app = pyotp.TOTP(two_factor.prepare(user))
    codes = two_factor.confirm(user, app.at(clock.at))
    clock.forward(seconds=60)
    return app, codes


def at_step(app: pyotp.TOTP, clock: Movable, step: int) -> str:
    return app.at(int(clock.at.timestamp()) + 30 * step)


def test_two_factor_is_turned_on_used_and_turned_off_with_the_password(acme: Workspace, clock: Movable) -> None:
    """Off until a first code proves it; its sealed secret is never shown again, and a password link leaves it on."""
    ada = owner(acme)
    secret = two_factor.prepare(ada)
    assert two_factor.prepare(ada) == secret
    assert secret.encode() not in session().get_one(SecondFactor, ada.id).secret
    with pytest.raises(InvalidRequest):
        two_factor.confirm(ada, "000000")
    assert not two_factor.is_on(ada)
    assert f"secret={secret}" in two_factor.address(ada, secret)
    app, codes = turned_on(ada, clock)
    assert two_factor.is_on(ada)
    assert len(set(codes)) == 10
    for again in (lambda: two_factor.prepare(ada), lambda: two_factor.confirm(ada, "000000")):
        with pytest.raises(Conflict):
            again()
    two_factor.check(ada, app.at(clock.at))
    passwords.reset(passwords.link(ada, LinkOrigin.SHELL), "another four quiet words")
    assert two_factor.is_on(ada)
    with pytest.raises(InvalidRequest):
        two_factor.turn_off(ada, "Wrong password")
    two_factor.turn_off(ada, "another four quiet words")
    assert not two_factor.is_on(ada)
    told = [kind for kind in kinds(acme) if "password" not in kind]
    assert told == ["two_factor.on", "session.refused", "two_factor.off"]


def test_a_code_works_once_and_clocks_may_differ_by_one_step(acme: Workspace, clock: Movable) -> None:
    """Half a minute early or late, but no code from before the last one."""
    ada = owner(acme)
    app, _ = turned_on(ada, clock)
    for step in (0, -1, 1):
        clock.forward(minutes=5)
        code = at_step(app, clock, step)
        two_factor.check(ada, code)
        for spent in (code, at_step(app, clock, step - 1)):
            with pytest.raises(Unauthorized):
                two_factor.check(ada, spent)
    clock.forward(minutes=5)
    for step in (-2, 2):
        with pytest.raises(Unauthorized):
            two_factor.check(ada, at_step(app, clock, step))


def test_a_recovery_code_works_once_and_no_code_opens_for_another_person(
    acme: Workspace, rival: Workspace, clock: Movable
) -> None:
    """However it is written; it is stored hashed."""
    ada = owner(acme)
    _, codes = turned_on(ada, clock)
    app, theirs = turned_on(owner(rival), clock)
    for code in (app.at(clock.at), theirs[0]):
        with pytest.raises(Unauthorized):
            two_factor.check(ada, code)
    assert two_factor.left(owner(rival)) == 10
    two_factor.check(ada, f" {codes[3].upper().replace('-', ' ')} ")
    assert two_factor.left(ada) == 9
    with pytest.raises(Unauthorized):
        two_factor.check(ada, codes[3])
    stored = b"".join(session().scalars(sa.select(RecoveryCode.digest)))
    assert not any(code.encode() in stored for code in codes)
    fresh = two_factor.renew_codes(ada)
    with pytest.raises(Unauthorized):
        two_factor.check(ada, codes[4])
    two_factor.check(ada, fresh[0])


def test_guessing_is_slow(acme: Workspace, clock: Movable) -> None:
    """After five tries the right code waits too."""
    ada = owner(acme)
    app, _ = turned_on(ada, clock)
    for _ in range(5):
        with pytest.raises(Unauthorized):
            two_factor.check(ada, "000000")
    with pytest.raises(RateLimited):
        two_factor.check(ada, app.at(clock.at))
    clock.forward(seconds=60)
    two_factor.check(ada, app.at(clock.at))
