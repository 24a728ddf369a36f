"""The second step: codes a step early or late, each once; recovery codes; slow tries."""

import pyotp
import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import session
from app.core.errors import Conflict, InvalidRequest, RateLimited, Unauthorized
from app.domain.workspace import passwords, two_factor
from app.models.sessions import LinkOrigin, RecoveryCode, SecondFactor
from app.models.workspaces import User, Workspace
from tests.conftest import PASSWORD
from tests.domain.workspace.test_team import kinds
from tests.support.members import owner


def turned_on(user: User, clock: Movable) -> tuple[pyotp.TOTP, list[str]]:
    """The app of someone who set it up, and their recovery codes."""
    app = pyotp.TOTP(two_factor.prepare(user))
    codes = two_factor.confirm(user, app.at(clock.at))
    clock.forward(seconds=60)
    return app, codes


def at_step(app: pyotp.TOTP, clock: Movable, step: int) -> str:
    """The code that many steps from now."""
    return app.at(int(clock.at.timestamp()) + 30 * step)


def test_two_factor_is_turned_on_used_and_turned_off_with_the_password(acme: Workspace, clock: Movable) -> None:
    """Set up, used, turned off with the password."""
    ada = owner(acme)
    assert not two_factor.is_on(ada)
    app, codes = turned_on(ada, clock)
    assert two_factor.is_on(ada)
    assert len(set(codes)) == 10
    two_factor.check(ada, app.at(clock.at))
    with pytest.raises(InvalidRequest):
        two_factor.turn_off(ada, "Wrong password")
    two_factor.turn_off(ada, PASSWORD)
    assert not two_factor.is_on(ada)
    assert kinds(acme) == ["two_factor.on", "session.refused", "two_factor.off"]


def test_a_new_password_by_a_link_leaves_the_second_factor(acme: Workspace, clock: Movable) -> None:
    """Who reads someone's mail is not in yet."""
    app, _ = turned_on(owner(acme), clock)
    passwords.reset(passwords.link(owner(acme), LinkOrigin.SHELL), "another four quiet words")
    assert two_factor.is_on(owner(acme))
    two_factor.check(owner(acme), app.at(clock.at))


def test_two_factor_is_off_until_a_first_code_proves_it(acme: Workspace, clock: Movable) -> None:
    """The secret stays the same meanwhile, and is sealed."""
    ada = owner(acme)
    secret = two_factor.prepare(ada)
    assert two_factor.prepare(ada) == secret
    assert secret.encode() not in session().get_one(SecondFactor, ada.id).secret
    with pytest.raises(InvalidRequest):
        two_factor.confirm(ada, "000000")
    assert not two_factor.is_on(ada)
    assert f"secret={secret}" in two_factor.address(ada, secret)


def test_a_code_works_once(acme: Workspace, clock: Movable) -> None:
    """Nor does one from before it."""
    ada = owner(acme)
    app, _ = turned_on(ada, clock)
    code = app.at(clock.at)
    two_factor.check(ada, code)
    for spent in (code, at_step(app, clock, -1)):
        with pytest.raises(Unauthorized):
            two_factor.check(ada, spent)


@pytest.mark.parametrize(("step", "fits"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_clocks_may_differ_by_one_step(acme: Workspace, clock: Movable, step: int, fits: bool) -> None:
    """Half a minute early or late."""
    ada = owner(acme)
    app, _ = turned_on(ada, clock)
    clock.forward(minutes=5)
    if fits:
        two_factor.check(ada, at_step(app, clock, step))
    else:
        with pytest.raises(Unauthorized):
            two_factor.check(ada, at_step(app, clock, step))


def test_a_recovery_code_works_once(acme: Workspace, clock: Movable) -> None:
    """However it is written; it is stored hashed."""
    ada = owner(acme)
    _, codes = turned_on(ada, clock)
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


def test_codes_of_another_person_open_nothing(acme: Workspace, rival: Workspace, clock: Movable) -> None:
    """Neither of their app nor of their list."""
    app, codes = turned_on(owner(rival), clock)
    turned_on(owner(acme), clock)
    for code in (app.at(clock.at), codes[0]):
        with pytest.raises(Unauthorized):
            two_factor.check(owner(acme), code)
    assert two_factor.left(owner(rival)) == 10


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


def test_two_factor_is_set_up_once(acme: Workspace, clock: Movable) -> None:
    """The secret of an app in use is never shown again."""
    turned_on(owner(acme), clock)
    with pytest.raises(Conflict):
        two_factor.prepare(owner(acme))
    with pytest.raises(Conflict):
        two_factor.confirm(owner(acme), "000000")
