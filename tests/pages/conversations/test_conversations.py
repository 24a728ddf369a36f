"""The inbox and its conversations without scripts, and the pieces that htmx asks for."""

import re
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.clock import Movable
from app.core.db import session, transaction
from app.domain.conversations import threads
from app.domain.engine import manual_send
from app.domain.engine.manual import compose
from app.domain.exclusions import never_contact
from app.models.accounts import AccountStatus
from app.models.conversations import Conversation, Message
from app.models.workspaces import Membership, Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import a_talk, change, fresh_campaign, written
from tests.domain.outreach import INVITE, a_campaign, forward, message, only, takes_in, the_account
from tests.pages.conftest import Web

PEOPLE = ["replies-positive-ada", "replies-negative-bob", "replies-neutral-eve", "accepts-zoe"]


@pytest.fixture
def talk(acme: Workspace, clock: Movable) -> Conversation:
    """Ada has answered that she is interested."""
    return a_talk(acme)


@pytest.fixture
def many(acme: Workspace, clock: Movable) -> Workspace:
    """One conversation of each tone, and one without an answer."""
    a_campaign(acme, PEOPLE, [INVITE, message("Hello {{first_name|there}}")])
    forward(acme, days=3)
    return acme


def names(text: str) -> list[str]:
    """Whose rows are in the list."""
    return re.findall(r'class="nm trunc"[^>]*title="([^"]*)"', text)


def tabs(text: str) -> dict[str, tuple[str, int]]:
    """Each tab with its address and figure."""
    found = re.findall(r'<a href="([^"]+)"[^>]*>(\w+) <b>(\d+)</b>', text)
    return {label: (href.replace("&amp;", "&"), int(count)) for href, label, count in found}


def test_a_conversation_shows_thread_and_person_and_is_read_when_opened(
    web: Web, acme: Workspace, talk: Conversation
) -> None:
    """The list, the thread with its system lines, the person; opening it reads it."""
    page = web.get("/conversations")
    assert "Unread <b>1</b>" in page.text
    page = web.get(f"/conversations/{talk.id}")
    for words in ("Invitation sent", "Ada accepted the invitation", "Hello", "Finished", "Stop for this person"):
        assert (words in page.text) == (words != "Stop for this person"), words
    assert "<title>Ada – Conversations – Overture</title>" in page.text
    assert all_threads(acme)[0].unread == 0
    assert "Unread <b>0</b>" in web.get("/conversations").text


def test_every_tab_leads_to_as_many_as_it_says(web: Web, many: Workspace) -> None:
    found = tabs(web.get("/conversations").text)
    assert {label: count for label, (_, count) in found.items()} == {
        "Any": 3,
        "Positive": 1,
        "Neutral": 1,
        "Negative": 1,
        "Unread": 3,
    }
    for href, count in found.values():
        assert len(names(web.get(href).text)) == count
    page = web.get("/conversations")
    (href,) = re.findall(r'href="([^"]+)"[^>]*>Show 1 with no reply', page.text)
    assert names(web.get(href).text) == ["Zoe"]


def test_an_empty_inbox_says_one_thing(web: Web, many: Workspace) -> None:
    said = ("No conversations<", "All caught up", "Nothing here", "No matches", "No replies")
    for path in ("?view=done", "?view=reminded", "?view=done&tab=positive", "?q=xyz"):
        page = web.get(f"/conversations{path}").text
        assert sum(page.count(words) for words in said) == 1, path


def test_words_are_found_in_names_and_messages(web: Web, many: Workspace) -> None:
    assert names(web.get("/conversations?q=ada").text) == ["Ada"]
    assert names(web.get("/conversations?q=hello+bob").text) == ["Bob"]
    nothing = web.get("/conversations?q=%3Cxyz%3E")
    assert "No matches for “&lt;xyz&gt;”" in nothing.text
    assert names(web.get("/conversations?tab=what&sender=x&campaign=99999").text) == names("")


def test_a_long_list_comes_in_pages_that_repeat_nothing(web: Web, acme: Workspace, clock: Movable) -> None:
    account = the_account(acme)
    people = [f"person-{number}" for number in range(60)]
    for number, person in enumerate(people):
        clock.forward(minutes=1)
        takes_in(acme, account, Received(person, "message", "Hello", acme.now(), f"r{number}"))
    walked, path = [], "/conversations"
    while path:
        page = web.get(path, htmx="after=" in path).text
        walked += names(page)
        more = re.search(r'hx-get="([^"]*after=[^"]*)"', page)
        path = more[1].replace("&amp;", "&") if more else ""
    assert walked == people[::-1]


def test_the_oldest_first_is_a_view_like_another(web: Web, acme: Workspace, clock: Movable) -> None:
    """Page after page; the next conversation is the next of that order."""
    account = the_account(acme)
    people = [f"person-{number}" for number in range(30)]
    for number, person in enumerate(people):
        clock.forward(minutes=1)
        takes_in(acme, account, Received(person, "message", "Hello", acme.now(), f"r{number}"))
    first = web.get("/conversations?sort=oldest").text
    more = re.search(r'hx-get="([^"]*after=[^"]*)"', first)
    assert more
    assert names(first) + names(web.get(more[1].replace("&amp;", "&"), htmx=True).text) == people
    rows = re.findall(r'href="(/conversations/\d+)[^"]*sort=oldest', first)
    answer = web.post(f"{rows[0]}/done?sort=oldest")
    assert answer.headers["Location"].startswith(rows[1])
    saved = web.post(
        "/views", place="conversations", name="Waiting longest", query="sort=oldest", next="/conversations"
    )
    assert saved.headers["Location"] == "/conversations?sort=oldest"
    assert 'href="/conversations?sort=oldest" aria-current="true"' in web.get("/conversations?sort=oldest").text
    assert "Waiting longest" in web.get("/conversations?q=person").text


def test_an_answer_is_written_and_sent(web: Web, acme: Workspace, clock: Movable, talk: Conversation) -> None:
    """Without scripts: the form, a redirect, the pending bubble, the sent one."""
    answer = web.post(f"/conversations/{talk.id}/messages", text="Thank you.\nTuesday?", known=str(known(talk)))
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/conversations/{talk.id}#reply")
    page = web.get(f"/conversations/{talk.id}")
    assert "is-queued" in page.text
    assert "Queued, sends in a moment" in page.text
    manual_send.run_due()
    assert "is-queued" in web.get(f"/conversations/{talk.id}").text
    clock.forward(seconds=acme.undo_seconds)
    manual_send.run_due()
    page = web.get(f"/conversations/{talk.id}")
    assert "is-queued" not in page.text
    assert "Thank you.\nTuesday?" in page.text


def known(talk: Conversation) -> int:
    """The newest message they wrote."""
    return threads.last_inbound(talk.id)


def test_a_newer_message_keeps_the_text_and_says_so(web: Web, acme: Workspace, talk: Conversation) -> None:
    before = str(known(talk))
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    refused = web.post(f"/conversations/{talk.id}/messages", text="My long answer", known=before)
    assert refused.status_code == 409
    assert "Ada wrote while you were typing." in refused.text
    assert "My long answer</textarea>" in refused.text
    assert "One more thing" in refused.text
    assert written(acme) == []
    now = re.search(r'name="known" id="[^"]+" value="(\d+)"', refused.text)
    assert now is not None
    assert web.post(f"/conversations/{talk.id}/messages", text="My long answer", known=now[1]).status_code == 303
    assert "My long answer</textarea>" not in web.get(f"/conversations/{talk.id}").text


def test_what_cannot_be_sent_stays_in_the_form(web: Web, talk: Conversation) -> None:
    for text, words in (("", "Write a message."), ("x" * 8001, "Use at most 8,000 characters")):
        refused = web.post(f"/conversations/{talk.id}/messages", text=text)
        assert refused.status_code == 422
        assert words in refused.text
        assert 'aria-invalid="true"' in refused.text


def test_what_is_typed_is_there_again(web: Web, talk: Conversation) -> None:
    assert web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Half a sen").status_code == 200
    assert "Half a sen</textarea>" in web.get(f"/conversations/{talk.id}").text


def test_a_draft_that_comes_after_it_was_sent_is_not_kept(web: Web, talk: Conversation) -> None:
    """The browser saves a little late."""
    web.post(f"/conversations/{talk.id}/messages", text="Thank you.")
    web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Thank you.")
    assert "Thank you.</textarea>" not in web.get(f"/conversations/{talk.id}").text


def test_polls_are_quiet_until_something_changes(web: Web, acme: Workspace, talk: Conversation) -> None:
    page = web.get(f"/conversations/{talk.id}").text
    (href,) = re.findall(r'hx-get="(/conversations/\d+/news[^"]*)"', page)
    href = href.replace("&amp;", "&")
    assert web.get(href, htmx=True).status_code == 204
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    news = web.get(f"{href}&known=1", htmx=True)
    assert "One more thing" in news.text
    assert "wrote while you were typing" not in news.text
    assert 'id="known-' in news.text
    web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Half a sen")
    assert "Ada wrote while you were typing" in web.get(f"{href}&known=1", htmx=True).text
    assert web.get(href).status_code == 303


def test_a_long_thread_shows_its_end_and_goes_back(web: Web, acme: Workspace, talk: Conversation) -> None:
    for number in range(70):
        item = Received(talk.person.handle, "message", f"Line {number}.", acme.now(), f"r{number}")
        takes_in(acme, the_account(acme), item)
    page = web.get(f"/conversations/{talk.id}").text
    assert "Line 69." in page
    assert "Line 30." not in page
    shown: list[str] = []
    while True:
        said = page.split('<ol class="said">')[1].split("</ol>")[0]
        shown = re.findall(r"Line (\d+)\.", said) + shown
        more = re.search(r'hx-get="([^"]+earlier[^"]+)"', page)
        if more is None:
            break
        page = web.get(more[1], htmx=True).text
    assert "Invitation sent" in page
    assert [int(number) for number in shown] == list(range(70))


def test_a_sender_that_cannot_write_closes_the_form(web: Web, acme: Workspace, talk: Conversation) -> None:
    change(acme, status=AccountStatus.DISCONNECTED)
    page = web.get(f"/conversations/{talk.id}").text
    assert f'id="text-{talk.id}"' not in page
    assert f'href="/senders/{talk.sender_id}"' in page
    assert f"Reconnect {the_account(acme).name}" in page
    assert web.post(f"/conversations/{talk.id}/messages", text="Hello").status_code == 409


def test_the_tone_can_be_set_right(web: Web, acme: Workspace, talk: Conversation) -> None:
    assert web.post(f"/conversations/{talk.id}/tone", do="negative").status_code == 303
    assert all_threads(acme)[0].sentiment == "negative"
    assert "Negative <b>1</b>" in web.get("/conversations").text


def test_stop_and_never_contact(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=1)
    (talk,) = all_threads(acme)
    page = web.get(f"/conversations/{talk.id}").text
    assert "Ada is still active in “First”. Replying manually pauses it for them." in page
    web.post(f"/conversations/{talk.id}/stop")
    assert (only(campaign).state, only(campaign).reason) == ("stopped", "stopped_by_you")
    web.post(f"/conversations/{talk.id}/never-contact")
    assert "is on the do-not-contact list." in web.get(f"/conversations/{talk.id}").text
    assert never_contact.count(acme) == 1


def test_tags_are_edited(web: Web, talk: Conversation, acme: Workspace) -> None:
    web.post(f"/conversations/{talk.id}/tags", tags="positive, hot")
    assert 'value="positive, hot"' in web.get(f"/conversations/{talk.id}").text


def test_what_failed_is_tried_again_or_taken_back_into_the_form(web: Web, acme: Workspace, talk: Conversation) -> None:
    made = compose.write(acme, talk.id, "Thank you.")
    with transaction() as current:
        current.get_one(Message, made.id).status = "failed"
    assert "Retry" in web.get(f"/conversations/{talk.id}").text
    web.post(f"/conversations/{talk.id}/messages/{made.id}/again")
    assert written(acme)[0].status == "queued"
    web.post(f"/conversations/{talk.id}/messages/{made.id}/discard")
    assert written(acme) == []
    assert "Thank you.</textarea>" in web.get(f"/conversations/{talk.id}").text


def test_reviewers_read_and_do_not_write(web: Web, acme: Workspace, talk: Conversation) -> None:
    with transaction() as current:
        current.execute(sa.update(Membership).where(Membership.workspace_id == acme.id).values(role="reviewer"))
    page = web.get(f"/conversations/{talk.id}")
    assert "<textarea" not in page.text
    assert all_threads(acme)[0].unread == 1
    assert web.post(f"/conversations/{talk.id}/messages", text="Hello").status_code == 403


def test_what_people_write_is_only_text(web: Web, acme: Workspace, talk: Conversation) -> None:
    evil = '<img src=x onerror="alert(1)"> https://evil.example {{ 7*7 }}\n\n> quoted <b>'
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", evil, acme.now(), "evil"))
    page = web.get(f"/conversations/{talk.id}").text
    assert "<img" not in page
    assert 'href="https://evil.example' not in page
    assert "{{ 7*7 }}" in page
    assert "Quoted text" in page


def test_pieces_for_htmx(web: Web, acme: Workspace, talk: Conversation) -> None:
    """The list alone; the opened conversation with the list marked; after sending, everything that changed."""
    inbox = web.get("/conversations", htmx=True, HX_Target="div#inbox").text
    assert inbox.strip().startswith('<div id="inbox"')
    opened = web.get(f"/conversations/{talk.id}", htmx=True).text
    assert "<html" not in opened
    assert 'hx-target="#inbox"' in opened
    sent: Any = web.post(f"/conversations/{talk.id}/messages", htmx=True, text="Thank you.", known=str(known(talk)))
    assert sent.status_code == 200
    for target in (f"latest-{talk.id}", f"reply-{talk.id}", f"tone-{talk.id}", "inbox", "count-c"):
        assert f'hx-target="#{target}"' in sent.text
    assert session().get(Conversation, talk.id) is not None
    assert fresh_campaign(acme) is not None


def test_a_muted_conversation_makes_no_noise(web: Web, acme: Workspace, talk: Conversation, clock: Movable) -> None:
    """What they write is kept and read; afterwards it counts again. A reviewer changes nothing."""
    assert web.post(f"/conversations/{talk.id}/mute", do="mute").status_code == 303
    assert ">Muted</span>" in web.get("/conversations").text
    assert 'data-key="m"' in web.get(f"/conversations/{talk.id}").text
    account = the_account(acme)
    takes_in(acme, account, Received(talk.person.handle, "message", "Are you there?", acme.now(), "m1"))
    assert "Are you there?" in web.get("/conversations").text
    assert threads.unread(acme) == 0
    assert "Notifications on." in web.post(f"/conversations/{talk.id}/mute", do="unmute", htmx=True).text
    takes_in(acme, account, Received(talk.person.handle, "message", "Hello?", acme.now(), "m2"))
    assert threads.unread(acme) == 1


LONG = "\n".join(["Thank you for the note."] * 20) + "\nThe zebra comes last.\n\n> a giraffe was quoted"


def test_a_long_reply_is_folded_unless_it_was_searched_for(web: Web, talk: Conversation) -> None:
    """All of it stands in the page, so that it opens without scripts; a short one is not touched."""
    for q, unfolded in [
        ("", (False, False)),
        ("zeb", (True, False)),
        ("giraffe", (False, True)),
        ("thank", (False, False)),
    ]:
        with transaction() as current:
            said = current.scalars(sa.select(Message).where(Message.direction == "in")).one()
            said.text = LONG
        page = web.get(f"/conversations/{talk.id}?q={q}")
        (bubble,) = re.findall(r'<div class="bubble">(.*?)</div>\s*<p class="said-at"', page.text, re.DOTALL)
        assert "The zebra comes last." in bubble
        assert '<div class="folds long"><div class="clamp twelve">' in bubble
        shown = ('<details class="unfold" open>' in bubble, '<details class="quoted" open>' in bubble)
        assert shown == unfolded
        assert page.text.count('class="unfold"') == 1
