"""The inbox and its conversations without scripts, and the pieces that htmx asks for."""

import re

import pytest
import sqlalchemy as sa
from selectolax.parser import HTMLParser

from app.core.db import transaction
from app.domain.conversations import messages, threads
from app.domain.engine.manual import compose
from app.domain.people.exclusions import never_contact
from app.models.accounts import AccountStatus
from app.models.conversations import Conversation, Message
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_messages import threads as all_threads
from tests.domain.engine.manual.test_compose import a_talk, change, written
from tests.domain.outreach import INVITE, a_campaign, forward, message, only, takes_in, the_account
from tests.pages.conftest import Web, become, found_in, must_have
from tests.support.movable import Movable

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
    """Each state with its address and figure."""
    found = re.findall(r'<a href="([^"]+)"[^>]*>(\w+) <span class="n">(\d+)</span>', text)
    return {label: (href.replace("&amp;", "&"), int(count)) for href, label, count in found}


def test_a_conversation_shows_thread_and_person_and_is_read_when_opened(
    web: Web, acme: Workspace, talk: Conversation
) -> None:
    must_have(web.get("/conversations"), f'hx-get="/conversations/{talk.id}?beside=1"')
    must_have(web.get(f"/conversations/{talk.id}?beside=1", htmx=True), "&amp;beside=1")
    web.get(f"/conversations/{talk.id}/news?beside=1", htmx=True)
    assert tabs(web.get("/conversations?tab=unread").text)["Open"][1] == 1
    page = web.get(f"/conversations/{talk.id}")
    for words in (
        "Connection request sent",
        "Ada accepted the connection request",
        "Hello",
        "Finished",
        "Stop their campaigns",
    ):
        assert (words in page.text) == (words != "Stop their campaigns"), words
    assert "<title>Ada – Inbox – Overture</title>" in page.text
    assert all_threads(acme)[0].unread == 0
    assert tabs(web.get("/conversations?tab=unread").text)["Open"][1] == 0


def test_every_state_leads_to_as_many_as_it_says_in_every_tone_and_words_are_found(web: Web, many: Workspace) -> None:
    for tab, number in (("", 3), ("positive", 1), ("neutral", 1), ("negative", 1), ("unread", 3)):
        page = HTMLParser(web.get(f"/conversations?tab={tab}").text)
        found = tabs(page.html or "")
        assert {label: count for label, (_, count) in found.items()} == {
            "Open": number,
            "Reminded": 0,
            "Done": 0,
            "All": number,
        }
        for href, count in found.values():
            assert len(names(web.get(href).text)) == count
        chosen = page.css_first("#filter-tab option[selected]")
        assert chosen
        assert (chosen.attributes["value"] or "") == tab
    href = found_in(web.get("/conversations").text, r'href="([^"]+)"[^>]*>Show 1 with no reply')
    assert names(web.get(href).text) == ["Zoe"]
    said = ("No conversations<", "All caught up", "Nothing here", "No matches", "No replies")
    for path in ("?view=done", "?view=reminded", "?view=done&tab=positive", "?q=xyz"):
        page = web.get(f"/conversations{path}").text
        assert sum(page.count(words) for words in said) == 1, path
    assert names(web.get("/conversations?q=bob").text) == ["Bob"]
    assert names(web.get("/conversations?q=hello+bob").text) == ["Bob"]
    assert "No matches for “&lt;xyz&gt;”" in web.get("/conversations?q=%3Cxyz%3E").text
    assert names(web.get("/conversations?tab=what&sender=x&campaign=99999").text) == names("")


def test_a_long_list_comes_in_pages_that_repeat_nothing_in_either_order(
    web: Web, acme: Workspace, clock: Movable
) -> None:
    people = [f"person-{number}" for number in range(30)]
    for person in people:
        clock.forward(minutes=1)
        takes_in(acme, the_account(acme), Received(person, "message", "Hello", acme.now(), f"r-{person}"))
    walked, path = [], "/conversations"
    while path:
        page = web.get(path, htmx="after=" in path).text
        walked += names(page)
        more = re.search(r'hx-get="([^"]*after=[^"]*)"', page)
        path = more[1].replace("&amp;", "&") if more else ""
    assert walked == people[::-1]
    first = web.get("/conversations?sort=oldest").text
    assert names(first) + names(web.get(found_in(first, r'hx-get="([^"]*after=[^"]*)"'), htmx=True).text) == people
    rows = re.findall(r'href="(/conversations/\d+)[^"]*sort=oldest', first)
    assert web.post(f"{rows[0]}/done?sort=oldest").headers["Location"].startswith(rows[1])
    saved = web.post(
        "/views", place="conversations", name="Waiting longest", query="sort=oldest", next="/conversations"
    )
    assert saved.headers["Location"] == "/conversations?sort=oldest"
    assert 'href="/conversations?sort=oldest" aria-current="true"' in web.get("/conversations?sort=oldest").text
    assert "Waiting longest" in web.get("/conversations?q=person").text


def known(talk: Conversation) -> int:
    """The newest message they wrote."""
    return messages.last_reply(talk.id)


def test_what_was_answered_is_parted_from_what_waits_for_us(web: Web, talk: Conversation) -> None:
    must_have(web.get("/conversations"), 200, without="Waiting for them")
    web.post(f"/conversations/{talk.id}/messages", text="Thank you.")
    assert web.get("/conversations").text.count("Waiting for them") == 1
    must_have(web.get("/conversations?view=all"), 200, without="Waiting for them")


def test_a_newer_message_keeps_the_text_and_says_so(web: Web, acme: Workspace, talk: Conversation) -> None:
    before = str(known(talk))
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    refused = web.post(f"/conversations/{talk.id}/messages", text="My long answer", known=before)
    must_have(refused, 409, "Ada wrote while you were typing.", "My long answer</textarea>", "One more thing")
    assert written(acme) == []
    now = found_in(refused.text, r'name="known" id="[^"]+" value="(\d+)"')
    assert web.post(f"/conversations/{talk.id}/messages", text="My long answer", known=now).status_code == 303
    assert "My long answer</textarea>" not in web.get(f"/conversations/{talk.id}").text


def test_what_is_typed_stays_until_it_is_sent_and_tags_and_tone_are_kept(
    web: Web, talk: Conversation, acme: Workspace
) -> None:
    for text, words in (("", "Write a message."), ("x" * 8001, "Use at most 8,000 characters")):
        must_have(web.post(f"/conversations/{talk.id}/messages", text=text), 422, words, 'aria-invalid="true"')
    assert web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Half a sen").status_code == 200
    assert "Half a sen</textarea>" in web.get(f"/conversations/{talk.id}").text
    for form in ({"add": "hot, later"}, {"remove": "later"}):
        web.post(f"/conversations/{talk.id}/tags", **form)
    chips = HTMLParser(web.get(f"/conversations/{talk.id}").text).css(".tags [name=remove]")
    assert [chip.attributes["value"] for chip in chips] == ["hot"]  # that they sound positive stands above
    assert threads.thread(acme, talk.id).person.tags == ["positive", "hot"]
    back = HTMLParser(web.post(f"/conversations/{talk.id}/tags", htmx=True, remove="hot").text).css_first(".toast form")
    assert back
    web.post(back.attributes["action"] or "")
    assert threads.thread(acme, talk.id).person.tags == ["positive", "hot"]
    assert web.post(f"/conversations/{talk.id}/tone", do="negative").status_code == 303
    assert all_threads(acme)[0].sentiment == "negative"
    assert tabs(web.get("/conversations?tab=negative").text)["Open"][1] == 1
    web.post(f"/conversations/{talk.id}/messages", text="Thank you.")
    web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Thank you.")
    assert "Thank you.</textarea>" not in web.get(f"/conversations/{talk.id}").text


def test_the_cursor_returns_to_a_reply_that_could_not_be_sent(web: Web, talk: Conversation) -> None:
    path = f"/conversations/{talk.id}"
    field = HTMLParser(web.get(path).text).css_first("textarea[name=text]")
    again = HTMLParser(web.post(f"{path}/messages", htmx=True, text="").text).css_first("textarea[name=text]")
    assert ["autofocus" in one.attributes for one in (field, again) if one] == [False, True]


def test_polls_are_quiet_until_something_changes(web: Web, acme: Workspace, talk: Conversation) -> None:
    page = web.get(f"/conversations/{talk.id}").text
    (href,) = re.findall(r'hx-get="(/conversations/\d+/news[^"]*)"', page)
    href = href.replace("&amp;", "&")
    assert web.get(href, htmx=True).status_code == 204
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", "One more thing", acme.now(), "more"))
    news = web.get(f"{href}&known=1", htmx=True)
    must_have(news, "One more thing", 'id="known-', without="wrote while you were typing")
    web.post(f"/conversations/{talk.id}/typed", htmx=True, text="Half a sen")
    assert "Ada wrote while you were typing" in web.get(f"{href}&known=1", htmx=True).text
    assert web.get(href).status_code == 303


def test_a_long_thread_shows_its_end_and_goes_back(web: Web, acme: Workspace, talk: Conversation) -> None:
    for number in range(50):
        item = Received(talk.person.handle, "message", f"Line {number}.", acme.now(), f"r{number}")
        takes_in(acme, the_account(acme), item)
    page = web.get(f"/conversations/{talk.id}").text
    must_have(page, "Line 49.", without="Line 5.")
    shown: list[str] = []
    while True:
        said = page.split('<ol class="said">')[1].split("</ol>")[0]
        shown = re.findall(r"Line (\d+)\.", said) + shown
        more = re.search(r'hx-get="([^"]+earlier[^"]+)"', page)
        if more is None:
            break
        page = web.get(more[1], htmx=True).text
    assert "Connection request sent" in page
    assert [int(number) for number in shown] == list(range(50))


def test_a_sender_that_cannot_write_closes_the_form(web: Web, acme: Workspace, talk: Conversation) -> None:
    change(acme, status=AccountStatus.DISCONNECTED)
    page = web.get(f"/conversations/{talk.id}").text
    assert f'id="text-{talk.id}"' not in page
    must_have(page, f'href="/senders/{talk.sender_id}"', f"Reconnect {the_account(acme).name}")
    assert web.post(f"/conversations/{talk.id}/messages", text="Hello").status_code == 409


def test_a_person_is_stopped_and_put_on_the_do_not_contact_list(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, ["accepts-ada"], [INVITE, message("Hello"), message("Again", days=9)])
    forward(acme, days=1)
    (talk,) = all_threads(acme)
    page = web.get(f"/conversations/{talk.id}").text
    assert "Ada is still active in “First”. Your reply pauses the campaign for them." in page
    web.post(f"/conversations/{talk.id}/stop")
    assert (only(campaign).state, only(campaign).reason) == ("stopped", "stopped_by_you")
    web.post(f"/conversations/{talk.id}/never-contact")
    must_have(web.get(f"/conversations/{talk.id}"), "is on the do-not-contact list.", f'/people/{talk.lead_id}/erase"')
    assert never_contact.count(acme) == 1


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
    become(acme, "reviewer")
    assert "<textarea" not in web.get(f"/conversations/{talk.id}").text
    assert all_threads(acme)[0].unread == 1
    assert web.post(f"/conversations/{talk.id}/messages", text="Hello").status_code == 403


def test_what_people_write_is_only_text(web: Web, acme: Workspace, talk: Conversation) -> None:
    evil = '<img src=x onerror="alert(1)"> https://evil.example {{ 7*7 }}\n\n> quoted <b>'
    takes_in(acme, the_account(acme), Received(talk.person.handle, "message", evil, acme.now(), "evil"))
    page = web.get(f"/conversations/{talk.id}").text
    must_have(page, "{{ 7*7 }}", "Quoted text", without=("<img", 'href="https://evil.example'))


def test_a_muted_conversation_makes_no_noise(web: Web, acme: Workspace, talk: Conversation, clock: Movable) -> None:
    assert web.post(f"/conversations/{talk.id}/mute", do="mute").status_code == 303
    assert ">Muted</span>" in web.get("/conversations").text
    assert 'data-key="m"' in web.get(f"/conversations/{talk.id}").text
    account = the_account(acme)
    takes_in(acme, account, Received(talk.person.handle, "message", "Are you there?", acme.now(), "m1"))
    assert "Are you there?" in web.get("/conversations").text
    assert threads.waiting(acme) == 0
    assert "Notifications on." in web.post(f"/conversations/{talk.id}/mute", do="unmute", htmx=True).text
    takes_in(acme, account, Received(talk.person.handle, "message", "Hello?", acme.now(), "m2"))
    assert threads.waiting(acme) == 1


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
