"""The page of services: forms made from fields, cards that say how it goes, and keys that never come back."""

import pytest
from flask import Flask

from app import ports
from app.core import clock as time
from app.core.db import end_read, session, transaction
from app.domain.platform import services
from app.models.platform.services import ServiceLogin
from app.models.workspaces import Workspace
from app.ports import Heard, LoggedOut, Unreachable
from tests.pages.conftest import Web, must_have
from tests.support.booked import SECRET
from tests.support.finders import RIGHT, Finder, offered

PAGE = "/settings/services"


@pytest.fixture
def finder(app: Flask) -> Finder:
    """The service that can be connected, before two others."""
    return offered("finder", "second", "third")[0]


def connect(web: Web, name: str = "finder", **fields: str) -> None:
    """Connected with the right key."""
    assert web.post(f"{PAGE}/{name}", api_key=RIGHT, **fields).status_code == 303


def order(live: Workspace) -> list[str]:
    end_read()
    return [login.service for login in services.connected(live)]


def test_a_service_is_connected_and_disconnected_with_its_key(ours: Web, live: Workspace, finder: Finder) -> None:
    must_have(ours.get("/settings/connections"), "Create a key that may find addresses.", without='id="connected-h"')
    connect(ours, dailyBudget="$2.50")
    page = ours.get("/settings/connections").text
    must_have(page, "Finder is connected.", "500 searches are left this month.", "0 calls, $0.00 of $2.50")
    assert RIGHT not in page
    assert "••••door" in page
    assert services.connected(live)[0].daily_budget == 2_500_000
    connect(ours, "second")
    assert ours.post(f"{PAGE}/second/up").status_code == 303
    assert order(live) == ["second", "finder"]
    assert ours.post(f"{PAGE}/finder/disconnect").status_code == 303
    assert order(live) == ["second"]


def test_a_refused_form_loses_nothing_but_secrets(ours: Web, finder: Finder) -> None:
    answer = ours.post(f"{PAGE}/finder", base_url="https://mine.example", api_key="", dailyBudget="much")
    assert answer.status_code == 422
    assert "Enter the API key." in answer.text
    assert "Enter an amount from 0 to 10,000 dollars, or leave it blank." in answer.text
    assert 'value="https://mine.example"' in answer.text
    assert 'value="much"' in answer.text
    wrong = ours.post(f"{PAGE}/finder", api_key="key-of-somebody-else")
    must_have(wrong, "does not know this key", without="key-of-somebody-else")
    finder.failure = Unreachable("The finder does not answer.")
    assert "The finder does not answer." in ours.post(f"{PAGE}/finder", api_key=RIGHT).text


def test_a_service_is_changed_without_typing_its_key_again(ours: Web, live: Workspace, finder: Finder) -> None:
    connect(ours)
    assert ours.post(f"{PAGE}/finder", base_url="https://api.finder.example", dailyBudget="1").status_code == 303
    assert finder.seen[-1].values["api_key"] == RIGHT
    assert "Leave blank to keep ••••door." in ours.get("/settings/connections").text


def test_the_result_of_a_test_stands_on_the_card_of_its_service(ours: Web, finder: Finder) -> None:
    connect(ours)
    finder.failure = LoggedOut("The key was revoked. Make another.")
    card = ours.post(f"{PAGE}/finder/check", htmx=True)
    assert card.text.lstrip().startswith('<article class="card service" id="service-finder"')
    assert "The key was revoked. Make another." in card.text
    assert ours.post(f"{PAGE}/finder/check").headers["Location"] == f"{PAGE}#service-finder"
    finder.failure = None
    assert "Works" in ours.post(f"{PAGE}/finder/check", htmx=True).text


def test_a_sandbox_workspace_needs_nothing(web: Web, finder: Finder) -> None:
    page = web.get("/settings/connections")
    must_have(page, "The sandbox uses sample data", 'href="/senders">Senders</a>', without='name="api_key"')
    must_have(page, finder.service.title, without=finder.service.guide)
    assert web.post(f"{PAGE}/finder", api_key=RIGHT).status_code == 422


class Model:
    """A model that answers, until it has a failure."""

    name, address = "quill-8b", "http://localhost:11434/v1"

    def __init__(self) -> None:
        self.failure = ""
        self._heard: Heard | None = None

    def heard(self) -> Heard | None:
        """The last time."""
        return self._heard

    def check(self) -> str:
        self._heard = Heard(time.now(), self.failure)
        if self.failure:
            raise Unreachable(f"The model is of no use now: {self.failure}.")
        return "The model answers."


class OneModel:
    """The one that writes, or none."""

    def __init__(self, model: Model | None) -> None:
        self._model = model

    def current(self) -> Model | None:
        return self._model


def test_the_model_that_writes_is_shown_and_asked(ours: Web, app: Flask) -> None:
    assert (
        "The built-in writer needs no AI model. The server admin can connect any "
        "OpenAI-compatible model." in ours.get(f"{PAGE}?alone=1").text
    )
    assert ours.post(f"{PAGE}/-/model").status_code == 409
    model = Model()
    ports.models.connect(OneModel(model))  # type: ignore[arg-type]
    must_have(ours.get(f"{PAGE}?alone=1"), "quill-8b", "Not used yet")
    assert "The model answers." in ours.post(f"{PAGE}/-/model", htmx=True).text
    model.failure = "it rejected the key"
    ours.post(f"{PAGE}/-/model")
    assert "it rejected the key" in ours.get(f"{PAGE}?alone=1").text


def test_what_it_cost_is_shown_to_the_cent_or_closer(ours: Web, live: Workspace, finder: Finder) -> None:
    connect(ours)
    for spent, shown in ((0, "$0.00"), (10_000, "$0.01"), (4_200, "$0.0042"), (1_234_567_890, "$1,234.57")):
        with transaction():
            session().query(ServiceLogin).update({"used_on": services.today(live), "used": 1, "spent": spent})
        assert f"1 call, {shown}" in ours.get("/settings/connections").text


@pytest.mark.parametrize("service", ["cal", "calendly"])
def test_the_card_shows_the_address_to_paste_and_never_the_secret(live: Workspace, ours: Web, service: str) -> None:
    address = f"/hooks/meetings/{service}/{live.id}"
    assert address in ours.get("/settings/connections").text
    refused = ours.post(f"/settings/services/{service}", secret="short")
    assert (refused.status_code, "at least 16 characters" in refused.text) == (422, True)
    assert ours.post(f"/settings/services/{service}", secret=SECRET).status_code == 303
    must_have(ours.get("/settings/connections"), address, without=SECRET)
