"""Campaigns in a real browser: their steps, their people, what is wrong with them; also without JavaScript."""

import re

import sqlalchemy as sa
from playwright.sync_api import Dialog, Page, Route, expect

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.domain.leads import leads, lists
from app.domain.senders import accounts
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, message
from tests.e2e.browsing import focus_is_kept, problems, sign_in
from tests.e2e.campaigns.editor import card, done, select, sheet, tool

STEPS = [
    VIEW,
    INVITE,
    message("Hi {{first_name|there}}\n---\nA second bit", days=1),
    email("Dear {{first_name|you}}", days=3),
]


def people(workspace: Workspace, count: int = 12) -> int:
    """A list with these people."""
    found = lists.create_list(workspace, "Heads of support")
    given = [
        {"publicId": f"person-{n}", "firstName": f"Aoife{n}", "companyName": "Quillstack", "email": f"p{n}@q.example"}
        for n in range(count)
    ]
    leads.add(workspace, found.id, given)
    end_read()
    return found.id


def test_steps_are_moved_copied_removed_and_restored(ada: Page, acme: Workspace) -> None:
    """The cursor is where a step is written, and the focus stays; what is missing is marked, and nothing is lost."""
    people(acme)
    texts = ada.locator(".step textarea")
    ada.goto("/campaigns/new")
    texts.nth(0).fill("Note of {{nickname}}")
    select(ada, 2)
    expect(texts.nth(1)).to_be_focused()
    expect(texts.nth(1)).to_have_value("")
    texts.nth(1).fill("Text of two")
    ada.keyboard.press("Escape")
    expect(card(ada, 2)).to_be_focused()
    tool(ada, 2, "Move step {} up")
    expect(texts.nth(0)).to_have_value("Text of two")
    expect(card(ada, 1)).to_be_focused()
    ada.keyboard.press("Alt+ArrowDown")
    expect(texts.nth(1)).to_have_value("Text of two")
    expect(card(ada, 2)).to_be_focused()
    ada.keyboard.press("Alt+ArrowUp")
    expect(texts.nth(0)).to_have_value("Text of two")
    tool(ada, 1, "Duplicate step {}")
    expect(ada.locator(".step")).to_have_count(3)
    expect(texts.nth(1)).to_have_value("Text of two")
    focus_is_kept(ada)
    tool(ada, 3, "Remove step {}")
    expect(ada.locator(".step")).to_have_count(2)
    expect(ada.get_by_role("button", name="Undo")).to_be_focused()
    ada.keyboard.press("Enter")
    expect(texts.nth(2)).to_have_value("Note of {{nickname}}")
    expect(card(ada, 3)).to_be_focused()
    ada.keyboard.press("ArrowUp")
    expect(card(ada, 2)).to_have_attribute("aria-current", "step")
    sheet(ada, "Hours").get_by_label("Until", exact=True).fill("08:00")
    assert problems(ada) == []
    done(ada)
    expect(ada.locator("#facts")).to_contain_text("09:00–08:00")
    ada.get_by_role("button", name="Save draft").click()
    alert = ada.get_by_role("alert").filter(has_text="Check the marked fields.")
    expect(alert).to_contain_text("Enter a name of 1 to 200 characters.")
    expect(alert).to_contain_text("Choose a list.")
    expect(alert).to_contain_text("Unknown variable {{nickname}}.")
    expect(ada.get_by_label("Name", exact=True)).to_be_focused()
    expect(texts.nth(2)).to_have_value("Note of {{nickname}}")
    assert problems(ada) == []
    alert.get_by_role("link", name="Step 3").click()
    expect(texts.nth(2)).to_be_focused()
    expect(ada.locator(".panel.open .pill.bad")).to_have_text("{{nickname}}")
    ada.get_by_label("List", exact=True).select_option(index=1)
    expect(ada.locator("#preview")).to_contain_text("Unknown variable")
    card(ada, 3).press("j")
    expect(ada.locator("#preview-for option:checked")).to_contain_text("Aoife1")
    texts.nth(2).press_sequentially("jk")
    expect(texts.nth(2)).to_have_value(re.compile("jk"))


def test_a_campaign_and_its_people_are_paused_and_stopped_in_place(ada: Page, acme: Workspace) -> None:
    """The focus stays, a search stays in the address, and what became impossible meanwhile says so."""
    campaign = a_campaign(acme, ["person-ada", "person-bob", "person-cleo"], STEPS, senders=3)
    end_read()
    ada.goto(f"/campaigns/{campaign.id}")
    ada.get_by_text("Show as a table").click()
    ada.get_by_role("button", name="Pause").click()
    expect(ada.get_by_role("button", name="Resume")).to_be_focused()
    expect(ada.locator("h1")).to_contain_text("Paused")
    expect(ada.get_by_text("Paused. Nothing is sent until you resume.")).to_be_visible()
    expect(ada.locator("details.as-table")).to_have_attribute("open", "")
    ada.keyboard.press("z")
    expect(ada.locator("h1")).to_contain_text("Running")

    rows = ada.locator("#people-rows tr")
    ada.goto(f"/campaigns/{campaign.id}/people")
    ada.get_by_role("button", name="Pause for Ada").click()
    whose = rows.filter(has=ada.get_by_role("link", name="Ada", exact=True))
    expect(whose).to_contain_text("Paused by you or a teammate")
    expect(ada.get_by_role("link", name="Paused 1")).to_be_visible()
    focus_is_kept(ada)
    ada.get_by_role("button", name="Undo").click()
    expect(whose).not_to_contain_text("Paused")
    ada.locator(".pick input:not([data-all])").nth(1).check()
    ada.locator(".pick input:not([data-all])").nth(2).check()
    ada.locator(".bulk").get_by_role("button", name="Stop").click()
    ada.locator("#confirm").get_by_role("button", name="Stop").click()
    expect(ada.get_by_text("2 people stopped.")).to_be_visible()
    expect(ada.locator("#people-rows .badge").filter(has_text="Stopped")).to_have_count(2)
    ada.goto(f"/campaigns/{campaign.id}/people?show=stopped")
    ada.get_by_role("searchbox").fill("bob")
    expect(rows).to_have_count(1)
    expect(ada.get_by_role("searchbox")).to_be_focused()
    expect(ada).to_have_url(re.compile(r"show=stopped.*q=bob|q=bob.*show=stopped"))
    ada.reload()
    expect(ada.get_by_role("searchbox")).to_have_value("bob")
    expect(rows).to_have_count(1)

    ada.goto(f"/campaigns/{campaign.id}")
    campaigns.cancel(acme, campaign.id)
    end_read()
    ada.get_by_role("button", name="Pause").click()
    expect(ada.get_by_role("alert")).to_contain_text("A canceled campaign can't be paused.")
    expect(ada.locator("h1")).to_contain_text("Canceled")


def test_a_campaign_is_built_and_run_without_javascript(unscripted: Page, acme: Workspace) -> None:
    list_id = people(acme, 3)
    mailbox = accounts.every(acme)[-1].id
    end_read()
    page = unscripted
    sign_in(page)
    page.goto("/campaigns/new")
    page.get_by_label("Name", exact=True).fill("By hand")
    page.get_by_label("List", exact=True).select_option(str(list_id))
    texts = page.locator(".step textarea[name$=message]")
    texts.nth(1).fill("Hi {{First name}}")
    page.get_by_role("button", name="Add a step after step 2").click()
    page.locator("#add-2").get_by_role("button", name="Email").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("By hand")
    expect(page.locator("#preview")).to_contain_text("Hi Aoife0")
    page.get_by_label("Subject").fill("A question")
    texts.nth(2).fill("Dear {{first_name}}")
    page.locator(f"#sender-{mailbox}").check()
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Start in sandbox").click()
    expect(page.locator("h1")).to_contain_text("Running")
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("h1")).to_contain_text("Running")
    page.locator(".tabs").get_by_role("link", name="People").click()
    page.get_by_role("button", name="Stop for Aoife0").click()
    expect(page.get_by_role("heading", name="Stop 1 person?")).to_be_visible()
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#people-rows tr").nth(0)).to_contain_text("Stopped")
    page.get_by_role("searchbox").fill("aoife2")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#people-rows tr")).to_have_count(1)


def test_a_late_preview_does_not_bring_back_what_was_replaced(ada: Page, acme: Workspace) -> None:
    """A preview that was asked for before the form was sent is old when it comes after the form's answer."""
    ada.goto(f"/campaigns/new?list={people(acme)}")
    note, offer = ada.locator(".step textarea").nth(0), ada.locator("#preview .foreign")
    note.fill("Hello {{firstName}}")
    expect(offer).to_have_count(1)
    held: list[Route] = []
    ada.route("**/campaigns/preview", lambda route: held.append(route))
    with ada.expect_request("**/campaigns/preview"):
        note.press_sequentially(" again")
    offer.get_by_role("button", name="Replace all").click()
    expect(note).to_have_value("Hello {{First name}} again")
    with ada.expect_event("requestfinished", lambda request: request.url.endswith("/campaigns/preview")):
        for route in held:
            route.continue_()
    ada.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert offer.count() == 0


def test_words_are_varied_and_another_tools_are_replaced_with_one_press(ada: Page, acme: Workspace) -> None:
    """The preview steps through people, and the count is that of the longest text."""
    ada.goto(f"/campaigns/new?list={people(acme)}")
    note, bubble = ada.locator(".step textarea").nth(0), ada.locator("#preview .bubble").nth(0)
    options = "|".join(f"greeting {letter}" for letter in "abcdefgh")
    note.fill(f"{{{options}}} {{{{firstName}}}}, %COMPANY_NAME%")
    offer = ada.locator("#preview .foreign")
    expect(offer).to_contain_text("{{First name}}")
    assert problems(ada) == []
    offer.get_by_role("button", name="Replace all").click()
    expect(note).to_have_value(f"{{{options}}} {{{{First name}}}}, {{{{Company}}}}")
    expect(ada.locator(".panel.open .pill")).to_have_text([f"{{{options}}}", "{{First name}}", "{{Company}}"])
    expect(offer).to_have_count(0)
    expect(bubble).to_have_text(re.compile(r"^greeting [a-h] Aoife0, Quillstack$"))
    ada.get_by_role("button", name="Next person").click()
    expect(bubble).to_have_text(re.compile(r"^greeting [a-h] Aoife1, Quillstack$"))
    note.fill("{Hi|Good morning} {{first_name}")
    expect(ada.locator("#preview")).to_contain_text("A variable is not closed.")
    ada.reload()
    expect(note).to_have_value("{Hi|Good morning} {{first_name}")
    expect(ada.locator(".panel.open .mirror")).to_contain_text("{Hi|Good morning} {{first_name}")
    note.fill(f"{{Hi|{'x' * 301}}}")
    counter = ada.locator(".counter").nth(0)
    expect(counter).to_have_text("301 of 300 characters")
    expect(counter).to_have_class(re.compile("over"))


def test_a_slow_answer_does_not_take_back_the_sequence_chosen_since(ada: Page, acme: Workspace) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        if "refresh" in (route.request.post_data or "") and not held:
            held.append(route)
        else:
            route.continue_()

    ada.goto("/campaigns/new")
    ada.get_by_text("Three emails").click()
    ada.route("**/campaigns/new", hold)
    ada.get_by_label("What do you help with?").fill("invoice processing")
    ada.locator("#starter-email-three").get_by_role("button", name="Use this sequence").click()
    expect(card(ada, 3)).to_contain_text("Email")
    late = held[0].fetch()
    held[0].fulfill(response=late)
    ada.get_by_role("button", name="Save draft", exact=True).focus()
    expect(card(ada, 3)).to_contain_text("Email")


def test_a_campaign_begins_with_a_starter_and_its_steps_are_dragged(ada: Page, acme: Workspace) -> None:
    a_list(acme, ["accepts-ada"])
    end_read()
    ada.goto("/campaigns/new")
    ada.get_by_label("Name", exact=True).fill("Begun")
    ada.get_by_label("List", exact=True).select_option(label="People (1 person)")
    ada.get_by_label("What do you help with?").fill("invoice processing")
    ada.get_by_text("Three emails").click()
    ada.locator("#starter-email-three").get_by_role("button", name="Use this sequence").click()
    expect(card(ada, 3)).to_contain_text("Email")
    expect(ada.get_by_text("Start from a sequence")).to_have_count(0)
    texts = ada.locator("textarea[name$=message]")
    card(ada, 3).drag_to(card(ada, 2))
    expect(texts.nth(1)).to_have_value(re.compile("this is my last email"))
    expect(card(ada, 1)).to_contain_text("How do you handle invoice processing?")
    tool(ada, 3, "Move step {} up")
    expect(texts.nth(1)).to_have_value(re.compile("to make this easier"))
    ada.get_by_role("button", name="Save draft", exact=True).click()
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    campaign = session().scalars(sa.select(Campaign)).one()
    assert ["easier" in step["message"] for step in campaign.sequence] == [False, True, False]


def test_a_changed_campaign_asks_before_it_is_left(ada: Page, acme: Workspace) -> None:
    """What can't be saved yet is asked about; what was not touched, and what saved itself, are not."""
    people(acme)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    ada.on("dialog", stay)
    ada.goto("/campaigns/new")
    ada.get_by_role("link", name="Back", exact=True).click()
    expect(ada).to_have_url(re.compile("/campaigns$"))
    ada.goto("/campaigns/new")
    tool(ada, 2, "Duplicate step {}")
    expect(ada.locator(".step")).to_have_count(3)
    with ada.expect_event("dialog"):
        ada.get_by_role("link", name="Back", exact=True).click()
    assert asked == ["beforeunload"]
    expect(ada.locator(".step")).to_have_count(3)
    ada.get_by_label("Name", exact=True).fill("Curtains")
    ada.get_by_label("List", exact=True).select_option(index=1)
    for number in range(3):
        select(ada, number + 1).get_by_role("textbox").fill("We hang curtains, {{First name|there}}")
    pill = ada.locator(".panel.open .pill")
    expect(pill).to_have_css("position", "static")
    ada.keyboard.press("ArrowLeft")
    expect(pill).to_have_attribute("data-else", "If missing: there")
    expect(ada.locator(".panel.open .pill.open")).to_have_count(1)
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    ada.get_by_role("link", name="Edit", exact=True).click()
    ada.locator(".panel.open textarea").fill("We mend stage curtains.")
    expect(ada.locator("#saved")).to_contain_text("Saved ")
    ada.locator(".sidebar").get_by_role("link", name="Inbox").click()
    expect(ada).to_have_url(re.compile("/conversations"))
    assert asked == ["beforeunload"]
    end_read()
    assert session().scalars(sa.select(Campaign)).one().sequence[0]["message"] == "We mend stage curtains."


def test_a_press_while_a_draft_saves_itself_makes_no_second_draft(ada: Page, acme: Workspace) -> None:
    """What was marked and is written since is no longer marked."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        keeps = "keep" in (route.request.post_data or "") and not held
        held.append(route) if keeps else route.continue_()

    ada.route("**/campaigns/new", hold)
    ada.goto(f"/campaigns/new?list={people(acme)}")
    with ada.expect_request(lambda request: "keep" in (request.post_data or "")):
        select(ada, 1).get_by_role("textbox").fill("Hello")
    ada.get_by_label("Name", exact=True).fill("Curtains")
    ada.get_by_role("button", name="Save draft").click()
    held[0].continue_()
    expect(ada.get_by_text("Check the marked fields.")).to_be_visible()
    expect(ada).to_have_url(re.compile(r"/campaigns/\d+/edit$"))
    expect(ada.locator(".node-link.bad")).to_have_count(1)
    select(ada, 2).get_by_role("textbox").fill("We hang curtains.")
    expect(ada.get_by_text("Check the marked fields.")).to_have_count(0)
    expect(ada.locator(".node-link.bad, .panel.open .error")).to_have_count(0)
    ada.get_by_role("button", name="Save draft").click()
    expect(ada.get_by_text("Draft saved.")).to_be_visible()
    assert session().scalars(sa.select(Campaign)).one().name == "Curtains"
