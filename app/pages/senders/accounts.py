"""Senders: state, next action, hours, limits, usage; switch, repair and connect them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, g, request

from app.core.errors import Conflict, InvalidRequest, NotSupported, PlanLimitExceeded, Unavailable
from app.domain.campaigns.forecasts import calendar
from app.domain.leads import search_reading
from app.domain.leads.campaign_leads import why_waiting
from app.domain.ledger import usage
from app.domain.platform import services
from app.domain.rules.limits import HARD_CAPS
from app.domain.rules.schedules import places, public_holidays, working_hours
from app.domain.rules.step_kinds import BUDGET_WORDS
from app.domain.senders import (
    absences,
    accounts,
    deliverability,
    domain_check,
    mailbox_logins,
    mailbox_oauth,
    provider_credentials,
    standing,
    unreadable,
)
from app.domain.senders.accounts import UNCHANGED
from app.domain.senders.mailbox_logins import Servers
from app.domain.senders.oauth_clients import TITLES
from app.domain.senders.standing import Use
from app.domain.workspace import server_admins
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import charts, page_permissions, words
from app.pages.framework.base import (
    came_from,
    htmx,
    may_change,
    reauthenticate,
    redirect_to,
    redirect_to_path,
    render,
    show_toast,
)
from app.pages.framework.forms import Form, Numbers, Secret, Text, Tick, Whole
from app.pages.framework.words import date_range
from app.pages.settings.services import form_of

area = Blueprint("senders", __name__, url_prefix="/senders")

BUDGETS = {name: one.title for name, one in BUDGET_WORDS.items()} | {"search": "Search results"}
# What is wrong, what it means, and what the button that mends it says.
MENDING = {
    "challenged": ("LinkedIn needs a security check for this account.", "I have completed it"),
    "disconnected": ("LinkedIn signed this account out.", "Reconnect"),
    "unknown": ("LinkedIn hasn't reported this account's state.", "Check again"),
    "connecting": ("We are checking with LinkedIn.", "Check again"),
}
HOSTED = "unipile"
WRITING = ("message", "inmail", "email")
LABELS = {
    "timezone": "Time zone",
    "workingHours.start": "From",
    "workingHours.end": "Until",
    "workingHours.days": "Days",
    "monthlyNotes": "Notes per month",
    "country": "Public holidays",
    **{f"dailyLimits.{budget}": label for budget, label in BUDGETS.items()},
}


class LoginForm(Form):
    """The login of a mailbox. Secrets are never shown again."""

    address = Text()
    password = Secret()
    smtp_host = Text(name="smtpHost")
    smtp_port = Whole(name="smtpPort", default=None, empty=587, wrong=-1)
    imap_host = Text(name="imapHost")
    imap_port = Whole(name="imapPort", default=None, empty=993, wrong=-1)
    username = Text()
    auth = Text(default="password")
    client_id = Text(name="clientId", strip=True)
    tenant = Text(strip=True)
    client_secret = Secret(name="clientSecret", strip=True)
    refresh_token = Secret(name="refreshToken", strip=True)

    def servers(self, address: str = "") -> Servers:
        """Return the servers, as the verb takes them."""
        return Servers(
            self.smtp_host.data,
            self.imap_host.data,
            self.username.data or address or self.address.data,
            self.password.data,
            self.smtp_port.data,
            self.imap_port.data,
            auth=self.auth.data or "password",
            client_id=self.client_id.data,
            client_secret=self.client_secret.data,
            refresh_token=self.refresh_token.data,
            tenant=self.tenant.data,
        )


class SenderForm(LoginForm):
    kind = Text()
    name = Text()
    timezone = Text()

    def _field_at(self, path: str) -> Any:
        """Return the field; the address is the user name unless one was typed."""
        return super()._field_at("address" if path == "username" and not self.username.data else path)


class ElsewhereForm(Form):
    """A sign-in on a provider's page: the provider, and the sender to reconnect if any."""

    way = Text()
    account = Whole()


class HoursForm(Form):
    """Working hours and limits."""

    timezone = Text()
    start = Text(name="workingHours.start")
    end = Text(name="workingHours.end")
    days = Numbers(name="workingHours.days")
    paced = Tick()
    monthly_notes = Whole(name="monthlyNotes", default=None, empty=None, wrong=-1)
    country = Text()
    BUDGETS: ClassVar[Sequence[str]] = ()


def _hours_form(account: Any) -> type[HoursForm]:
    """Return the form with a field for each limit of this sender."""
    budgets = [budget for budget in BUDGETS if budget in account.limits]
    fields = {f"limit_{budget}": Whole(name=f"dailyLimits.{budget}", wrong=-1, empty=-1) for budget in budgets}
    return type("HoursForm", (HoursForm,), {"BUDGETS": budgets, **fields})


@dataclass(frozen=True)
class Card:
    """All values of a sender's card."""

    account: Any
    uses: list[Use]
    why: Any
    hours: str
    local_time: str
    acceptance: str
    trouble: str
    mend: str
    elsewhere: bool  # whether it is signed in at another page
    delivery: Any  # of a mailbox: what it sent and what bounced
    health: str
    today: str  # what the calendar still expects today, without drafts that wait; "" while it is not known
    strip: Sequence[tuple[str, bool, int]]  # the next 24 hours: whether it works, and how many of these actions


@area.get("")
def index(workspace: Workspace) -> Response:
    shown = _cards(workspace, accounts.every(workspace))
    return render("accounts/index.html", part="accounts/_cards.html", cards=shown, words=BUDGETS)


@area.get("/new")
@may_change
def new(workspace: Workspace) -> Response:
    given = {"kind": request.args.get("kind", "social"), "address": request.args.get("address", "")}
    return connecting(workspace, SenderForm.of(**given, name=g.user.name, timezone=workspace.timezone))


def connecting(workspace: Workspace, form: SenderForm, *, status: int = 200, **more: Any) -> Response:
    """Show the ways to connect a sender, with what was sent and is wrong."""
    service = services.catalogue(HOSTED).service
    defaults = {f"value_{field.name}": field.default for field in service.fields}
    context = {"service_form": form_of(service).of(**defaults), "service_refusal": None, "refusal": None, **more}
    return render(
        "accounts/new.html",
        status=status,
        form=form,
        service=service,
        social=provider_credentials.connected(workspace, HOSTED),
        may_connect=page_permissions.may(g.role, "pages.sign_ins.connect", change=True),
        ways=mailbox_oauth.ways(workspace),
        titles=TITLES,
        admin=server_admins.is_admin(g.user),
        hosts=mailbox_logins.APP_PASSWORDS,
        microsoft=not workspace.sandbox and mailbox_logins.provider_of(form.address.data) is mailbox_logins.MICROSOFT,
        **context,
    )


@area.post("")
def create(workspace: Workspace) -> Response:
    """Connect a sender."""
    again = None if workspace.sandbox else reauthenticate()  # a mailbox comes with its password
    if again is not None:
        return again
    form = SenderForm.posted()
    provider, name, timezone = "sandbox" if workspace.sandbox else "smtp", form.name.data, form.timezone.data
    try:
        if form.kind.data == "email" or not workspace.sandbox:
            made = accounts.connect_mailbox(
                workspace,
                provider=provider,
                address=form.address.data,
                name=name,
                timezone=timezone,
                servers=None if workspace.sandbox else form.servers(),
            )
        else:
            made = accounts.connect(workspace, provider=provider, name=name, timezone=timezone)
    except (InvalidRequest, NotSupported, PlanLimitExceeded) as refusal:
        about = None if form.take_errors(refusal).errors else refusal
        if form.address.errors:  # without an address, its servers and user name are not known either
            form.address.errors, form.smtp_host.errors, form.imap_host.errors = form.address.errors[:1], (), ()
        if form.smtp_host.errors or form.imap_host.errors:
            tried = form.servers().completed(form.address.data)
            for name in ("smtp_host", "smtp_port", "imap_host", "imap_port"):
                form[name].data, form[name].raw_data = getattr(tried, name), []
        return connecting(workspace, form, status=422, refusal=about)
    show_toast(f"{made.name} is connected.")
    return redirect_to("pages.senders.show", account_id=made.id)


@area.get("/<int:account_id>")
def show(workspace: Workspace, account_id: int) -> Response:
    account = accounts.get(workspace, account_id)
    if htmx().partial:  # the card looks again by itself
        return render("accounts/_card.html", card=_cards(workspace, [account])[0], words=BUDGETS)
    return page_of(workspace, account)


@area.post("/<int:account_id>")
def save(workspace: Workspace, account_id: int) -> Response:
    """Save working hours and limits."""
    account = accounts.get(workspace, account_id)
    form = _hours_form(account).posted()
    try:
        accounts.edit(
            workspace,
            account_id,
            timezone=form.timezone.data,
            start=form.start.data,
            end=form.end.data,
            days=form.days.data,
            paced=form.paced.data,
            monthly_notes=form.monthly_notes.data if account.channel == "social" else UNCHANGED,
            country=form.country.data,
            limits={budget: form[f"limit_{budget}"].data for budget in account.limits},
        )
    except InvalidRequest as refusal:
        return page_of(workspace, accounts.get(workspace, account_id), form.take_errors(refusal))
    show_toast("Hours and limits saved.")
    return redirect_to("pages.senders.show", account_id=account_id)


class AbsenceForm(Form):
    """Days on which a sender contacts no one, and who takes its new people; 0 when they wait."""

    PATHS: ClassVar[dict[str, str]] = {"firstDay": "first", "lastDay": "last", "handOverTo": "hand_over_to"}

    first = Text(name="firstDay", strip=True)
    last = Text(name="lastDay", strip=True)
    hand_over_to = Whole(name="handOverTo")


@area.post("/<int:account_id>/absences")
def add_absence(workspace: Workspace, account_id: int) -> Response:
    """Add an absence."""
    form = AbsenceForm.posted()
    try:
        to = form.hand_over_to.data or None
        account = absences.add(workspace, account_id, form.first.data, form.last.data, to)
    except InvalidRequest as refusal:
        return page_of(workspace, accounts.get(workspace, account_id), absence=form.take_errors(refusal))
    show_toast(f"Absence for {account.name} added.")
    return redirect_to("pages.senders.show", account_id=account_id)


@area.post("/<int:account_id>/absences/remove")
def remove_absence(workspace: Workspace, account_id: int) -> Response:
    """Remove an absence."""
    absences.remove(workspace, account_id, AbsenceForm.posted().first.data)
    show_toast("Absence removed.")
    return redirect_to("pages.senders.show", account_id=account_id)


@area.post("/<int:account_id>/<any(on, off):state>")
def switch(workspace: Workspace, account_id: int, state: str) -> Response:
    """Switch the sender on or off."""
    account = accounts.switch(workspace, account_id, state == "on")
    said = f"{account.name} is switched {state}."
    if htmx():
        undo = f"/senders/{account_id}/{'off' if state == 'on' else 'on'}"
        [card] = _cards(workspace, [account])
        alone = "alone" in request.form
        return render("accounts/_switched.html", card=card, words=BUDGETS, alone=alone, said=said, undo=undo)
    show_toast(said)
    return redirect_to_path(came_from("/senders"))


@area.post("/<int:account_id>/unreadable")
def put_away(workspace: Workspace, account_id: int) -> Response:
    """Hide the messages that could not be read."""
    unreadable.put_away(workspace, account_id)
    show_toast("Dismissed.")
    return redirect_to("pages.senders.show", account_id=account_id)


@area.post("/<int:account_id>/read")
def read(workspace: Workspace, account_id: int) -> Response:
    """Have the inbox read at once."""
    account = unreadable.read_soon(workspace, account_id)
    show_toast(f"Reading the inbox of {account.name}.")
    return redirect_to_path(came_from("/senders"))


@area.post("/<int:account_id>/reconnect")
def reconnect(workspace: Workspace, account_id: int) -> Response:
    """Reconnect the sender, or show what is still missing."""
    try:
        account = accounts.reconnect(workspace, account_id)
        show_toast(f"{account.name} is connected again.")
    except (Conflict, Unavailable) as refusal:
        show_toast(f"{refusal.message} {refusal.recovery}", "danger")
    return redirect_to_path(came_from("/senders"))


def _cards(workspace: Workspace, rows: Iterable[Any]) -> list[Card]:
    rows = list(rows)
    uses, read = standing.uses(workspace, rows), search_reading.readings(workspace, rows)
    whys = why_waiting.of_accounts(workspace, rows)
    mailboxes = {one.account.id: one for one in deliverability.of_workspace(workspace)}
    kept = calendar.find_cached(workspace)
    coming = kept.next if kept and len(kept.next) < calendar.KEPT_NEXT else ()
    ahead = defaultdict[int, list[Any]](list)
    for one in coming:
        if one.at >= workspace.now():
            ahead[one.sender_id].append(one)
    return [
        Card(
            account,
            [*uses[account.id], *_searched(read.get(account.id))],
            whys[account.id],
            f"{words.days_text(account.work_days)}, {account.work_start}–{account.work_end}",
            f"{workspace.now().astimezone(ZoneInfo(account.timezone)):%H:%M}",
            standing.acceptance(account),
            account.status_reason or MENDING.get(account.status, ("",))[0],
            MENDING.get(account.status, ("", ""))[1],
            account.provider == HOSTED,
            mailboxes.get(account.id),
            standing.health(account, mailboxes[account.id].state if account.id in mailboxes else ""),
            _in_words(Counter(one.budget for one in ahead[account.id])),
            _strip(account, workspace.now(), [one.at for one in ahead[account.id]] or [whys[account.id].until]),
        )
        for account in rows
    ]


def _in_words(expected: Counter[str]) -> str:
    return ", ".join(words.many(number, *BUDGET_WORDS[budget][:2]) for budget, number in expected.most_common())


def _strip(account: Any, now: datetime, times: Sequence[datetime | None]) -> list[tuple[str, bool, int]]:
    """Return the next 24 hours of a sender: whether it works, and how many of the actions fall into each."""
    hours, hour = standing.open_hours(account, now), timedelta(hours=1)
    return [(f"{at:%H}", works, sum(at <= one < at + hour for one in times if one)) for at, works in hours]


def _searched(read: search_reading.Reading | None) -> list[Use]:
    return [Use("search", read.used, read.most)] if read else []


class SigningForm(Form):
    """The signature of a mailbox, and where replies go."""

    PATHS: ClassVar[dict[str, str]] = {"replyTo": "reply_to"}

    signature = Text()
    reply_to = Text(name="replyTo", strip=True)


def page_of(
    workspace: Workspace,
    account: Any,
    sent: HoursForm | None = None,
    absence: AbsenceForm | None = None,
    signing: SigningForm | None = None,
) -> Response:
    """Show a sender, with the form that was refused if one was."""
    [card] = _cards(workspace, [account])
    history = standing.history(workspace, account)
    names, days = _chart(account, history)
    return render(
        "accounts/show.html",
        status=422 if sent or absence or signing else 200,
        card=card,
        words=BUDGETS,
        names=names,
        days=days,
        total=sum(day["values"][0] for day in days),
        heat=_heat(account, history),
        notes_left=usage.notes_left(account, workspace.now()),
        campaigns=standing.campaigns(workspace, account),
        form=sent or _hours_of(account),
        absence=absence or AbsenceForm.of(),
        signing=signing or SigningForm.of(signature=account.signature, reply_to=account.reply_to),
        absences=[_absence(workspace, one) for one in account.absences or ()],
        substitutes=[(one.id, one.name) for one in absences.substitutes(workspace, account)],
        regions=_regions(account),
        caps=HARD_CAPS,
        weekdays=list(enumerate(words.WEEKDAYS, 1)),
        labels=LABELS,
        aside=unreadable.of_account(workspace, account.id),
        records=domain_check.latest(account) if account.provider == "smtp" else None,
        checking=account.provider == "smtp" and domain_check.is_under_way(workspace, account),
        recent=deliverability.recent_of(account) if account.channel == "email" else None,
    )


def _hours_of(account: Any) -> HoursForm:
    limits = {f"limit_{budget}": most for budget, most in account.limits.items()}
    hours = {"start": account.work_start, "end": account.work_end, "days": account.work_days}
    rest = {"paced": account.paced, "monthly_notes": account.monthly_notes, "country": account.country}
    form: HoursForm = _hours_form(account).of(timezone=account.timezone, **hours, **rest, **limits)
    return form


@dataclass(frozen=True)
class Heat:
    """When a sender acted: the hours shown, and for each day, newest first, how often in each of them."""

    hours: Sequence[int]
    days: Sequence[tuple[str, Sequence[int]]]
    most: int

    def shade(self, number: int) -> int:
        """Return the shade of a cell, from 0 for none to 4 for the busiest hour."""
        return charts.shade(number, self.most)


def _heat(account: Any, days: Sequence[standing.Day]) -> Heat:
    acted = {hour for day in days for hour in day.hours}
    opens, closes = int(account.work_start[:2]), int(account.work_end[:2])
    hours = range(min(acted | {opens}), max(acted | {closes}) + 1)
    rows = [(f"{day.date:%a} {day.date.day} {day.date:%b}", [day.hours[hour] for hour in hours]) for day in days]
    return Heat(hours, rows[::-1], max((n for _, row in rows for n in row), default=0))


def _absence(workspace: Workspace, one: Any) -> dict[str, Any]:
    """Return an absence as the page shows it."""
    first, last = date.fromisoformat(one["firstDay"]), date.fromisoformat(one["lastDay"])
    stands_in = accounts.find(workspace, one["handOverTo"]) if one["handOverTo"] else None
    return {"first": one["firstDay"], "said": date_range(first, last), "stands_in": stands_in}


def _regions(account: Any) -> dict[str, list[tuple[str, str]]]:
    """Return whose public holidays a sender can keep: in general, the states of its own country, and all countries."""
    guessed = places.region_of(account.timezone)
    of_zone = f"Based on the time zone ({places.country_name(guessed)})" if guessed else "None yet: choose a country"
    country = (account.country or guessed).partition("-")[0]
    name = places.country_name(country)
    states = [(f"{country}-{code}", f"{name}, {state}") for code, state in public_holidays.states(country)]
    countries = ((one, places.country_name(one)) for one in public_holidays.countries())
    everywhere = sorted(countries, key=lambda one: one[1])
    found = {"Public holidays": [("", of_zone), (working_hours.NO_REGION, "None")]}
    return found | ({f"{name}, by state": states} if states else {}) | {"Countries": everywhere}


def _chart(account: Any, days: Sequence[standing.Day]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the chart's names and days: all actions, messages and invitations."""
    names = ["Emails"] if account.channel == "email" else ["All", "Messages", "Connection requests"]
    drawn = []
    for day in days:
        written = sum(day.done[budget] for budget in WRITING)
        values = [day.done.total(), written, day.done["invite"]]
        drawn.append(charts.column(day.date, values[: len(names)], today=day is days[-1]))
    return names, drawn
