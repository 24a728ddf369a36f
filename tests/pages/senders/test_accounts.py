"""The senders' pages: what they say, what can be changed on them, and who may."""

from markupsafe import escape
from selectolax.parser import HTMLParser

from app.core.db import transaction
from app.domain.senders import accounts, unreadable
from app.models.accounts import Account, AccountStatus
from app.models.ledger import Action
from app.models.workspaces import Workspace
from app.pages.framework.words import days_text
from app.ports import Unreadable
from tests.domain.outreach import person_id
from tests.domain.senders.test_accounts import change
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable

FORM = {"timezone": "Europe/Paris", "workingHours.start": "08:00", "workingHours.end": "16:00"}
LIMITS = {"invite": "20", "message": "40", "inmail": "5", "visit": "40", "follow": "10", "like": "15"}


def first(workspace: Workspace) -> Account:
    """Ines."""
    return accounts.every(workspace)[0]


def settings(**other: object) -> dict[str, object]:
    """What the form sends."""
    limits = {f"dailyLimits.{budget}": limit for budget, limit in LIMITS.items()}
    return {**FORM, **limits, "workingHours.days": ["1", "2"], **other}


def test_every_sender_shows_hours_limits_and_next_action(web: Web, acme: Workspace, clock: Movable) -> None:
    page = web.get("/senders").text
    for account in accounts.every(acme):
        assert f'href="/senders/{account.id}"' in page
    assert page.count('class="on"') == 27  # of each, nine working hours
    assert page.count("darker where actions are expected") == 1
    assert page.count("<progress") == 5  # what is used, and what every sender is for
    assert "No work waiting for this sender" in page
    page = web.get(f"/senders/{first(acme).id}").text
    assert "No activity yet. Activity appears once a campaign uses this sender." in page
    assert "Not used in a campaign yet." in page
    assert "Founder at Acme" in page
    change(first(acme), timezone="Asia/Tokyo")
    assert "Mon–Fri, 09:00–17:30 (Asia/Tokyo, now 18:00)" in web.get(f"/senders/{first(acme).id}").text


def test_the_cards_keep_themselves_fresh(web: Web, acme: Workspace) -> None:
    piece = web.get("/senders", htmx=True).text
    assert piece.lstrip().startswith('<div id="senders"')
    assert 'hx-trigger="every 30s"' in piece
    account = first(acme)
    piece = web.get(f"/senders/{account.id}", htmx=True).text
    assert piece.lstrip().startswith("<article")
    must_have(piece, f'hx-get="/senders/{account.id}" hx-trigger="every 30s"', without="Hours and limits")


def test_hours_and_limits_are_saved(web: Web, acme: Workspace) -> None:
    answer = web.post(f"/senders/{first(acme).id}", settings())
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/senders/{first(acme).id}")
    account = first(acme)
    assert (account.timezone, account.work_start, account.work_days) == ("Europe/Paris", "08:00", [1, 2])
    assert account.limits == {budget: int(limit) for budget, limit in LIMITS.items()}
    assert "Hours and limits saved." in web.get(answer.headers["Location"]).text


def test_an_absence_and_who_stands_in_are_added_and_removed(web: Web, acme: Workspace, clock: Movable) -> None:
    one, two = accounts.every(acme)[:2]
    place, away = f"/senders/{one.id}", {"firstDay": "2026-12-24", "lastDay": "2026-12-20", "handOverTo": two.id}
    web.post(place, settings(country="DE-BY"))
    assert first(acme).country == "DE-BY"
    must_have(web.post(f"{place}/absences", away), 422, "The last day can&#39;t be before the first.")
    web.post(f"{place}/absences", away | {"lastDay": "2027-01-03"})
    must_have(web.get(place), "Thu 24 Dec 2026 – Sun 3 Jan 2027", f"New people go to {two.name}")
    web.post(f"{place}/absences/remove", firstDay="2026-12-24")
    must_have(web.get(place), "No absences planned.")


def test_what_is_not_safe_comes_back_with_the_reasons(web: Web, acme: Workspace) -> None:
    wrong = {"dailyLimits.invite": "36", "workingHours.end": "07:00", "workingHours.days": [], "timezone": "Mars"}
    answer = web.post(f"/senders/{first(acme).id}", settings(**wrong))
    assert answer.status_code == 422
    assert 'value="36"' in answer.text
    assert "Use a whole number from 0 to 35. More isn&#39;t safe." in answer.text
    assert "The end must be later than the start on the same day." in answer.text
    assert "Choose at least one day." in answer.text
    assert answer.text.count('aria-invalid="true"') == 3
    for field in ("f-dailyLimits-invite", "f-workingHours-end", "g-days", "f-timezone"):
        must_have(answer, f'href="#{field}"', f'id="{field}"')
    assert first(acme).limits["invite"] == 15


def test_what_is_no_number_is_refused(web: Web, acme: Workspace) -> None:
    for typed in ["", "many", "-1", "1.5", "9" * 30, "²"]:
        answer = web.post(f"/senders/{first(acme).id}", settings(**{"dailyLimits.message": typed}))
        must_have(answer, 422, "Use a whole number from 0 to 80")


def test_a_card_shows_its_channel_opens_and_keeps_switching_off_in_its_menu(web: Web, acme: Workspace) -> None:
    """A sender that is off has the switch in sight."""
    page = HTMLParser(web.get("/senders").text)
    for account in accounts.every(acme):
        card = page.css_first(f"#sender-{account.id}")
        assert card
        assert [mark.attributes["class"] for mark in card.css(".mark")] == [f"mark {account.channel}"]
        names = [link.text() for link in card.css(f'a[href="/senders/{account.id}"]')]
        assert names == [account.address or account.name]
        assert card.css(f'.menu form[action="/senders/{account.id}/off"]')
    web.post(f"/senders/{account.id}/off")
    card = HTMLParser(web.get("/senders").text).css_first(f"#sender-{account.id}")
    assert card
    assert not card.css(".menu")
    assert card.css(f'form[action="/senders/{account.id}/on"]')


def test_switching_off_can_be_undone(web: Web, acme: Workspace) -> None:
    account = first(acme)
    answer = web.post(f"/senders/{account.id}/off", htmx=True)
    must_have(answer, f'id="sender-{account.id}"', f'action="/senders/{account.id}/on"', "Ada is switched off.")
    assert not first(acme).active
    web.post(f"/senders/{account.id}/on")
    assert first(acme).active


def test_switching_works_without_scripts_and_returns_to_where_it_was_pressed(web: Web, acme: Workspace) -> None:
    token, path = web.token(), f"/senders/{first(acme).id}"
    for referrer, expected in (
        (f"http://localhost{path}", path),
        ("https://evil.example/x", "/senders"),
        ("http://localhost//evil.example", "/senders"),
        ("", "/senders"),
    ):
        answer = web.client.post(f"{path}/off", data={"csrf_token": token}, headers={"Referer": referrer})
        assert (answer.status_code, answer.headers["Location"]) == (303, expected)


def test_trouble_is_told_with_the_button_that_mends_it(web: Web, acme: Workspace) -> None:
    for status, says, mends in [
        (AccountStatus.CHALLENGED, "LinkedIn needs a security check", "I have completed it"),
        (AccountStatus.DISCONNECTED, "LinkedIn signed this account out.", "Reconnect"),
        (AccountStatus.UNKNOWN, "reported this account", "Check again"),
        (AccountStatus.CONNECTING, "We are checking with LinkedIn.", "Check again"),
    ]:
        account = first(acme)
        change(account, status=status)
        must_have(web.get("/senders"), says, mends)
        web.post(f"/senders/{account.id}/reconnect")
        assert first(acme).status == "connected"
        assert "Ada is connected again." in web.get("/senders").text
    change(first(acme), status=AccountStatus.DISCONNECTED, status_reason="The password was changed.")
    must_have(web.get("/senders"), "The password was changed.", without="LinkedIn signed this account out.")


def test_a_sender_can_be_connected(web: Web, acme: Workspace) -> None:
    assert web.get("/senders/new").status_code == 200
    answer = web.post("/senders", kind="social", name="Zoë Łęcka", timezone="Europe/Warsaw")
    assert answer.headers["Location"] == f"/senders/{accounts.every(acme)[-1].id}"
    web.post("/senders", kind="email", name="Zoë", address="zoe@acme.example", timezone="UTC")
    assert [account.channel for account in accounts.every(acme)[-2:]] == ["social", "email"]


def test_a_new_sender_needs_what_is_missing_and_room_in_the_plan(web: Web, acme: Workspace) -> None:
    answer = web.post("/senders", kind="email", name="Zoë", address="zoe", timezone="Nowhere")
    assert answer.status_code == 422
    assert "Enter an email address such as ada@example.com." in answer.text
    assert "Enter an IANA time zone such as Europe/Berlin." in answer.text
    assert 'value="Nowhere"' in answer.text
    answer = web.post("/senders", kind="social", name="Ada", timezone="UTC")
    assert "This sender is already connected." in answer.text
    assert len(accounts.every(acme)) == 3
    with transaction() as current:
        current.merge(acme).plan = "starter"
    answer = web.post("/senders", kind="social", name="Ada Fourth", timezone="UTC")
    must_have(answer, 422, "includes 3 senders", 'value="Ada Fourth"')
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    must_have(web.post("/senders", kind="social", name="Zoë", timezone="UTC"), 422, "Enter an email address")


def test_without_senders_the_page_says_how_to_get_one(web: Web, acme: Workspace) -> None:
    with transaction() as current:
        current.query(Account).filter_by(workspace_id=acme.id).delete()
    must_have(web.get("/senders"), "No senders yet", without='hx-get="/senders')


def test_names_are_shown_as_text(web: Web, acme: Workspace) -> None:
    name = '<script>alert("x")</script>'
    change(first(acme), name=name, headline=name)
    for path in ("/senders", f"/senders/{first(acme).id}"):
        page = web.get(path).text
        assert name not in page
        assert str(escape(name)) in page


def test_days_are_told_shortly() -> None:
    for days, text in [
        ([1, 2, 3, 4, 5], "Mon–Fri"),
        ([1, 2, 3, 4, 5, 6, 7], "Every day"),
        ([1, 3, 5], "Mon, Wed, Fri"),
        ([1, 2], "Mon, Tue"),
        ([7, 1, 2, 3], "Mon–Wed, Sun"),
        ([6], "Sat"),
    ]:
        assert days_text(days) == text


def test_what_could_not_be_read_is_shown_and_put_away(web: Web, stranger: Web, acme: Workspace) -> None:
    account = accounts.every(acme)[0]
    with transaction() as current:
        unreadable.set_aside(account, [Unreadable("one", acme.now(), "Ada <ada@people.example>", "Your offer", "X")])
        current.get_one(Account, account.id).unread_since = acme.now()
        current.get_one(Account, account.id).silent_at = acme.now()
    shown = web.get(f"/senders/{account.id}").text
    must_have(shown, "Your offer", "Ada &lt;ada@people.example&gt;", "read this inbox since")
    assert stranger.post(f"/senders/{account.id}/unreadable").status_code == 404
    web.post(f"/senders/{account.id}/unreadable")
    assert "Your offer" not in web.get(f"/senders/{account.id}").text


def test_the_page_shows_when_a_sender_acted_and_its_pace_can_be_changed(
    web: Web, acme: Workspace, clock: Movable
) -> None:
    sender, grace = first(acme), person_id(acme, "grace")
    with transaction() as current:
        about = {"workspace_id": acme.id, "sender_id": sender.id, "person_id": grace, "at": acme.now()}
        done = {"kind": "view_profile", "budget": "visit", "state": "sent", "token": "one", "step": 0}
        current.add(Action(**about, **done))
    page = web.get(f"/senders/{sender.id}")
    assert "Activity by hour" in page.text
    assert page.text.count('class="h4"') == 1
    assert web.get(f"/senders/{accounts.every(acme)[1].id}").text.count('class="h4"') == 0
    web.post(f"/senders/{sender.id}", settings(paced="1", monthlyNotes="7"))
    assert (first(acme).paced, first(acme).monthly_notes) == (True, 7)
    assert "Left this month: 7." in web.get(f"/senders/{sender.id}").text
    assert "Use a whole number" in web.post(f"/senders/{sender.id}", settings(monthlyNotes="many")).text
    web.post(f"/senders/{sender.id}", settings())
    assert (first(acme).paced, first(acme).monthly_notes) == (False, None)


def test_a_sender_that_was_stopped_says_why_until_it_is_switched_on(web: Web, acme: Workspace) -> None:
    account = accounts.every(acme)[0]
    with transaction() as current:
        fresh = current.get_one(Account, account.id)
        fresh.active, fresh.status_reason = False, "Switched off because mail servers reject this sender's email."
    assert "mail servers reject" in web.get(f"/senders/{account.id}").text
    assert "mail servers reject" in web.get("/").text
    web.post(f"/senders/{account.id}/on")
    assert "mail servers reject" not in web.get(f"/senders/{account.id}").text


def test_a_card_says_how_the_sender_is_doing(web: Web, acme: Workspace, clock: Movable) -> None:
    account = first(acme)
    must_have(web.get(f"/senders/{account.id}"), "Connected</span>", "Safe: within daily limits")
    change(account, health={"decided": 40, "accepted": 7})
    must_have(web.get(f"/senders/{account.id}"), "Careful</span>", "few connection requests are accepted")
    change(account, active=False)
    must_have(web.get(f"/senders/{account.id}"), "Switched off", without="Careful</span>")
