"""Tasks as pages: due on the home page, in conversations and on people's pages, with and without scripts."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.domain.leads import lists
from app.domain.people.exclusions import never_contact
from app.domain.tasks import referrals
from app.models.conversations import Conversation
from app.models.leads import Lead
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import a_campaign, forward
from tests.domain.tasks.test_referrals import TALK_TO_ANNA, all_of
from tests.domain.tasks.test_tasks import says, the_task
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable

LATER = "Not now, maybe later."


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    """Bo was written to and has not answered."""
    return a_talk(acme, "accepts-bo")


def falls_due(workspace: Workspace, clock: Movable) -> int:
    """The id of the one task, on its day."""
    task = the_task(workspace)
    clock.forward(seconds=(task.due_at - workspace.now()).total_seconds() + 60)
    return task.id


def test_a_day_is_corrected_and_removed_in_the_conversation(web: Web, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, LATER)
    task, here = the_task(acme), f"/conversations/{talk.id}"
    day = (acme.now() + timedelta(days=12)).date().isoformat()
    saved = web.post(f"/tasks/{task.id}/later", until=day, next=here)
    assert (saved.status_code, saved.headers["Location"]) == (303, here)
    must_have(web.get(here), f'value="{day}"', without="a guess")
    web.post(f"/tasks/{task.id}/later", until="2001-01-01", next=here)
    assert "Choose a day after today" in web.get(here).text
    web.post(f"/tasks/{task.id}/remove", next=here)
    assert "Contact again on" not in web.get(here).text


def test_home_and_the_inbox_show_what_is_due(web: Web, acme: Workspace, clock: Movable, talk: Conversation) -> None:
    says(acme, talk, LATER)
    assert "asked to be contacted again" not in web.get("/").text
    assert "asked to be contacted again" in web.get("/tasks").text
    task_id = falls_due(acme, clock)
    must_have(web.get("/"), "asked to be contacted again", f'href="/conversations/{talk.id}"')
    assert f"/tasks/{task_id}/done" in web.get(f"/conversations/{talk.id}").text
    assert "Tasks due: 1" in web.get("/conversations").text
    done = web.post(f"/tasks/{task_id}/done", next="/tasks", card="1", htmx=True)
    must_have(done, 'id="tasks-due"', f"/tasks/{task_id}/reopen", without="asked to be contacted again")
    assert web.post(f"/tasks/{task_id}/reopen?next=/").headers["Location"] == "/"
    assert "asked to be contacted again" in web.get("/").text


def test_a_named_contact_is_added_from_the_conversation(web: Web, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, "Please talk to Anna Schmidt instead.")
    (referral,) = all_of(acme)
    list_id, here = lists.create_list(acme, "Named").id, f"/conversations/{talk.id}"
    assert "They referred you to" in web.get(here).text
    assert 'value="Anna"' in web.get(f"/tasks/referrals/{referral.id}?next={here}").text
    wrong = web.post(f"/tasks/referrals/{referral.id}", firstName="Annabel", list=list_id, next=here)
    must_have(wrong, 422, "Enter an email address or a profile link.", 'value="Annabel"')
    fields = {"firstName": "Anna", "lastName": "Schmidt", "email": "anna@wool.example", "list": list_id}
    assert web.post(f"/tasks/referrals/{referral.id}", {**fields, "next": here}).headers["Location"] == here
    assert "They referred you to" not in web.get(here).text
    (known,) = referrals.of_person(acme, talk.person_id)
    assert "Referred by" in web.get(f"/people/{known.named_lead_id}").text
    assert "Anna Schmidt" in web.get(f"/people/{known.by_lead_id}").text


def test_a_contact_is_not_added_without_a_list(web: Web, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, TALK_TO_ANNA)
    (referral,) = all_of(acme)
    assert web.post(f"/tasks/referrals/{referral.id}", email="anna@wool.example").status_code == 422


def test_a_contact_who_may_not_be_contacted_is_refused_with_the_reason(
    web: Web, acme: Workspace, talk: Conversation
) -> None:
    says(acme, talk, TALK_TO_ANNA)
    (referral,) = all_of(acme)
    never_contact.add(acme, ["anna@wool.example"])
    fields = {"firstName": "Anna", "email": "anna@wool.example", "list": lists.create_list(acme, "Named").id}
    must_have(web.post(f"/tasks/referrals/{referral.id}", fields), 422, "do-not-contact list")


def test_marks_are_set_and_undone_on_both_pages(web: Web, acme: Workspace, talk: Conversation) -> None:
    here, mark = f"/conversations/{talk.id}", f"/tasks/people/{talk.person_id}"
    assert "Replied elsewhere" in web.get(f"/people/{talk.lead_id}").text
    assert web.post(f"{mark}/answer", answer="met", next=here).headers["Location"] == here
    must_have(web.get(here), "marked by", "Their campaigns have ended.", f"{mark}/undo")
    web.post(f"{mark}/undo", next=here)
    assert "marked by" not in web.get(here).text
    assert session().get_one(Person, talk.person_id, populate_existing=True).answer == ""
    web.post(f"{mark}/answer", answer="not_now", until="yesterday", next=here)
    assert "Choose a day after today" in web.get(here).text
    assert session().get_one(Person, talk.person_id, populate_existing=True).answer == ""


def test_other_sites_are_no_page_to_return_to(web: Web, acme: Workspace, talk: Conversation) -> None:
    says(acme, talk, LATER)
    assert web.post(f"/tasks/{the_task(acme).id}/done", next="https://evil.example/").headers["Location"] == "/tasks"


def test_one_press_decides_what_may_be_an_opt_out(web: Web, acme: Workspace, talk: Conversation) -> None:
    """The sentence stands with two buttons on the home page and in the conversation, with no other way out."""
    says(acme, talk, "Where did you get my address?")
    task, here = the_task(acme), f"/conversations/{talk.id}"
    buttons = (f"/tasks/{task.id}/opt-out", f"/tasks/{task.id}/keep", "Where did you get my address?")
    for page in ("/", "/tasks", here):
        must_have(web.get(page), *buttons, without=f"/tasks/{task.id}/done")
    kept = web.post(f"/tasks/{task.id}/keep", next="/tasks", card="1", htmx=True)
    must_have(kept, 'id="tasks-due"', without="may have opted out")
    web.post(f"/tasks/{task.id}/opt-out", next=here)
    assert "Already decided" in web.get(here).text
    assert never_contact.count(acme) == 0
    says(acme, talk, "This is spam.")
    web.post(f"/tasks/{the_task(acme).id}/opt-out", next=here)
    assert never_contact.count(acme) == 1


def test_a_task_is_made_on_a_persons_page(web: Web, acme: Workspace, talk: Conversation) -> None:
    """With the ways to reach them beside it; a day that is past is refused."""
    with transaction():
        session().get_one(Person, talk.person_id).phone = "+44 20 7946 0000"
    here = f"/people/{talk.lead_id}"
    web.post(f"/tasks/people/{talk.person_id}", text="Call about the offer.", next=here)
    web.post(f"/tasks/people/{talk.person_id}", text="Too late.", until="2001-01-01", next=here)
    must_have(web.get(here), "Call about the offer.", "tel:+442079460000", "Add task", without="Too late.")
    must_have(web.get("/tasks"), "Call about the offer.")
    must_have(web.get(f"/conversations/{talk.id}"), "To do: Call about the offer.")
    web.post(f"/tasks/{the_task(acme).id}/done", next="/tasks")
    must_have(web.get("/tasks"), without="Call about the offer.")


def test_a_campaign_step_is_done_by_hand_from_home(web: Web, acme: Workspace, clock: Movable) -> None:
    """The text to copy and the profile stand there; a day that is past is refused, and skipping moves the person on."""
    ada = {
        "publicId": "ignores-ada",
        "firstName": "Ada",
        "profileUrl": "https://network.example/in/ada",
        "phone": "+44 20 7946 0011",
    }
    kinds = ("linkedin_message", "call", "whatsapp", "post")
    a_campaign(acme, [ada], [{"type": "task", "taskType": kind, "message": f"Say {kind}"} for kind in kinds])
    forward(acme, hours=1)
    task = the_task(acme)
    must_have(web.get("/"), "LinkedIn message", "Say linkedin_message", "Copy and open profile", without="tel:")
    web.post(f"/tasks/{task.id}/done", outcome="Later", until="2001-01-01", next="/")
    must_have(web.get("/"), "Choose a day after today", "Say linkedin_message")
    web.post(f"/tasks/{task.id}/done", outcome="Sent.", next="/")
    forward(acme, hours=1)
    must_have(web.get("/tasks"), "tel:+442079460011", "Say call", without="Copy and open")
    web.post(f"/tasks/{the_task(acme).id}/skip", next="/tasks")
    forward(acme, hours=1)
    must_have(web.get("/tasks"), "https://wa.me/442079460011", "Copy and open WhatsApp", without="tel:")
    lead_id = session().scalars(sa.select(Lead.id)).one()
    must_have(web.get(f"/people/{lead_id}"), "skipped a task for Ada", "Sent.")
    web.post(f"/tasks/{the_task(acme).id}/done", outcome="No budget", result="not_interested", next="/tasks")
    must_have(web.get("/tasks"), "The campaign stopped for this person.", "No tasks due")
    must_have(web.get(f"/people/{lead_id}"), "Not interested: No budget")


def test_a_text_is_copied_and_the_profile_opened_with_a_public_id_alone(
    web: Web, acme: Workspace, clock: Movable
) -> None:
    step = {"type": "task", "taskType": "connection_request", "message": "Hello"}
    a_campaign(acme, [{"publicId": "grace-h", "email": "grace@navy.example"}], [step])
    forward(acme, hours=1)
    link = "https://www.linkedin.com/in/grace-h"
    must_have(web.get("/tasks"), f'href="{link}"', "Copy and open profile", without="No profile link")
    task = the_task(acme)
    must_have(web.get(f"/people/{session().scalars(sa.select(Lead.id)).one()}"), f'href="{link}"')
    person = session().get_one(Person, task.person_id)
    with transaction():
        person.public_id = ""
    must_have(web.get("/tasks"), "No profile link.", "<span>Copy</span>")
    later = (acme.now() + timedelta(days=20)).date()
    web.post(f"/tasks/{task.id}/done", result="no_answer", until=later.isoformat(), next="/tasks")
    must_have(web.get("/tasks"), "The campaign waits for the new task.")


def test_home_says_how_many_more_tasks_are_due(web: Web, acme: Workspace, clock: Movable) -> None:
    step = {"type": "task", "taskType": "call", "message": "Call"}
    a_campaign(acme, [f"ignores-{number}" for number in range(7)], [step])
    forward(acme, hours=2)
    must_have(web.get("/"), "Due: 2 more tasks", 'href="/tasks"')
