"""Take the pictures of docs and README anew, in a filled demo workspace: `python tools/pictures.py [NAME…]`."""

import sys
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path

import waitress
from playwright.sync_api import Page, sync_playwright

from app import create_app, ports
from app.core import clock, migrations
from app.core.db import end_read, transaction
from app.domain.autopilot import setup
from app.domain.campaigns import campaigns, starters
from app.domain.enrichment.crm import lists as crm_lists
from app.domain.installation.sandbox import demo, sandbox_clock
from app.domain.leads import leads, lists, profiles
from app.domain.notifications import destinations
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.domain.workspace import api_keys, workspaces
from app.pages.autopilot.wizard import SAMPLE
from tests import browser
from tests.conftest import PASSWORD
from tests.e2e.browsing import SETTLED, sign_in
from tests.providers.crm.hubspot_server import HubSpotServer
from tests.support import crms
from tests.support.movable import Movable

TARGET = Path(__file__).parent.parent / "docs" / "pictures"
DEMO, LIVE, SPACE = demo.EMAIL, "lea@northbeam.example", 10
# For each picture: who looks, the address, what to press, the height of the window, and the parts to show (or all).
PICTURES = {
    "autopilot": (DEMO, "/plays/1", "", 1700, ".rv-left > *, .rv-mid li:nth-child(3) *, .rv-right > *"),
    "branches": (DEMO, "/campaigns/5/edit", "", 740, ""),
    "campaign": (DEMO, "/campaigns/1", "", 920, ""),
    "changes": (DEMO, "/campaigns/1/changes", "label:has-text('Fri')", 800, ".crumbs, #schedule, #effect"),
    "connecting": (LIVE, "/senders/new", "", 800, ".crumbs, .card"),
    "crm": (LIVE, "/settings/crm", "", 800, ".crumbs, .card:nth-of-type(-n+2)"),
    "forecast": (DEMO, "/campaigns/3/forecast", "", 800, ".crumbs, .card:nth-of-type(-n+2)"),
    "mailboxes": (DEMO, "/senders/3", "", 800, ".crumbs, #signature"),
    "mcp": (DEMO, "/developers/keys", "", 800, "h1, table"),
    "notifications": (DEMO, "/autopilot/alerts", "", 1200, "main h1, main form > *"),
    "pace": (DEMO, "/senders/1", "#pace summary", 800, "#pace"),
    "people": (DEMO, "/lists/1?cols=company.location.email", "", 800, ".crumbs, .toolbar, tr:nth-child(8)"),
    "replies": (DEMO, "/conversations", ".talks-list li a >> nth=2", 790, ".talks-list, .talk-main"),
    "schedules": (DEMO, "/campaigns/5/edit", "[commandfor=schedule]", 1500, "#schedule h2, #schedule .buttons"),
    "selling": (LIVE, "/settings/plan", "", 800, "#plan, #purse, #offers"),
    "services": (LIVE, "/settings/connections", "#service-hunter summary", 800, "#connected-h, #service-hunter"),
    "settings": (DEMO, "/settings/system", "", 800, ".card:has(h2:text-is('Server'))"),
    "starters": (DEMO, "/campaigns/new", "", 1400, "#starters"),
    "tasks": (DEMO, "/tasks", "", 800, "h1, .card"),
    "trust": (LIVE, "/settings/plan", "", 800, "#retention, #sub-processors"),
    "variants": (DEMO, "/campaigns/1/sequence", "", 800, "li:has(.variants) *"),
    "writing": (DEMO, "/campaigns/5/edit", ".node-link >> nth=2", 800, ""),
}
TOKEN = "pat-eu1-7c2f"
SETTINGS = {
    "BASE_URL": "https://overture.tidemark.example",
    "OVERTURE_SCHEDULER": False,
    "OVERTURE_LOG_LEVEL": "error",
    "OVERTURE_MAIL_URL": "smtp://127.0.0.1",
    "OVERTURE_MAIL_FROM": "overture@tidemark.example",
    **{f"OVERTURE_{one}_CLIENT_{part}": "1" for one in ("GOOGLE", "MICROSOFT") for part in ("ID", "SECRET")},
    "OVERTURE_STRIPE_KEY": "rk_live_1",
    "OVERTURE_STRIPE_WEBHOOK_SECRET": "whsec_1",
    "OVERTURE_STRIPE_PRICES": {"starter": "price_1", "growth": "price_2", "scale": "price_3"},
}
WEEK, FRIDAY = {"days": [1, 2, 3, 4], "start": "09:00", "end": "17:30"}, {"days": [5], "start": "09:00", "end": "13:00"}
SCHEDULE = {"timezone": "Europe/Dublin", "windows": [WEEK, FRIDAY], "recipientTime": True}
BOX = """(parts, space) => {
  const boxes = parts.map(one => one.getBoundingClientRect()).filter(one => one.width > 1);
  const [x, y] = ['left', 'top'].map(side => Math.min(...boxes.map(one => one[side])) - space);
  const [right, bottom] = ['right', 'bottom'].map(side => Math.max(...boxes.map(one => one[side])) + space);
  return { x, y: y + scrollY, width: right - x, height: bottom - y };
}"""


def fill() -> None:
    """Fill the demo workspace, and add what its pages show of variants, plays, tasks, branches and keys."""
    demo.DAYS, (first, *_) = 10, [step for step in demo.SEQUENCE if step["type"] == "message"]
    other = "Thanks, {{first_name|there}}. Which support ticket does {{company_name|your shop}} answer most often?"
    first["variants"] = [{"key": "A", "message": first["message"]}, {"key": "B", "message": other}]
    made = demo.fill(PASSWORD)
    setup.analyze(made, description=SAMPLE)
    work()
    setup.save(made, profile={"pitch": (setup.view(made).setup.profile or {})["pitch"]})
    setup.save(made, customer_type_id=setup.view(made).setup.customer_types[0]["id"])
    work()
    setup.save(made, channel="social_email", country="", offer={"kind": "call"})
    work()
    met = ports.sandbox_people().find(ports.PeopleQuery({**demo.SUPPORT, "location": ["United Kingdom"]}, seed=7), 6)
    fair, senders = lists.create_list(made, "Met at the fair"), [one.id for one in accounts.every(made)]
    called = [{**profiles.of_found(one), "phone": f"+44 7700 90010{n}"} for n, one in enumerate(met.people)]
    leads.add(made, fair.id, called)
    call = {"type": "task", "taskType": "call", "message": "Ask {{first_name}} which stand they liked best."}
    after = campaigns.create(made, name="After the fair", list_id=fair.id, account_ids=senders[:1], sequence=[call])
    campaigns.start(made, after.id)
    (two,) = [one for one in starters.every("support tickets") if one.key == "invite-or-email"]
    steps = {"sequence": two.sequence, "branches": two.branches, "schedule": SCHEDULE}
    campaigns.create(made, name="Connect or email", list_id=3, account_ids=senders, **steps)
    destinations.set_destination(made, "email", "ines@tidemark.example")
    user = workspaces.user_of(DEMO)
    api_keys.create(made, "Claude", "lists:write,campaigns:write,campaigns:run,approvals:read", created_by=user)
    api_keys.create(made, "Cursor", "all", created_by=user, without_approval=True)
    sandbox_clock.advance(made, 24)


def fill_live(hubspot: HubSpotServer) -> None:
    """Create a live workspace that has synced with a CRM."""
    made = workspaces.create("Northbeam", LIVE, PASSWORD)
    stages = ["customer" if number % 7 == 0 else "lead" for number in range(240)]
    known = [hubspot.add("contacts", email=f"{n}@kestrel.example", lifecyclestage=one) for n, one in enumerate(stages)]
    hubspot.put_in_list("31", "Warm leads", known[:60])
    crms.connect(made, token=TOKEN)
    crm_lists.follow(made, "31", "Warm leads")
    for _ in range(2):
        crms.read_all(made)
        crms.write_all(made, clock.now)


def work() -> None:
    """Do what waits in the background."""
    end_read()
    while jobs.run_due():
        pass


def take(page: Page, name: str) -> None:
    """Take one picture."""
    _, address, press, height, parts = PICTURES[name]
    page.set_viewport_size({"width": 1280, "height": height})
    page.goto(address)
    page.wait_for_load_state("networkidle")
    if press:
        page.locator(press).first.click()
        page.wait_for_timeout(2000)  # for what htmx asks the server for
    page.evaluate(SETTLED)
    clip = page.locator(parts).evaluate_all(BOX, SPACE) if parts else None
    page.screenshot(path=TARGET / f"{name}.png", full_page=bool(parts), clip=clip)


def main(names: list[str]) -> None:
    """Take the pictures of those names, or all."""
    clock.use(Movable(datetime(2026, 3, 2, 9, tzinfo=UTC)))  # a Monday, so that pictures change only with pages
    hubspot = HubSpotServer(keys={TOKEN}, clock=clock.now)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        url = f"sqlite:///{folder}/overture.db"
        migrations.upgrade(url)
        app = create_app(**SETTINGS, DATABASE_URL=url, OVERTURE_INSTANCE=folder, OVERTURE_HUBSPOT_URL=hubspot.url)
        with app.app_context():
            fill()
            fill_live(hubspot)
            for email, name in ((DEMO, "Ines Duarte"), (LIVE, "Lea Brandt")):
                with transaction():
                    workspaces.user_of(email).name = name
        server = waitress.create_server(app, host="127.0.0.1", port=0)
        threading.Thread(target=server.run, daemon=True).start()
        chromium = playwright.chromium.launch(executable_path=browser.find(), args=["--no-sandbox"])
        for email in (DEMO, LIVE):
            page = chromium.new_page(base_url=f"http://127.0.0.1:{server.effective_port}", reduced_motion="reduce")
            sign_in(page, email)
            for name in names or PICTURES:
                if PICTURES[name][0] == email:
                    take(page, name)


if __name__ == "__main__":
    main(sys.argv[1:])
