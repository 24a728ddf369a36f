"""Plays on their pages: read, judged, changed by asking and by hand, kept as templates, launched and stopped."""

import re

import pytest

from app.core.db import end_read, session, transaction
from app.domain.autopilot import plays, setup, templates
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list
from tests.pages.autopilot.test_wizard import designed, work
from tests.pages.conftest import Web, must_have


@pytest.fixture
def play(web: Web, acme: Workspace) -> Play:
    """The best play, ready to be reviewed."""
    designed(web, acme)
    return plays.every(acme)[0]


def again(acme: Workspace, play: Play) -> Play:
    """The play as it is now."""
    end_read()
    return plays.get(acme, play.id)[0]


def form_of(play: Play) -> dict[str, object]:
    """The steps as the editor sends them back untouched."""
    form: dict[str, object] = {"step": [str(index) for index in range(len(play.steps))]}
    for index, step in enumerate(play.steps):
        for name in ("id", "kind", "after", "text", "subject", "reaction"):
            form[f"{index}.{name}"] = step.get(name, "")
        form[f"{index}.delay.value"] = str(step["delay"]["count"])
        form[f"{index}.delay.unit"] = step["delay"]["unit"]
    return form


def test_a_play_shows_people_reasons_and_messages_and_keeps_votes(web: Web, acme: Workspace, play: Play) -> None:
    page = web.get(f"/plays/{play.id}").text
    sample = plays.get(acme, play.id)[1][0]
    assert sample.found["last_name"] in page
    assert sample.reason in page.replace("&#39;", "'")
    must_have(page, f"<mark>{sample.found['first_name']}</mark>", "Approve play", without="{{first_name")
    rows = web.get("/plays").text
    assert play.name in rows
    assert "Ready for review" in rows
    assert "<mark>{{first_name" in web.get(f"/plays/{play.id}?as=template").text
    second = plays.get(acme, play.id)[1][1]
    page = web.get(f"/plays/{play.id}?person={second.id}", htmx=True).text
    must_have(page, f'id="who">{second.found["first_name"]} {second.found["last_name"]}', without="<html")
    first = plays.get(acme, play.id)[1][0]
    answer = web.post(f"/plays/{play.id}/people/{first.id}", {"fit": "good", "person": first.id}, htmx=True)
    must_have(answer, 200, 'aria-pressed="true"')
    assert again(acme, play).working
    work()
    assert not again(acme, play).working
    assert "1 good fit, 0 not a fit" in web.get(f"/plays/{play.id}").text
    web.post(f"/plays/{play.id}/people/{first.id}", fit="")
    assert plays.get(acme, play.id)[1][0].fit == ""


def test_the_sequence_is_edited_by_hand_and_its_problems_stand_at_their_steps(
    web: Web, acme: Workspace, play: Play
) -> None:
    form, count = form_of(play), len(play.steps)
    added = web.post(f"/plays/{play.id}/sequence", form, do=f"add:{count}:email", htmx=True).text
    assert added.count('name="step"') == count + 1
    assert "<html" not in added
    assert web.post(f"/plays/{play.id}/sequence", form, do="remove:1").text.count('name="step"') == count - 1
    assert web.post(f"/plays/{play.id}/sequence", form, do="copy:2").text.count('name="step"') == count + 1
    moved = web.post(f"/plays/{play.id}/sequence", form, do="up:2").text
    assert moved.index(play.steps[1]["id"]) < moved.index(play.steps[0]["id"])
    assert len(again(acme, play).steps) == count
    form = form_of(play)
    number = next(index for index, step in enumerate(play.steps) if step["kind"] == "social")
    form[f"{number}.text"] = "Hi {{nonsense}}"
    form["0.delay.value"] = "soon"
    answer = web.post(f"/plays/{play.id}/sequence", form, do="save")
    must_have(answer, 422, "Hi {{nonsense}}")
    assert answer.text.count('class="error"') >= 2
    assert again(acme, play).steps == play.steps
    for odd in ["²", "9" * 5000]:
        form = form_of(play) | {"0.delay.value": odd[:6], "do": f"up:{odd}"}
        assert web.post(f"/plays/{play.id}/sequence", form).status_code == 200
        assert web.post(f"/plays/{play.id}/use", template=odd).status_code == 303
        assert again(acme, play).steps == play.steps
    form = form_of(play)
    number = next(index for index, step in enumerate(play.steps) if step["kind"] == "social")
    form[f"{number}.text"] = "Hi {{first_name|there}}, one question."
    assert web.post(f"/plays/{play.id}/sequence", form, do="save").headers["Location"] == f"/plays/{play.id}"
    assert again(acme, play).steps[number]["text"] == "Hi {{first_name|there}}, one question."


def test_a_play_becomes_a_template_is_set_aside_launched_and_stopped(web: Web, acme: Workspace, play: Play) -> None:
    web.post(f"/plays/{play.id}/template", name="Quiet start")
    (kept,) = templates.every(acme)
    assert "Quiet start" in web.get("/templates").text
    other = plays.every(acme)[1]
    web.post(f"/plays/{other.id}/use", template=str(kept.id))
    assert [step["kind"] for step in again(acme, other).steps] == [step["kind"] for step in play.steps]
    web.post(f"/templates/{kept.id}/delete")
    assert "No templates yet" in web.get("/templates").text
    assert web.post(f"/plays/{play.id}/skip").headers["Location"] == "/autopilot/plays"
    assert "Skipped" in web.get(f"/plays/{play.id}").text
    web.post(f"/plays/{play.id}/approve")
    assert web.post(f"/plays/{play.id}/launch", approval="1").status_code == 303
    work()
    running = again(acme, play)
    assert running.status == "running"
    assert f"/campaigns/{running.campaign_id}" in web.get(f"/plays/{play.id}").text
    web.post("/plays/pause")
    assert setup.view(acme).setup.status == "paused"
    web.post("/plays/resume")
    web.post(f"/plays/{play.id}/stop")
    assert again(acme, play).status == "stopped"


def test_a_play_can_go_to_an_own_list_instead(web: Web, acme: Workspace, play: Play) -> None:
    own = a_list(acme, ["accepts-ada", "accepts-bob"], "Friends")
    web.post(f"/plays/{play.id}/approve")
    must_have(web.get("/autopilot/launch"), f'name="list-{play.id}"', "People found for this play")
    with transaction():
        acme.sandbox = False
    must_have(web.get("/autopilot/launch"), "No people search is connected", without="People found for this play")
    assert web.post("/autopilot/launch", **{f"list-{play.id}": "x"}).status_code == 409
    assert web.post("/autopilot/launch", **{f"list-{play.id}": str(own)}).headers["Location"] == "/autopilot/launched"
    work()
    assert (again(acme, play).status, again(acme, play).list_id) == ("running", own)


def test_a_start_that_is_no_moment_and_a_wish_that_cannot_be_heard_are_refused(
    web: Web, acme: Workspace, play: Play
) -> None:
    acme.timezone = "America/New_York"
    session().commit()
    for moment in ["9999-12-31T23:59", "0001-01-01T00:00"]:  # no clock of another time zone could show it
        answer = web.post(f"/plays/{play.id}/launch", startAt=moment)
        assert answer.status_code == 303
        assert "Enter a date and a time." in web.get(answer.location).text
        assert again(acme, play).launched_at is None
    must_have(web.post(f"/plays/{play.id}/ask", text="x" * 2001), 422, "x" * 2001)
    web.post(f"/plays/{play.id}/ask", text="Drop the e-mail")
    early = web.post(f"/plays/{play.id}/ask", text="Less formal")
    must_have(early, 409, "The play is already being changed. Wait until it&#39;s done, then ask again.")
    assert re.search(r"<textarea[^>]*>\s*Less formal</textarea>", early.text)
