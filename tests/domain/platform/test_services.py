"""Services of a workspace: tried before they are kept, sealed, asked in order, within what may be spent in a day."""

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core.db import session, transaction
from app.core.errors import Conflict, InvalidRequest, NotFound, Unavailable
from app.domain.platform import services
from app.domain.workspace import workspaces
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import LoggedOut, ProviderError, Refused, Throttled, Unknown, Unreachable
from tests.conftest import PASSWORD
from tests.support.finders import RIGHT, Finder, offered
from tests.support.movable import Movable

CENT = 10_000


@pytest.fixture
def other(app: Flask, clock: Movable) -> Workspace:
    return workspaces.create("Other", "oda@other.example", PASSWORD)


@pytest.fixture
def finder(app: Flask) -> Finder:
    return offered()[0]


def joined(workspace: Workspace, name: str = "finder", budget: int | None = None) -> ServiceLogin:
    return services.connect(workspace, name, {"api_key": RIGHT}, budget)


def row(workspace: Workspace) -> ServiceLogin:
    query = sa.select(ServiceLogin).where(ServiceLogin.workspace_id == workspace.id)
    return session().scalars(query.execution_options(populate_existing=True)).one()


def wrong(caught: pytest.ExceptionInfo[InvalidRequest]) -> list[str]:
    return [field.path for field in caught.value.fields]


def test_a_connected_service_is_called_with_its_own_key(live: Workspace, other: Workspace, finder: Finder) -> None:
    """By no one else; its card says what it said. The key is in no column, and opens in no other row."""
    kept = joined(live)
    [ready] = services.credentials_for(live, "email")
    assert (ready.name, ready.adapter.service) == ("finder", finder.service)
    assert ready.credentials.values["api_key"] == RIGHT
    [card] = services.connected(live)
    assert (card.about, card.well) == ("500 searches are left this month.", True)
    assert card.checked_at == live.now()
    assert services.credentials_for(live, "phone") == []
    assert services.connected(other) == services.credentials_for(other, "email") == []
    theirs = joined(other)
    assert RIGHT.encode() not in (kept.sealed or b"")
    assert kept.shown["api_key"] == "••••door"
    assert kept.shown["base_url"] == "https://api.finder.example"
    assert RIGHT not in repr(services.credentials(kept))
    kept.sealed, theirs.sealed = theirs.sealed, kept.sealed
    with pytest.raises(ValueError):
        services.credentials(kept)
    session().rollback()


def test_a_wrong_key_changes_nothing_and_wrong_fields_are_named(
    live: Workspace, acme: Workspace, finder: Finder
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        services.connect(live, "finder", {"base_url": "x" * 501, "api_key": " ", "colour": "red"}, -1)
    assert wrong(caught) == ["values.colour", "values.base_url", "values.api_key", "dailyBudget"]
    assert finder.seen == []
    with pytest.raises(NotFound):
        services.connect(live, "nobody", {})
    with pytest.raises(Conflict):
        joined(acme)
    assert services.credentials_for(acme, "email") == []
    joined(live)
    with pytest.raises(InvalidRequest) as caught:
        services.connect(live, "finder", {"api_key": "key-of-somebody-else"})
    assert wrong(caught) == ["values.api_key"]
    assert services.credentials(row(live)).values["api_key"] == RIGHT
    finder.failure = Unreachable("The finder does not answer.")
    with pytest.raises(Unavailable):
        joined(live)
    assert row(live).well


def test_a_kept_key_goes_to_no_other_address(live: Workspace, finder: Finder) -> None:
    """The budget can be changed without typing the key again; the address cannot."""
    joined(live)
    made = services.credentials(row(live)).values["hook_secret"]
    services.connect(live, "finder", {"base_url": "https://api.finder.example"}, 5 * CENT)
    assert row(live).daily_budget == 5 * CENT
    expected = {"base_url": "https://api.finder.example", "api_key": RIGHT, "hook_secret": made}
    assert services.credentials(row(live)).values == expected
    assert len(made) == services.MADE_LETTERS
    with pytest.raises(InvalidRequest) as caught:
        services.connect(live, "finder", {"base_url": "https://thief.example"})
    assert wrong(caught) == ["values.api_key"]
    assert all(seen.values["base_url"] != "https://thief.example" for seen in finder.seen)


def test_the_order_can_be_changed(live: Workspace, app: Flask) -> None:
    """They are asked in it; a place beyond the last is the last."""
    offered("one", "two", "three")
    for name in ("one", "two", "three"):
        joined(live, name)
    services.move(live, "three", 1)
    assert [each.name for each in services.credentials_for(live, "email")] == ["three", "one", "two"]
    services.move(live, "three", 99)
    assert [each.service for each in services.connected(live)] == ["one", "two", "three"]
    assert [each.position for each in services.connected(live)] == [1, 2, 3]


def test_disconnecting_forgets_the_key_and_what_cannot_be_opened_says_so(
    live: Workspace, other: Workspace, finder: Finder
) -> None:
    """It is left out of what can be asked, and its card says what to do."""
    joined(live)
    joined(other)
    services.disconnect(live, "finder")
    assert services.connected(live) == []
    assert services.connected(other)
    with pytest.raises(NotFound):
        services.disconnect(live, "finder")
    joined(live)
    with transaction():
        session().execute(sa.update(ServiceLogin).values(sealed=b"\1" + bytes(40)))
    assert services.credentials_for(live, "email") == []
    assert "Connect the service again." in row(live).failure
    with pytest.raises(LoggedOut):
        services.check(live, "finder")
    joined(live)
    assert services.credentials_for(live, "email")


def test_use_and_cost_are_counted_by_day(live: Workspace, other: Workspace, finder: Finder, clock: Movable) -> None:
    """Until midnight where the workspace lives; without an answer there is no cost. A used up budget waits."""
    with transaction():
        session().get_one(Workspace, live.id).timezone = "America/New_York"
    joined(live, budget=3 * CENT)
    joined(other)
    [ready] = services.credentials_for(live, "email")
    with services.call(live, ready):
        pass
    with services.call(live, ready, answers=3) as asked:
        asked.answers = 2
    with services.call(live, ready, answers=0):
        pass
    assert services.use_today(live, row(live)) == (3, 3 * CENT)
    assert services.use_today(other, row(other)) == (0, 0)
    assert services.credentials_for(live, "email") == []
    assert services.credentials_for(live, "verify")
    clock.to("2026-03-03 04:59")
    assert services.use_today(live, row(live)) == (3, 3 * CENT)
    clock.to("2026-03-03 05:00")
    assert services.use_today(live, row(live)) == (0, 0)
    [ready] = services.credentials_for(live, "email")
    with services.call(live, ready):
        pass
    assert services.use_today(live, row(live)) == (1, CENT)


def test_a_failure_is_kept_until_the_next_success(live: Workspace, finder: Finder) -> None:
    """Only an answer that was lost may have been charged; the refusal of one person is an answer, and free."""
    joined(live)
    [ready] = services.credentials_for(live, "email")
    failures: list[tuple[ProviderError, int]] = [
        (Throttled("Too many questions.", 60), 0),
        (LoggedOut("The key was revoked."), 0),
        (Unknown("The answer was lost."), CENT),
    ]
    for failure, spent in failures:
        with pytest.raises(type(failure)), services.call(live, ready):
            raise failure
        assert (row(live).failure, row(live).well, row(live).spent) == (failure.sentence, False, spent)
    assert row(live).failed_at == live.now()
    with pytest.raises(Refused), services.call(live, ready):
        raise Refused("They do not want to be looked up.")
    assert (row(live).well, row(live).used, row(live).spent) == (True, 4, CENT)
    with pytest.raises(LoggedOut), services.call(live, ready):
        raise LoggedOut("The key was revoked.")
    with services.call(live, ready):
        pass
    assert row(live).well
    assert services.use_today(live, row(live)) == (6, 2 * CENT)


def test_a_check_is_kept_and_not_counted(live: Workspace, finder: Finder, clock: Movable) -> None:
    joined(live)
    clock.forward(hours=1)
    finder.failure = LoggedOut("The key was revoked.")
    with pytest.raises(LoggedOut):
        services.check(live, "finder")
    assert (row(live).failure, row(live).failed_at) == ("The key was revoked.", live.now())
    finder.failure = None
    assert services.check(live, "finder") == "500 searches are left this month."
    assert (row(live).well, row(live).checked_at, row(live).used) == (True, live.now(), 0)
