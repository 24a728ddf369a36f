"""Settings → Writer: who writes, how fast and at what cost; only server admins change it, and no key comes back."""

from collections.abc import Iterator

import pytest
from flask import Flask

from app import ports, providers
from app.core.db import end_read
from app.domain.platform import jobs, model_choice, model_meter
from app.models.workspaces import Workspace
from app.ports import ModelServer, Speed
from tests.pages.conftest import Web, must_have
from tests.providers.scripted_model import NAME, Character, ScriptedModel

PAGE = "/settings/writer"
KEY = "sk-very-secret"


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    """A model server that speaks both protocols."""
    running = ScriptedModel()
    yield running
    running.stop()


def kept(url: str = "https://models.example/v1") -> int:
    """The id of a model that writes."""
    made = model_choice.keep(ModelServer("OpenAI-compatible", url, ("big",)), "big", KEY, Speed(4, 300, 30))
    end_read()
    return made.id


def test_without_a_model_the_built_in_writer_writes(web: Web, acme: Workspace) -> None:
    must_have(web.get(PAGE), "Built-in writer", "Set up a model")
    assert f'href="{PAGE}"' in web.get("/settings").text


def test_a_model_at_an_address_is_set_up_measured_and_switched_off(
    web: Web, acme: Workspace, model: ScriptedModel
) -> None:
    assert web.post(PAGE, url=model.url, key=KEY, name="").status_code == 303
    waiting = web.get(PAGE).text
    must_have(waiting, f"Measuring {NAME}", 'hx-trigger="every 2s"')
    jobs.run_due()
    page = web.get(PAGE).text
    must_have(page, NAME, "Stored encrypted", "tokens a second", "Free on your own machine", "20 s for any question")
    must_have(page, "Messages, pitches and details", "6 of 6 test messages passed all checks.")
    assert KEY not in waiting + page
    web.post(f"{PAGE}/test")
    assert "works and answers" in web.get(PAGE).text
    made = model_choice.every()[0].id
    web.post(f"{PAGE}/{made}/off")
    off = web.get(PAGE).text
    assert "is switched off" in off
    assert f"{PAGE}/{made}/on" in off  # to undo it
    assert ports.writer().name == "built-in"
    web.post(f"{PAGE}/{made}/on")
    assert ports.writer().name == NAME
    web.post(f"{PAGE}/{made}/off")
    web.post(f"{PAGE}/{made}/remove")
    assert list(model_choice.every()) == []


def test_what_is_wrong_stands_at_its_field_and_the_models_are_offered(
    web: Web, acme: Workspace, model: ScriptedModel
) -> None:
    refused = web.post(PAGE, url="http://127.0.0.1:9/v1", key=KEY, name="")
    must_have(refused, 422, "No OpenAI-compatible service answers", without=KEY)
    offered = web.post(PAGE, url=model.url, key="", name="other")
    must_have(offered, "This server has no such model", f'<option value="{NAME}"')


def test_a_model_that_does_not_work_says_why(web: Web, acme: Workspace) -> None:
    broken = ScriptedModel(Character.MALFORMED)
    web.post(PAGE, url=broken.url, key="", name="")
    jobs.run_due()
    page = web.get(PAGE).text
    broken.stop()
    must_have(page, "does not work: its answer was not usable", "Built-in writer", f"Measure {NAME} again")


def test_a_price_makes_a_cost(web: Web, acme: Workspace) -> None:
    made = kept()
    assert "Enter what its service charges" in web.get(PAGE).text
    assert web.post(f"{PAGE}/{made}/price", reading="much", writing="1").status_code == 422
    web.post(f"{PAGE}/{made}/price", reading="$2.50", writing="10")
    assert "Up to $0.04" in web.get(PAGE).text
    meter, full = model_meter.SharedMeter(), model_meter.full_name("https://models.example/v1", "big")
    meter.answered(full, 1234)
    assert "1\u202f234" in web.get(PAGE).text or "1,234" in web.get(PAGE).text
    for _ in range(model_meter.OPENS_AFTER):
        meter.failed(full)
        meter.heard(full, "it answered with an error (500)")
    assert "It failed 3 times in a row: it answered with an error (500)" in web.get(PAGE).text


def test_other_owners_see_who_writes_and_change_nothing(stranger: Web) -> None:
    made = kept()
    must_have(stranger.get(PAGE), "big", without=("models.example", '<form method="post" action="/settings/writer'))
    for path in ("", "/test", "/measure", *(f"/{made}/{do}" for do in ("off", "on", "measure", "remove", "price"))):
        assert stranger.post(f"{PAGE}{path}").status_code == 403
    assert ports.writer().name == "big"


def test_the_environment_decides_and_the_page_says_so(web: Web, acme: Workspace, app: Flask) -> None:
    named = {"OVERTURE_MODEL_URL": "http://box/v1", "OVERTURE_MODEL_NAME": "theirs", "OVERTURE_MODEL_KEY": KEY}
    try:
        providers.build({**app.config, **named})
        must_have(web.get(PAGE), "OVERTURE_MODEL_NAME name theirs", without=("Set up a model", KEY))
        assert web.post(PAGE, url="http://box/v1", key="", name="x").status_code == 409
    finally:
        providers.build(app.config)


def test_the_wizard_recommends_a_model_until_one_writes_or_it_is_dismissed(web: Web, acme: Workspace) -> None:
    must_have(web.get("/autopilot/business"), "An AI model can write, too")
    made = kept()
    assert "An AI model can write, too" not in web.get("/autopilot/business").text
    web.post(f"{PAGE}/{made}/off")
    assert "An AI model can write, too" in web.get("/autopilot/business").text
    assert web.post("/autopilot/model/dismiss").status_code == 303
    assert "An AI model can write, too" not in web.get("/autopilot/business").text
