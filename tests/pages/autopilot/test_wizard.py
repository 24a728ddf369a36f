"""The wizard: eight steps, each answer kept, each refusal a sentence beside what was typed."""

from collections.abc import Iterator

import pytest
from flask import Flask
from selectolax.parser import HTMLParser

from app import ports
from app.core.clock import Movable
from app.core.db import end_read
from app.domain.approvals import approvals
from app.domain.autopilot import plays, setup
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from app.pages.autopilot.wizard import SAMPLE
from tests.domain.autopilot.writers import Pages
from tests.pages.conftest import Web
from tests.support.receivers import Receiver

WORDS = {"description": SAMPLE}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A chat on this machine."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


def work() -> None:
    """Everything that runs in the background is done."""
    end_read()
    while jobs.run_due():
        pass


def understood(web: Web) -> None:
    """The sample business is described and understood."""

    assert web.post("/autopilot/business", WORDS).status_code == 303
    work()


def aimed(web: Web, acme: Workspace) -> None:
    """A customer type is chosen and whom to reach is worked out."""
    understood(web)

    chosen = setup.view(acme).setup.customer_types[0]["id"]
    assert web.post("/autopilot/customers", customerTypeId=chosen).headers["Location"] == "/autopilot/targeting"
    work()


def designed(web: Web, acme: Workspace) -> None:
    """The plays are there and built."""
    aimed(web, acme)

    web.post("/autopilot/targeting", _form(acme), do="next")
    answer = web.post("/autopilot/reach", channel="social_email", country="Germany", offer="call")
    assert answer.headers["Location"] == "/autopilot/plays"
    work()


def _form(acme: Workspace) -> dict[str, object]:
    """The targeting form as the page sends it back untouched."""
    targets = setup.view(acme).setup.targets or {}
    form: dict[str, object] = {"summary": targets["summary"], "better": targets["evenBetter"]}
    for row in targets["rows"]:
        form[f"all.{row['key']}"] = [chip["label"] for chip in row["chips"]]
        form[row["key"]] = [chip["label"] for chip in row["chips"] if chip["on"]]
    return form


def test_the_wizard_goes_from_description_to_launched_campaign(web: Web, acme: Workspace) -> None:
    """From a description to a launched campaign, by forms alone."""
    assert web.get("/autopilot").headers["Location"] == "/autopilot/business"
    designed(web, acme)
    first = plays.every(acme)[0]
    assert web.post(f"/plays/{first.id}/approve").headers["Location"] == "/autopilot/sources"
    assert web.post("/autopilot/sources").headers["Location"] == "/autopilot/alerts"
    answer = web.post("/autopilot/alerts", {"kind": "email", "target.email": "ada@acme.example"})
    assert answer.headers["Location"] == "/autopilot/launch"
    page = web.get("/autopilot/launch").text
    assert "Launch in sandbox" in page
    assert first.name in page
    assert web.post("/autopilot/launch", approval="1").headers["Location"] == "/autopilot/launched"
    work()
    page = web.get("/autopilot/launched").text
    assert "Your campaign is live" in page
    assert ("Review drafts" in page) == bool(approvals.count(acme))  # offered only where there are some
    assert web.get("/autopilot").headers["Location"] == "/plays"
    assert setup.view(acme).setup.status == "active"
    assert web.get("/autopilot/launch").headers["Location"] == "/autopilot/launched"  # nothing is missing any more
    assert "This play has a campaign." in web.get(f"/plays/{first.id}").text


def test_a_step_is_done_once_someone_was_there(web: Web, acme: Workspace) -> None:
    """An approved play opens all steps; the optional ones have no tick for that."""
    designed(web, acme)
    web.post(f"/plays/{plays.every(acme)[0].id}/approve")
    assert (ticked(web, "/autopilot/sources", "Plays"), ticked(web, "/autopilot/sources", "Alerts")) == (True, False)
    web.post("/autopilot/sources")
    assert ticked(web, "/autopilot/alerts", "Data sources")
    web.post("/autopilot/alerts", {"kind": "email", "target.email": "ada@acme.example"})
    assert ticked(web, "/autopilot/launch", "Alerts")


def ticked(web: Web, path: str, title: str) -> bool:
    """Whether the rail says that the step is done."""
    (step,) = [one for one in HTMLParser(web.get(path).text).css(".stepper li") if title in one.text()]
    return "done" in (step.attributes["class"] or "")


def test_where_the_profile_comes_from_is_said(web: Web, acme: Workspace) -> None:
    """A website that could not be read is not named as the source."""
    ports.site_reader.connect(Pages(failure=ports.ProviderError("The host name does not exist.")))
    web.post("/autopilot/business", website="kilnworks.example")
    work()
    web.post("/autopilot/business", WORDS)
    work()
    page = web.get("/autopilot/business").text
    assert "We wrote this from your description." in page
    ports.site_reader.connect(Pages())
    web.post("/autopilot/business", website="tidemark.example")
    work()
    assert "We wrote this from tidemark.example." in web.get("/autopilot/business").text


def test_the_launch_page_promises_no_day(web: Web, acme: Workspace) -> None:
    """When replies come says the campaign's own forecast."""
    designed(web, acme)
    web.post(f"/plays/{plays.every(acme)[0].id}/approve")
    assert "day 3" not in web.get("/autopilot/launch").text


def test_what_is_missing_is_said_and_what_was_typed_stays(web: Web) -> None:
    answer = web.post("/autopilot/business", website="not a website")
    assert answer.status_code == 422
    assert 'value="not a website"' in answer.text
    assert "Enter a website address" in answer.text
    assert web.post("/autopilot/business", website="").status_code == 422


def test_progress_is_shown_until_there_is_nothing_more_to_wait_for(web: Web) -> None:
    web.post("/autopilot/business", WORDS)
    waiting = web.get("/autopilot/business", htmx=True).text
    assert 'hx-trigger="every 1s"' in waiting
    assert "Reading your description" in waiting
    work()
    ready = web.get("/autopilot/business", htmx=True).text
    assert "hx-trigger" not in ready
    assert "Looks right" in ready
    assert "<html" not in ready


def test_the_profile_can_be_corrected(web: Web, acme: Workspace) -> None:
    understood(web)
    answer = web.post("/autopilot/business/profile", business="", summary="In short")
    assert answer.status_code == 422
    assert "In short" in answer.text
    assert web.post("/autopilot/business/profile", business="We do this.", summary="In short").status_code == 303
    assert (setup.view(acme).setup.profile or {})["business"] == "We do this."


def test_a_stage_can_be_stopped(web: Web, acme: Workspace) -> None:
    web.post("/autopilot/business", WORDS)
    assert web.post("/autopilot/stop").status_code == 303
    work()
    found = setup.view(acme).setup
    assert found.phase == ""
    assert found.profile is None
    assert "You stopped it" in web.get("/autopilot/business").text


def test_a_website_is_read_before_ones_eyes_until_another_is_wanted(web: Web, acme: Workspace, clock: Movable) -> None:
    """Which takes one form, and leads to the old address, with nothing that calls it a failure."""
    shown: list[str] = []

    def look() -> None:
        clock.forward(seconds=61)
        shown.append(web.get("/autopilot/business", htmx=True).text)
        if len(shown) == 2:
            answer = web.post("/autopilot/stop", website="tidemark.example")
            shown.append(web.get(answer.headers["Location"]).text)

    ports.site_reader.connect(Pages(look=look))
    web.post("/autopilot/business", website="tidemark.example")
    assert "0 s so far" in web.get("/autopilot/business").text
    work()
    first, second, after = shown
    assert "0 pages read, 1 min 1 s so far" in first
    assert "1 page read, 2 min 2 s so far" in second
    assert "Use a different website" in second
    assert 'value="tidemark.example"' in after
    assert 'hx-trigger="every' not in after
    assert "We couldn" not in after
    assert setup.view(acme).setup.profile is None


def test_steps_that_come_too_early_lead_back(web: Web, acme: Workspace) -> None:
    for slug in ("customers", "targeting", "reach", "plays", "sources", "alerts", "launch", "launched"):
        assert web.get(f"/autopilot/{slug}").status_code == 303, slug
    understood(web)
    assert web.get("/autopilot/customers").status_code == 200
    assert web.get("/autopilot/reach").status_code == 303
    assert web.post("/autopilot/customers", customerTypeId="nobody").status_code == 422


def test_chips_are_turned_off_added_and_kept(web: Web, acme: Workspace) -> None:
    aimed(web, acme)
    form = _form(acme)
    rows = (setup.view(acme).setup.targets or {})["rows"]
    off = next(chip["label"] for chip in rows[0]["chips"] if chip["on"])
    form["titles"] = [one for one in form["titles"] if one != off]  # type: ignore[attr-defined]
    form["add.location"] = "Norway, Sweden"
    answer = web.post("/autopilot/targeting", form, htmx=True)
    assert answer.status_code == 200
    targets = {row["key"]: row["chips"] for row in (setup.view(acme).setup.targets or {})["rows"]}
    assert {"label": off, "on": False} in targets["titles"]
    assert [chip for chip in targets["location"] if chip["on"]][-2:] == [
        {"label": "Norway", "on": True},
        {"label": "Sweden", "on": True},
    ]


def test_a_suggestion_goes_into_the_summary(web: Web, acme: Workspace) -> None:
    aimed(web, acme)
    better = (setup.view(acme).setup.targets or {})["evenBetter"]
    web.post("/autopilot/targeting", _form(acme), do="better:0")
    targets = setup.view(acme).setup.targets or {}
    assert better[0] in targets["summary"]
    assert targets["evenBetter"] == better[1:]


def test_no_one_matches_and_the_cheapest_way_out_is_named(web: Web, acme: Workspace) -> None:
    aimed(web, acme)
    form = _form(acme)
    form["titles"], form["all.titles"], form["add.titles"] = [], [], "Xylophone tuner of the court"
    page = web.post("/autopilot/targeting", form, htmx=True).text
    assert "No one matches all of this. Without" in page
    assert "titles" in page


def test_an_offer_in_words_needs_words(web: Web, acme: Workspace) -> None:
    aimed(web, acme)
    web.post("/autopilot/targeting", _form(acme), do="next")
    answer = web.post("/autopilot/reach", channel="social", country="", offer="other", offerText="")
    assert answer.status_code == 422
    assert "Describe your offer." in answer.text


def test_sources_are_tried_and_never_echoed(web: Web, acme: Workspace) -> None:
    designed(web, acme)
    refused = web.post("/autopilot/sources/analytics", apiKey="phx_invalid_secret", region="eu", projectId="")
    assert refused.status_code == 422
    assert "phx_invalid_secret" not in refused.text
    assert web.post("/autopilot/sources/payments", restrictedKey="rk_test_1").status_code == 303
    page = web.get("/autopilot/sources").text
    assert "former customers" in page
    assert "rk_test_1" not in page
    assert web.post("/autopilot/sources/payments/disconnect").status_code == 303
    assert "Connect Stripe" in web.get("/autopilot/sources").text


def test_a_chat_is_shown_masked_and_kept_when_left_alone(web: Web, acme: Workspace, app: Flask) -> None:
    designed(web, acme)
    secret = "https://hooks.slack.com/services/T0/B0/secret-part"
    web.post("/autopilot/alerts", {"kind": "chat", "target.chat": secret})
    page = web.get("/autopilot/alerts").text
    assert "secret-part" not in page
    shown = (setup.view(acme).setup.alerts or {})["target"]
    web.post("/autopilot/alerts", {"kind": "chat", "target.chat": shown, "replies": "1"})
    found = setup.view(acme).setup
    assert found.alerts == {"kind": "chat", "target": shown, "replies": True}
    assert found.alerts_sealed


def test_when_alerts_are_sent_and_what_became_of_the_last(web: Web, acme: Workspace, receiver: Receiver) -> None:
    """The times are kept and shown, wrong ones named; the test button tells what really happened."""
    designed(web, acme)
    form = {"kind": "chat", "target.chat": receiver.url, "digest": "daily", "quietHours.start": "22:00"}
    refused = web.post("/autopilot/alerts", form)
    assert refused.status_code == 422
    assert "Enter a time such as 22:00 for both start and end, or for neither." in refused.text
    form |= {"quietHours.end": "07:30", "do": "test"}
    receiver.answer = lambda request: 404
    assert web.post("/autopilot/alerts", form).status_code == 303
    page = web.get("/autopilot/alerts").text
    assert 'value="daily" selected' in page
    assert 'value="07:30"' in page
    assert "Alerts are not being delivered." in page
    assert "know this address (" in page
    receiver.answer = lambda request: 200
    web.post("/autopilot/alerts", form | {"target.chat": ""})
    page = web.get("/autopilot/alerts").text
    assert "received the alert" in page
    assert "Alerts are not being delivered." not in page


@pytest.mark.parametrize("path", ["/autopilot/business", "/autopilot/customers", "/plays"])
def test_a_stranger_sees_their_own_setup(visitor: Web, web: Web, acme: Workspace, rival: Workspace, path: str) -> None:
    understood(web)
    visitor.sign_in("rob@rival.example")
    answer = visitor.get(path)
    assert "Tidemark" not in answer.text


def test_what_is_sold_has_to_be_said_and_a_change_is_shown_first(web: Web, acme: Workspace) -> None:
    """An empty answer is refused with the question; a preview changes nothing; the owner's words stay."""
    understood(web)
    refused = web.post("/autopilot/business/profile", sells="  ")
    assert (refused.status_code, "We could not tell what you sell" in refused.text) == (422, True)
    shown = web.post("/autopilot/business/profile", sells="rubber ducks", do="preview")
    assert "rubber ducks" in shown.text
    assert "This is what changes." in shown.text
    kept = setup.view(acme).setup.profile
    assert kept is not None
    assert kept["sells"] != "rubber ducks"
    known = {"sells": "rubber ducks", "for": "hotels, spas", "examples": "Acme, Beta"}
    assert web.post("/autopilot/business/profile", known).status_code == 303
    work()
    found = setup.view(acme).setup
    assert found.profile is not None
    assert (found.profile["sells"], found.profile["audience"]) == ("rubber ducks", "hotels, spas")
    assert found.customer_types[0]["title"] == "Companies like Acme and Beta"
