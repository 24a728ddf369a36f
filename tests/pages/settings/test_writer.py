"""Settings → Writer: who writes, and what it took so far; only server admins change it, and no key comes back."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports, providers
from app.core.actor import spender
from app.core.db import end_read
from app.domain.platform import jobs, model_choice, model_meter
from app.models.workspaces import Workspace
from app.ports import ModelServer
from app.ports.models import WRITER, Probe
from tests.pages.conftest import Web, must_have
from tests.providers.scripted_model import NAME, Character, ScriptedModel
from tests.support.movable import Movable

PAGE = "/settings/writer"
KEY = "sk-very-secret"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model server that speaks both protocols."""
    running = ScriptedModel()
    yield running
    running.stop()


def kept(url: str = "https://models.example/v1") -> None:
    model_choice.keep(ModelServer("OpenAI-compatible", url, ("big",)), "big", KEY, Probe(WRITER))
    end_read()


def test_a_model_at_an_address_is_set_up_tested_and_removed(web: Web, acme: Workspace, model: ScriptedModel) -> None:
    assert web.post(PAGE, url=model.url, key=KEY, name="").status_code == 303
    waiting = web.get("/settings/connections").text
    must_have(waiting, f"Testing {NAME}", 'hx-trigger="every 2s"')
    jobs.run_due()
    page = web.get("/settings/connections").text
    must_have(
        page, NAME, "Stored encrypted", "Messages, pitches and details", "6 of 6 test messages passed all checks."
    )
    assert KEY not in waiting + page
    web.post(f"{PAGE}/test")
    must_have(web.get("/settings/connections"), f"Testing {NAME}", "The model stays in use")
    jobs.run_due()
    assert ports.writer().name == NAME
    web.post(f"{PAGE}/remove")
    assert ports.writer().name == "built-in"
    assert model_choice.active() is None


def test_what_is_wrong_stands_at_its_field_and_the_models_are_offered(
    web: Web, acme: Workspace, model: ScriptedModel
) -> None:
    refused = web.post(PAGE, url="http://127.0.0.1:9/v1", key=KEY, name="")
    must_have(refused, 422, "No OpenAI-compatible service responds", without=KEY)
    offered = web.post(PAGE, url=model.url, key="", name="other")
    must_have(offered, "The service doesn&#39;t have this model", f'<option value="{NAME}"')


def test_a_model_that_does_not_work_says_why_and_can_be_removed(web: Web, acme: Workspace) -> None:
    broken = ScriptedModel(Character.MALFORMED)
    web.post(PAGE, url=broken.url, key="", name="")
    jobs.run_due()
    page = web.get("/settings/connections").text
    broken.stop()
    must_have(page, "is not working: its response was not usable", "Built-in writer", f'value="{broken.url}"')
    web.post(f"{PAGE}/remove")
    assert model_choice.candidate() is None


def test_the_page_shows_what_it_took_so_far_and_why_it_rests(web: Web, acme: Workspace, clock: Movable) -> None:
    kept()
    meter, full = model_meter.SharedMeter(), model_meter.full_name("https://models.example/v1", "big")
    paid_by = spender.set(acme.id)
    meter.answered(full, 1234)
    clock.forward(days=1)
    meter.answered(full, 10)
    spender.reset(paid_by)
    page = web.get("/settings/connections").text.replace("\u202f", ",")
    must_have(page, "1,244 tokens", "10 of 500,000 tokens")
    for _ in range(model_meter.OPENS_AFTER):
        meter.failed(full)
        meter.heard(full, "it returned an error (500)")
    assert "The model failed 3 times in a row: it returned an error (500)" in web.get("/settings/connections").text


def test_other_owners_see_who_writes_and_change_nothing(stranger: Web) -> None:
    kept()
    must_have(
        stranger.get(f"{PAGE}?alone=1"),
        "big",
        without=("models.example", '<form method="post" action="/settings/writer'),
    )
    for path in ("", "/test", "/remove"):
        assert stranger.post(f"{PAGE}{path}").status_code == 403
    assert ports.writer().name == "big"


def test_the_environment_decides_and_the_page_says_so(web: Web, acme: Workspace, app: Flask) -> None:
    named = {"OVERTURE_MODEL_URL": "http://box/v1", "OVERTURE_MODEL_NAME": "theirs", "OVERTURE_MODEL_KEY": KEY}
    try:
        providers.build({**app.config, **named})
        must_have(
            web.get("/settings/connections"), "OVERTURE_MODEL_NAME select theirs", without=("Set up a model", KEY)
        )
        assert web.post(PAGE, url="http://box/v1", key="", name="x").status_code == 409
    finally:
        providers.build(app.config)


def test_the_wizard_recommends_a_model_until_one_writes_or_it_is_dismissed(web: Web, acme: Workspace) -> None:
    must_have(web.get("/autopilot/business"), "Write with an AI model")
    kept()
    assert "Write with an AI model" not in web.get("/autopilot/business").text
    web.post(f"{PAGE}/remove")
    assert "Write with an AI model" in web.get("/autopilot/business").text
    assert web.post("/autopilot/model/dismiss").status_code == 303
    assert "Write with an AI model" not in web.get("/autopilot/business").text
