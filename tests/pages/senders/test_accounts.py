"""The senders' pages: what they say, what can be changed on them, and who may."""

from markupsafe import escape

from app.core.clock import Movable
from app.core.db import transaction
from app.domain.senders import accounts, unreadable
from app.models.accounts import Account, AccountStatus
from app.models.ledger import Action
from app.models.workspaces import Membership, Role, Workspace
from app.pages.senders.accounts import days_text
from app.ports import Unreadable
from tests.domain.outreach import person_id
from tests.pages.conftest import Web
from tests.providers.mail.mailservers import Post, Servers

FORM = {"timezone": "Europe/Paris", "workingHours.start": "08:00", "workingHours.end": "16:00"}
LIMITS = {"invite": "20", "message": "40", "inmail": "5", "visit": "40", "follow": "10", "like": "15"}


def first(workspace: Workspace) -> Account:
    """Ines."""
    return accounts.every(workspace)[0]


def change(account: Account, **columns: object) -> None:
    """The row has these values."""
    with transaction() as current:
        for name, value in columns.items():
            setattr(current.get_one(Account, account.id), name, value)


def settings(**other: object) -> dict[str, object]:
    """What the form sends."""
    limits = {f"dailyLimits.{budget}": limit for budget, limit in LIMITS.items()}
    return {**FORM, **limits, "workingHours.days": ["1", "2"], **other}


def become(workspace: Workspace, role: Role) -> None:
    """Ada has that role from now on."""
    with transaction() as current:
        current.query(Membership).filter_by(workspace_id=workspace.id).update({"role": role})


def test_every_sender_shows_hours_limits_and_next_action(web: Web, acme: Workspace) -> None:
    """Every sender with its hours, its limits and what it does next."""
    page = web.get("/senders").text
    for account in accounts.every(acme):
        assert f'href="/senders/{account.id}"' in page
    assert "Mon–Fri, 09:00–17:30 (UTC, now " in page
    assert page.count("<progress") == 15
    assert "No work waiting for this sender" in page


def test_the_cards_keep_themselves_fresh(web: Web) -> None:
    """A piece for htmx, which asks for it again."""
    piece = web.get("/senders", htmx=True).text
    assert piece.lstrip().startswith('<div id="senders"')
    assert 'hx-trigger="every 30s"' in piece


def test_one_sender_keeps_itself_fresh(web: Web, acme: Workspace) -> None:
    """Its card alone, so that what is typed below stays."""
    account = first(acme)
    piece = web.get(f"/senders/{account.id}", htmx=True).text
    assert piece.lstrip().startswith("<article")
    assert f'hx-get="/senders/{account.id}" hx-trigger="every 30s"' in piece
    assert "Hours and limits" not in piece


def test_one_sender_shows_its_last_days_and_campaigns(web: Web, acme: Workspace) -> None:
    """Empty at first, and it says so."""
    page = web.get(f"/senders/{first(acme).id}").text
    assert "No activity yet. It appears when a campaign uses this sender." in page
    assert "No campaign uses this sender yet." in page
    assert "Founder at Acme" in page


def test_hours_and_limits_are_saved(web: Web, acme: Workspace) -> None:
    """And the page says so."""
    answer = web.post(f"/senders/{first(acme).id}", settings())
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/senders/{first(acme).id}")
    account = first(acme)
    assert (account.timezone, account.work_start, account.work_days) == ("Europe/Paris", "08:00", [1, 2])
    assert account.limits == {budget: int(limit) for budget, limit in LIMITS.items()}
    assert "Hours and limits saved." in web.get(answer.headers["Location"]).text


def test_what_is_not_safe_comes_back_with_the_reasons(web: Web, acme: Workspace) -> None:
    """Everything typed stays, each field says what is wrong with it, the first one has the focus."""
    wrong = {"dailyLimits.invite": "36", "workingHours.end": "07:00", "workingHours.days": [], "timezone": "Mars"}
    answer = web.post(f"/senders/{first(acme).id}", settings(**wrong))
    assert answer.status_code == 422
    assert 'value="36"' in answer.text
    assert "Use a whole number from 0 to 35. More isn&#39;t safe." in answer.text
    assert "The end must be later than the start on the same day." in answer.text
    assert "Choose at least one day." in answer.text
    assert answer.text.count('aria-invalid="true"') == 3
    for field in ("f-dailyLimits-invite", "f-workingHours-end", "g-days", "f-timezone"):
        assert f'href="#{field}"' in answer.text
        assert f'id="{field}"' in answer.text
    assert first(acme).limits["invite"] == 15


def test_what_is_no_number_is_refused(web: Web, acme: Workspace) -> None:
    """And shown again as it was typed."""
    for typed in ["", "many", "-1", "1.5", "9" * 30, "²"]:
        answer = web.post(f"/senders/{first(acme).id}", settings(**{"dailyLimits.message": typed}))
        assert answer.status_code == 422
        assert "Use a whole number from 0 to 80" in answer.text


def test_switching_off_can_be_undone(web: Web, acme: Workspace) -> None:
    """The card changes in place and the message offers the way back."""
    account = first(acme)
    answer = web.post(f"/senders/{account.id}/off", htmx=True)
    assert f'id="sender-{account.id}"' in answer.text
    assert f'action="/senders/{account.id}/on"' in answer.text
    assert "Ines Duarte is switched off." in answer.text
    assert not first(acme).active
    web.post(f"/senders/{account.id}/on")
    assert first(acme).active


def test_switching_works_without_scripts_and_returns_to_where_it_was_pressed(web: Web, acme: Workspace) -> None:
    """Never to another site."""
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
    """Pressed, the sender is connected again."""
    for status, says, mends in [
        (AccountStatus.CHALLENGED, "The network needs a security check", "I have completed it"),
        (AccountStatus.DISCONNECTED, "The network signed this account out.", "Reconnect"),
        (AccountStatus.UNKNOWN, "reported this account", "Check again"),
        (AccountStatus.CONNECTING, "We are checking with the network.", "Check again"),
    ]:
        account = first(acme)
        change(account, status=status)
        page = web.get("/senders").text
        assert says in page
        assert mends in page
        web.post(f"/senders/{account.id}/reconnect")
        assert first(acme).status == "connected"
        assert "Ines Duarte is connected again." in web.get("/senders").text


def test_the_networks_own_words_come_first(web: Web, acme: Workspace) -> None:
    """When it gave a reason."""
    change(first(acme), status=AccountStatus.DISCONNECTED, status_reason="The password was changed.")
    page = web.get("/senders").text
    assert "The password was changed." in page
    assert "The network signed this account out." not in page


def test_a_sender_can_be_connected(web: Web, acme: Workspace) -> None:
    """A social account, or a mailbox with its address."""
    assert web.get("/senders/new").status_code == 200
    answer = web.post("/senders", kind="social", name="Zoë Łęcka", timezone="Europe/Warsaw")
    assert answer.headers["Location"] == f"/senders/{accounts.every(acme)[-1].id}"
    web.post("/senders", kind="email", name="Zoë", address="zoe@acme.example", timezone="UTC")
    assert [account.channel for account in accounts.every(acme)[-2:]] == ["social", "email"]


def test_a_new_sender_needs_what_is_missing(web: Web, acme: Workspace) -> None:
    """Each field says so, and what was typed stays."""
    answer = web.post("/senders", kind="email", name="Zoë", address="zoe", timezone="Nowhere")
    assert answer.status_code == 422
    assert "Enter an email address such as ada@example.com." in answer.text
    assert "Enter an IANA time zone such as Europe/Berlin." in answer.text
    assert 'value="Nowhere"' in answer.text
    answer = web.post("/senders", kind="social", name="Ines Duarte", timezone="UTC")
    assert "This sender is already connected." in answer.text
    assert len(accounts.every(acme)) == 3


def test_a_plan_without_room_for_another_says_so_above_what_was_typed(web: Web, acme: Workspace) -> None:
    with transaction() as current:
        current.merge(acme).plan = "starter"
    answer = web.post("/senders", kind="social", name="Ada Fourth", timezone="UTC")
    assert answer.status_code == 422
    assert "includes 3 senders" in answer.text
    assert 'value="Ada Fourth"' in answer.text


def test_a_live_workspace_connects_mailboxes(web: Web, acme: Workspace, clock: Movable) -> None:
    """They are tried first: what a server says stands at its field, and the password is never shown again."""
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    assert "Connect mailbox" in web.get("/senders/new").text
    servers = Servers(Post())
    form = {"kind": "email", "name": "Ines", "address": "ines@acme.example", "timezone": "UTC", "username": "ines"}
    form |= {"smtpHost": "127.0.0.1", "imapHost": "127.0.0.1"}
    form |= {"smtpPort": str(servers.smtp_port), "imapPort": str(servers.imap_port)}
    try:
        refused = web.post("/senders", form | {"password": "canary secret"})
        assert refused.status_code == 422
        assert "rejected this user name and password" in refused.text
        assert "canary secret" not in refused.text
        made = web.post("/senders", form | {"password": "an app password"})
        assert made.status_code == 303
        assert "an app password" not in web.get(made.headers["Location"]).text
    finally:
        servers.close()


def test_a_live_workspace_has_no_social_network_yet(web: Web, acme: Workspace) -> None:
    """A form sent all the same is refused with sentences."""
    with transaction() as current:
        current.get_one(Workspace, acme.id).sandbox = False
    answer = web.post("/senders", kind="social", name="Zoë", timezone="UTC")
    assert answer.status_code == 422
    assert "Enter the SMTP server" in answer.text


def test_without_senders_the_page_says_how_to_get_one(web: Web, acme: Workspace) -> None:
    """One sentence, one button, no polling."""
    with transaction() as current:
        current.query(Account).filter_by(workspace_id=acme.id).delete()
    page = web.get("/senders").text
    assert "No sender is connected" in page
    assert "every 30s" not in page


def test_names_are_shown_as_text(web: Web, acme: Workspace) -> None:
    """Whatever someone calls themselves."""
    name = '<script>alert("x")</script>'
    change(first(acme), name=name, headline=name)
    for path in ("/senders", f"/senders/{first(acme).id}"):
        page = web.get(path).text
        assert name not in page
        assert str(escape(name)) in page


def test_the_senders_own_time_is_told(web: Web, acme: Workspace, clock: Movable) -> None:
    """09:00 in London is 18:00 in Tokyo."""
    change(first(acme), timezone="Asia/Tokyo")
    assert "(Asia/Tokyo, now 18:00)" in web.get("/senders").text


def test_days_are_told_shortly() -> None:
    """Three and more in a row are a span."""
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
    assert "Your offer" in shown
    assert "Ada &lt;ada@people.example&gt;" in shown
    assert "Its inbox could not be read since" in shown
    assert stranger.post(f"/senders/{account.id}/unreadable").status_code == 404
    web.post(f"/senders/{account.id}/unreadable")
    assert "Your offer" not in web.get(f"/senders/{account.id}").text


def test_the_page_shows_when_a_sender_acted_and_its_pace_can_be_changed(
    web: Web, acme: Workspace, clock: Movable
) -> None:
    sender, grace = first(acme), person_id(acme, "grace")
    with transaction() as current:
        current.add(
            Action(
                workspace_id=acme.id,
                sender_id=sender.id,
                person_id=grace,
                kind="view_profile",
                budget="visit",
                state="sent",
                token="one",
                step=0,
                at=acme.now(),
            )
        )
    page = web.get(f"/senders/{sender.id}")
    assert "When it acted" in page.text
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
        fresh.active, fresh.status_reason = False, "Switched off, because mail servers refuse its email."
    assert "mail servers refuse its email" in web.get(f"/senders/{account.id}").text
    assert "mail servers refuse its email" in web.get("/").text
    web.post(f"/senders/{account.id}/on")
    assert "mail servers refuse its email" not in web.get(f"/senders/{account.id}").text
