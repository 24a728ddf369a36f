"""Plays on their pages: read, judged, changed by asking and by hand, kept as templates, launched and stopped."""

import re

import pytest
from selectolax.parser import HTMLParser

from app.core.db import end_read, session, transaction
from app.domain.autopilot import play_build, plays, serialization, setup, templates
from app.models.autopilot import Play
from app.models.workspaces import Workspace
from app.ports.writer import Made, Written
from tests.domain.autopilot.writers import with_model
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
    assert sample.reason.partition(": ")[2][1:] in page.replace("&#39;", "'")
    must_have(page, f"<mark>{sample.found['first_name']}</mark>", "Approve and continue", without="{{first_name")
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
    page = web.get(f"/plays/{play.id}?person={first.id}").text
    must_have(page, "1 good, 0 not", f"More: {first.found['title']}", ">Undo</button>", without="Fewer: ")
    web.post(f"/plays/{play.id}/people/{first.id}", fit="")
    assert "More: " not in web.get(f"/plays/{play.id}").text
    assert plays.get(acme, play.id)[1][0].fit == ""


def test_one_button_approves_and_goes_on_and_a_menu_holds_what_is_rare(web: Web, acme: Workspace, play: Play) -> None:
    page, following = web.get(f"/plays/{play.id}").text, setup.view(acme).plays[1].id
    must_have(page, "Approve and continue", 'popovertarget="more"', without="No credits")
    menu, dock = (HTMLParser(page).css_first(part) for part in ("#more", ".dock"))
    assert menu is not None
    assert dock is not None
    must_have(menu.html or "", f"/plays/{play.id}/sequence", "Save as template", f'name="next" value="{following}"')
    assert len(dock.css(".btn.primary")) == 1, "one decision"
    assert web.post(f"/plays/{play.id}/approve", next=following).headers["Location"] == f"/plays/{following}"


def test_each_message_says_who_wrote_it_on_which_facts_and_at_what_cost(web: Web, acme: Workspace, play: Play) -> None:
    """Until a person edits it; and why a model's words did not pass."""
    note, first = [step for step in again(acme, play).steps if step.get("text")][:2]
    with transaction():
        found = session().get_one(Play, play.id)
        kept = serialization.steps_of(found.steps)
        made = {
            note["id"]: Made("built-in", why="it asks 2 questions."),
            first["id"]: Made("big", ("We repair pumps.",), 812),
        }
        play_build.put_steps(found, serialization.steps_json(kept), Written("big", "", made))
    page = web.get(f"/plays/{play.id}").text
    must_have(page, "by big from 1 fact", "<li>We repair pumps.</li>", "failed our checks: it asks 2 questions.")
    with transaction():
        found = session().get_one(Play, play.id)
        found.steps = [{**step, "text": "Hello."} if step["id"] == first["id"] else step for step in found.steps]
    assert "By big" not in web.get(f"/plays/{play.id}").text


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
    first, second = (f'"{play.steps[place]["id"]}"' for place in (0, 1))  # not two letters of a token
    assert moved.index(second) < moved.index(first)
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


def test_a_play_older_than_the_profile_is_written_again(web: Web, acme: Workspace, play: Play) -> None:
    says = "Written before you corrected your profile."
    assert says not in web.get(f"/plays/{play.id}").text
    setup.save(acme, profile={"pitch": "We make rubber ducks."})
    for path in ("/plays", "/autopilot/plays", f"/plays/{play.id}"):
        must_have(web.get(path), says, "Rewrite")
    here = f"/plays/{play.id}/write-again"
    assert web.get(here).headers["Location"] == f"/plays/{play.id}"
    assert web.post(here).headers["Location"] == here
    page = web.get(here).text
    must_have(page, "rubber ducks", "Use these messages")
    assert again(acme, play).steps == play.steps
    web.post(f"{here}/use", step=re.findall(r'name="step" value="([^"]+)"', page))
    must_have(web.get(f"/plays/{play.id}"), "rubber ducks", "Undo", without=says)
    web.post(f"/plays/{play.id}/change/undo")
    assert again(acme, play).steps == play.steps
    must_have(web.get(f"/plays/{play.id}"), says)
    web.post(f"/plays/{play.id}/approve")
    web.post(f"/plays/{play.id}/launch", approval="1")
    work()
    must_have(web.get(f"/campaigns/{again(acme, play).campaign_id}"), says, f"/plays/{play.id}")


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
    must_have(web.get("/autopilot/launch"), "connect a people search", without="People found for this play")
    page = web.get(f"/plays/{play.id}")
    must_have(page, "Made-up people", "For one of your lists", without=("Sample people", "Your votes improve"))
    must_have(web.get("/autopilot/plays"), "For one of your lists")
    assert web.post("/autopilot/launch", **{f"list-{play.id}": "x"}).status_code == 409
    assert web.post("/autopilot/launch", **{f"list-{play.id}": str(own)}).headers["Location"] == "/autopilot/launched"
    work()
    assert (again(acme, play).status, again(acme, play).list_id) == ("running", own)


def test_a_start_that_is_no_moment_is_refused(web: Web, acme: Workspace, play: Play) -> None:
    acme.timezone = "America/New_York"
    session().commit()
    for moment in ["9999-12-31T23:59", "0001-01-01T00:00"]:  # no clock of another time zone could show it
        answer = web.post(f"/plays/{play.id}/launch", startAt=moment)
        assert answer.status_code == 303
        assert "Enter a date and a time." in web.get(answer.location).text
        assert again(acme, play).launched_at is None


def test_a_change_is_seen_before_and_after_then_used_and_taken_back(web: Web, acme: Workspace, play: Play) -> None:
    """With and without scripts; words of one's own have a field only with a model, and the page says so."""
    page = web.get(f"/plays/{play.id}").text
    must_have(page, ">Shorter</button>", "Your own instructions need an AI model", without='id="ask"')
    assert web.post(f"/plays/{play.id}/ask", text="No email").headers["Location"] == f"/plays/{play.id}?person="
    page = web.get(f"/plays/{play.id}").text
    must_have(page, "Before and after. Nothing has changed yet.", "<del>", ">Use</button>", ">Discard</button>")
    must_have(page, "used or discarded “No email” yet", ">Use the change and approve<", ">Approve without the change<")
    for change, channel in (("leave", "social_email"), ("use", "social")):
        web.post(f"/plays/{play.id}/ask", text="No email")
        web.post(f"/plays/{play.id}/approve", change=change)
        assert (again(acme, play).channel, again(acme, play).approved_at is not None) == (channel, True)
    web.post(f"/plays/{play.id}/change/undo")
    web.post(f"/plays/{play.id}/ask", text="No email")
    used = web.post(f"/plays/{play.id}/change/use", htmx=True)
    must_have(used, 200, "dropped.", ">Undo</button>", without="<html")
    assert again(acme, play).channel == "social"
    assert web.post(f"/plays/{play.id}/change/undo").status_code == 303
    assert again(acme, play).steps == play.steps
    added = {"change": "with_sentence", "step": "3", "added": "we also answer on Sundays"}
    must_have(web.post(f"/plays/{play.id}/ask", added, htmx=True), 200, "<ins>We also answer on Sundays.</ins>")
    web.post(f"/plays/{play.id}/change/use")
    assert "We also answer on Sundays." in again(acme, play).steps[2]["text"]
    must_have(web.get(f"/plays/{play.id}"), ">Remove sentence</button>", ">Add sentence</button>")
    gone = {"change": "without_sentence", "sentence": "We also answer on Sundays."}
    must_have(web.post(f"/plays/{play.id}/ask", gone, htmx=True), 200, "<del>We also answer on Sundays.</del>")
    assert "Nothing changed." in web.post(f"/plays/{play.id}/change/leave", htmx=True).text
    must_have(web.post(f"/plays/{play.id}/ask", change="with_sentence", added=" "), 422, "Write or choose a sentence.")


def test_with_a_model_there_is_a_field_for_any_words(web: Web, acme: Workspace, play: Play) -> None:
    with_model()
    must_have(web.get(f"/plays/{play.id}").text, 'id="ask"', without="Your own instructions need")
    must_have(web.post(f"/plays/{play.id}/ask", text="x" * 2001), 422, "x" * 2001)
    web.post(f"/plays/{play.id}/ask", text="As a limerick")
    early = web.post(f"/plays/{play.id}/ask", text="As a sonnet")
    must_have(early, 409, "The play is already being changed. Wait for that change, then ask again.")
    assert re.search(r"<textarea[^>]*>\s*As a sonnet</textarea>", early.text)
