"""Home: what needs someone, what runs, and how to begin."""

import sqlalchemy as sa
from selectolax.parser import HTMLParser

from app.core.db import session, transaction
from app.domain.approvals import approvals, bulk
from app.domain.autopilot import setup_state
from app.domain.campaigns import campaigns
from app.domain.campaigns.forecasts import calendar
from app.domain.conversations import inbox, messages, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.manual import compose
from app.domain.leads import leads, lists
from app.domain.notifications import destinations
from app.domain.senders import accounts
from app.models.approvals import Approval
from app.models.campaigns import Campaign, CampaignLead, CampaignStats, LeadState
from app.models.conversations import Message
from app.models.workspaces import Role, Workspace
from app.pages.home.home import FEW_REPLIES
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import INVITE, VIEW, a_campaign, forward, ledger, message
from tests.pages.conftest import Web, become, found_in, must_have
from tests.support.movable import Movable

SEQUENCE = [{"type": "connection_request", "message": "Hi {{first_name|there}}"}]


def draft(workspace: Workspace, name: str = "New heads of support") -> Campaign:
    """A campaign that could start."""
    people = lists.create_list(workspace, f"List of {name}")
    leads.add(workspace, people.id, [{"publicId": f"person-{number}", "firstName": "Aoife"} for number in range(3)])
    senders = [account.id for account in accounts.every(workspace) if account.channel == "social"]
    return campaigns.create(workspace, name=name, list_id=people.id, account_ids=senders, sequence=SEQUENCE)


def drafts_wait(workspace: Workspace) -> None:
    """A campaign with approval, of which drafts wait."""
    held = draft(workspace, "Held")
    bulk.switch(workspace, held.id, True)
    campaigns.start(workspace, held.id)
    forward(workspace, days=1)


def test_a_newcomer_is_led_step_by_step(web: Web, acme: Workspace) -> None:
    assert _step(web) == "Import people"
    lists.create_list(acme, "Empty")
    assert _step(web) == "Import people"
    people = lists.create_list(acme, "Founders")
    leads.add(acme, people.id, [{"publicId": "aoife"}])
    assert _step(web) == "Build a campaign"
    campaign = draft(acme)
    assert _step(web) == "Start the campaign"
    assert f'href="/campaigns/{campaign.id}"' in web.get("/").text
    campaigns.start(acme, campaign.id)
    assert "Or set it up step by step" not in web.get("/").text


def test_what_runs_is_asked_for_again_and_what_is_paused_waits_for_someone(web: Web, acme: Workspace) -> None:
    campaign = draft(acme)
    assert 'hx-get="/"' not in web.get("/").text
    campaigns.start(acme, campaign.id)
    assert 'hx-get="/"' in web.get("/").text
    assert 'hx-get="/"' in web.get("/", htmx=True).text
    must_have(web.get("/"), "You're all caught up.", without="Nothing is scheduled.")
    campaigns.pause(acme, campaign.id)
    must_have(web.get("/"), "Campaign paused", without="You're all caught up.")
    with transaction() as current:
        current.get_one(Campaign, campaign.id).status = "finished"
    must_have(web.get("/"), "You're all caught up.", "Nothing is scheduled.")


def test_several_drafts_are_one_line(web: Web, acme: Workspace) -> None:
    draft(acme, "First")
    draft(acme, "Second")
    campaigns.start(acme, draft(acme, "Third").id)
    must_have(web.get("/"), "2 draft campaigns", 'href="/campaigns?status=draft"')


def _step(web: Web) -> str:
    page = web.get("/").text
    return page.split('aria-current="step"')[1].split("<h3>")[1].split("<")[0]


REPLY = [VIEW, INVITE, message("Hello", days=1)]


def answered(workspace: Workspace) -> int:
    """A person who said yes; return the conversation."""
    a_campaign(workspace, ["replies-positive-cleo", "ignores-bob"], REPLY)
    forward(workspace, days=21)
    rows, _ = inbox.page(workspace, ThreadFilter(state="open"))
    return int(rows[0].id)


def test_replies_and_the_first_draft_stand_with_their_words(web: Web, acme: Workspace, clock: Movable) -> None:
    talk = answered(acme)
    drafts_wait(acme)
    page = HTMLParser(web.get("/").text)
    said = threads.get(acme, talk).last_text
    [first] = page.css(".due-one.first .bubble:not(.out)")
    assert said.split()[0] in first.text()
    [text] = page.css(".due-one .bubble.out")
    assert "Hi Aoife" in text.text()
    assert [each.text(deep=True).split()[0] for each in page.css(".btn.primary")] == ["Send"]
    assert page.css_first("h1").text() == "2 things for you"  # type: ignore[union-attr]
    assert str(page.css(".queue article")[0].attributes["id"]) == f"wait-{talk}"  # the draft is newer


def test_a_reply_is_answered_done_and_reminded_of_from_home(web: Web, acme: Workspace, clock: Movable) -> None:
    talk = answered(acme)
    assert web.post(f"/conversations/{talk}/done", next="/").headers["Location"] == "/"
    page = web.get("/").text
    assert f'id="wait-{talk}"' not in page
    undo = HTMLParser(page).css_first(".toast form")
    assert undo
    assert web.post(undo.attributes["action"] or "").headers["Location"] == "/"
    assert f'id="wait-{talk}"' in web.get("/").text
    assert web.post(f"/conversations/{talk}/remind", next="/", do="tomorrow").headers["Location"] == "/"
    assert f'id="wait-{talk}"' not in web.get("/").text
    inbox.reopen(acme, talk)
    known = HTMLParser(web.get("/").text).css_first(".answer-form [name=known]")
    assert known
    sent = web.post(f"/conversations/{talk}/messages", next="/", text="Tuesday?", known=known.attributes["value"])
    assert sent.headers["Location"] == "/"
    must_have(web.get("/"), "Your reply will be sent in 10 s", without=f'id="wait-{talk}"')
    assert web.post(f"/conversations/{talk}/done", next="//evil.example").headers["Location"] != "//evil.example"


def test_after_one_reply_is_done_the_next_opens(web: Web, acme: Workspace, clock: Movable) -> None:
    """The one below takes its place, after the last the one above; another row's Done leaves open what is open."""
    a_campaign(acme, [f"replies-positive-{name}" for name in ("cleo", "dan", "eve")] + ["ignores-bob"], REPLY)
    forward(acme, days=21)

    def leads_to(path: str) -> list[str | None]:
        rows = HTMLParser(web.get(path).text).css(".due-one[id]")
        return [row.css_first("form[action$='/done'] [name=next]").attributes["value"] for row in rows]  # type: ignore[union-attr]

    first, second, third = (
        int(str(row.attributes["id"])[5:]) for row in HTMLParser(web.get("/").text).css(".due-one[id]")
    )
    assert leads_to("/") == [f"/?reply={second}", f"/?reply={first}", f"/?reply={first}"]
    assert leads_to(f"/?reply={second}") == [f"/?reply={second}", f"/?reply={third}", f"/?reply={second}"]
    assert leads_to(f"/?reply={third}")[2] == f"/?reply={second}"
    page = web.get(f"/?reply={third}&write=1").text
    assert f'id="answer-text-{third}"' in page
    assert page.count("autofocus") == 1


def test_unread_is_one_number_wherever_it_stands(web: Web, acme: Workspace, clock: Movable) -> None:
    a_campaign(acme, ["replies-positive-cleo", "replies-positive-dan", "ignores-bob"], REPLY)
    forward(acme, days=21)
    for left in (2, 1):
        home, talks = HTMLParser(web.get("/").text), HTMLParser(web.get("/conversations?tab=unread").text)
        places = [(home, "#count-c"), (talks, "#count-c")]
        shown = [node.text().split()[0] for page, place in places if (node := page.css_first(place))]
        states = dict(state.text().split() for state in talks.css("#talks-tabs a"))
        assert [*shown, states["Open"]] == [str(left)] * 3
        rows, _ = inbox.page(acme, ThreadFilter(state="open"))
        web.get(f"/conversations/{rows[0].id}")


def test_the_first_draft_is_decided_from_home(web: Web, acme: Workspace, clock: Movable) -> None:
    drafts_wait(acme)
    waiting = approvals.count(acme)
    first = approvals.latest(acme)
    assert first
    url = f"/approvals/{first.Approval.id}"
    form = {"next": "/", "text": first.Approval.text, "subject": first.Approval.subject}
    assert web.post(url, **form).headers["Location"] == "/"
    assert approvals.count(acme) == waiting - 1
    undo = HTMLParser(web.get("/").text).css_first(".toast form")
    assert undo
    assert web.post(undo.attributes["action"] or "").headers["Location"] == "/"
    assert approvals.count(acme) == waiting
    assert web.post(f"{url}/skip", next="/").headers["Location"] == "/"
    following = approvals.latest(acme)
    assert following
    assert following.Approval.id != first.Approval.id


def test_a_draft_with_a_warning_is_read_before_it_is_decided(web: Web, acme: Workspace, clock: Movable) -> None:
    drafts_wait(acme)
    first = approvals.latest(acme)
    assert first
    approval = session().get_one(Approval, first.Approval.id)
    approval.warnings = [{"code": "length", "sentence": "Long."}]
    session().commit()
    page = HTMLParser(web.get("/").text)
    assert "Read the warning" in page.css_first(f"#draft-{approval.id}").text()  # type: ignore[union-attr]
    assert not page.css(f'form[action="/approvals/{approval.id}"]')


def test_every_problem_has_one_button(web: Web, acme: Workspace) -> None:
    first, second = accounts.every(acme)[:2]
    first.status, second.silent_at = "disconnected", acme.now()
    session().commit()
    campaign = draft(acme)
    campaigns.start(acme, campaign.id)
    campaigns.pause(acme, campaign.id)
    page = HTMLParser(web.get("/").text)
    lines = page.css(".queue .todo")
    assert [len(line.css(".btn")) for line in lines] == [1] * len(lines)
    posts = {form.attributes["action"] for form in page.css(".todo form")}
    wanted = {f"/senders/{first.id}/reconnect", f"/senders/{second.id}/read", f"/campaigns/{campaign.id}/resume"}
    assert posts == wanted
    for url in wanted:
        answer = web.client.post(url, data={"csrf_token": web.token()}, headers={"Referer": "http://localhost/"})
        assert answer.headers["Location"] == "/"
    page = HTMLParser(web.get("/").text)
    assert not {form.attributes["action"] for form in page.css(".todo form")} & wanted - {f"/senders/{second.id}/read"}


def test_the_plan_comes_after_the_page_and_hours_of_replies_only_from_twenty(
    web: Web, acme: Workspace, clock: Movable
) -> None:
    answered(acme)
    page = HTMLParser(web.get("/").text)
    assert [each.attributes["hx-get"] for each in page.css("[hx-trigger=load]")] == ["/home/plan"]
    assert web.get("/home/plan", htmx=True).status_code == 200
    assert web.get("/home/plan").headers["Location"] == "/calendar?now=1"
    assert not page.css(".heat")
    session().scalars(sa.select(CampaignStats)).one().replies = FEW_REPLIES
    session().commit()
    must_have(web.get("/"), "When people reply", "1 reply in 90 days", "Most on")


def test_the_next_three_actions_say_when_whom_and_from_whom(web: Web, acme: Workspace, clock: Movable) -> None:
    """As they then happen; what waits for approval isn't among them."""
    drafts_wait(acme)
    a_campaign(acme, [f"ignores-{number}" for number in range(6)], [INVITE])
    found = calendar.make_cached(acme)
    plan = HTMLParser(web.get("/home/plan", htmx=True).text)
    shown = [line.text(separator=" ", strip=True) for line in plan.css(".coming > li")]
    names, sender = [one.name for _, _, one in calendar.coming(acme, found)], accounts.every(acme)[0].name
    assert len(names) == 6
    assert "Aoife" not in " ".join(names)
    assert shown == [
        f"{one.at:%H:%M} {name} Connection request from {sender}"
        for one, name in zip(found.next[:3], names, strict=False)
    ]
    times = [one.at for one in found.next]
    forward(acme, hours=10)
    done = [action.at for action in ledger(acme) if action.at >= found.made_at]
    assert [f"{at:%H:%M}" for at in times] == [f"{at:%H:%M}" for at in done[: len(times)]]
    assert calendar.coming(acme, found) == []


def test_the_reply_box_offers_the_same_suggestion_as_the_inbox(web: Web, acme: Workspace, clock: Movable) -> None:
    talk = answered(acme)
    [ask] = HTMLParser(web.get("/").text).css(".composing > .drafted")
    offered = HTMLParser(web.get(str(ask.attributes["hx-get"]), htmx=True).text).css_first(".drafted")
    [shown] = HTMLParser(web.get("/").text).css(".composing > .drafted")
    assert offered
    assert shown.attributes["data-text"] == offered.attributes["data-text"]
    assert "hx-get" not in shown.attributes
    web.post(f"/conversations/{talk}/typed", text="My own words")
    assert not HTMLParser(web.get("/").text).css(".composing > .drafted")


def test_people_who_failed_are_one_press_away(web: Web, acme: Workspace) -> None:
    campaign = draft(acme)
    campaigns.start(acme, campaign.id)
    session().scalars(sa.select(CampaignLead).order_by(CampaignLead.id).limit(1)).one().state = LeadState.FAILED
    session().scalars(sa.select(CampaignStats)).one().failed = 1
    session().commit()
    see = found_in(web.get("/").text, r'href="([^"]+)"[^>]*aria-label="See why: Failed in [^"]*: 1 person')
    assert len(HTMLParser(web.get(see).text).css("tbody tr[role=row]")) == 1


def test_a_manual_message_that_was_not_delivered_stands_on_home(web: Web, acme: Workspace, clock: Movable) -> None:
    """Until it is dismissed, here or in the inbox, where its conversation is among the open ones."""
    talk = a_talk(acme, "quiet-ada")
    sent = compose.write(acme, talk.id, "Hello again")
    with transaction() as current:
        messages.fail(current.get_one(Message, sent.id), "The email bounced.")
    must_have(web.get("/"), f'href="/conversations/{talk.id}"', "was not delivered", "The email bounced.", "Dismiss")
    must_have(web.get("/conversations"), f'href="/conversations/{talk.id}')
    must_have(web.get(f"/conversations/{talk.id}"), messages.NOT_SENT, "The email bounced.")
    assert web.post(f"/conversations/{talk.id}/open", next="/").headers["Location"] == "/"
    must_have(web.get("/"), without="was not delivered")


def test_a_new_workspace_sees_no_empty_figures(web: Web, acme: Workspace) -> None:
    page = web.get("/").text
    assert 'hx-trigger="load"' not in page
    assert "Notifications are not being delivered" not in web.get("/").text
    assert setup_state.find(acme) is None
    destinations.set_destination(acme, "chat", "https://hooks.slack.com/services/T/B/x")
    with transaction():
        destinations.give_up_sending(acme, setup_state.locked(acme), "Slack says that this webhook was removed.")
    must_have(web.get("/"), "Notifications are not being delivered", "this webhook was removed")


def test_an_owner_is_told_once_what_an_update_changed(web: Web, acme: Workspace) -> None:
    told = "New: colleagues are put on hold after a reply."
    assert told not in web.get("/").text
    with transaction() as current:
        current.merge(acme).notices = ["company_stop"]
    become(acme, Role.OPERATOR)
    assert told not in web.get("/").text
    assert web.post("/notices/company_stop/dismiss").status_code == 403
    become(acme, Role.OWNER)
    assert told in web.get("/").text
    web.post("/notices/company_stop/dismiss")
    assert told not in web.get("/").text
