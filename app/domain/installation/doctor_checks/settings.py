"""The doctor's check of stored settings: each is validated again, as when a page or API call set it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import clock
from app.core.db import noun, session
from app.core.errors import InvalidRequest
from app.domain.autopilot import play_steps
from app.domain.autopilot.monitors.monitors import MOST_PER_DAY
from app.domain.campaigns import branch_validation, validation
from app.domain.campaigns.reply_actions import DO, TONES
from app.domain.conversations import inbox_settings, snippets
from app.domain.installation.doctor_checks.remote import Problem
from app.domain.installation.doctor_checks.schema import RESTORE
from app.domain.people.exclusions import contact_settings
from app.domain.platform import retention
from app.domain.rules.contact_rules import Caps, ContactRules
from app.domain.rules.schedules import day_ranges, quiet_hours
from app.domain.senders import accounts
from app.domain.webhooks import endpoints
from app.models.accounts import Account
from app.models.autopilot import Play, PlayTemplate, Setup
from app.models.campaigns import ENDED_CAMPAIGNS, Campaign, CampaignStatus, CampaignTemplate
from app.models.conversations import Snippet
from app.models.monitors import Monitor
from app.models.webhooks import Webhook
from app.models.workspaces import Workspace
from app.resources.campaigns import campaigns as shown

Paths = Iterator[str]
_FAULTS = (ArithmeticError, AttributeError, KeyError, TypeError, ValueError)
_RULES, _CAPS = ContactRules()._asdict() | {"company_stop": True}, Caps()._asdict()


def problems() -> Iterator[Problem]:
    """Yield stored settings that are invalid, each with the path of its first error."""
    for model, look, meaning, remedy in _SETTINGS:
        for row in _rows(model):
            if wrong := _first(look, row):
                what = "sender" if model is Account else noun(model)
                yield f"A setting of {what} {row.id} can't be used ({wrong}), so {meaning}.", remedy


def _rows(model: Any) -> Sequence[Any]:
    """Return the rows; none if one has an unreadable value, which `stored.values` reports."""
    query = sa.select(model).order_by(model.id)
    if model is Campaign:
        query = query.where(Campaign.status.not_in(ENDED_CAMPAIGNS))
    try:
        return session().scalars(query).all()
    except (*_FAULTS, sa.exc.OperationalError):
        return []


def _first(look: Callable[[Any], Paths], row: Any) -> str:
    """Return the path of the first error in a row; '' when there is none."""
    try:
        return next(look(row), "")
    except InvalidRequest as refusal:
        return next((field.path for field in refusal.fields), "settings")
    except _FAULTS:
        return "settings"


def _sender(account: Account) -> Paths:
    yield from (path for path, _ in accounts.problems(account))
    for until in account.rests.values():
        if datetime.fromisoformat(until).tzinfo is None:
            yield "rests"


def _workspace(workspace: Workspace) -> Paths:
    if not clock.is_zone(workspace.timezone):
        yield "time zone"
    yield from (path for path, _ in day_ranges.check(workspace.blackouts or [], "blackouts", named=True)[1])
    if not _follows(workspace.contact_rules, _RULES):
        yield "contact rules"
    if not _follows(workspace.contact_caps, _CAPS):
        yield "contact caps"
    known = {kind: one.choices for kind, one in retention.KINDS.items()}
    for kind, days in (workspace.retention or {}).items():
        if days not in known.get(kind, ()):
            yield f"retention of {kind}"
    inbox_settings.check_link(workspace.meeting_link, "meetingLink")


def _webhook(webhook: Webhook) -> Paths:
    yield from (field.path for field in endpoints.problems(webhook))


def _snippet(snippet: Snippet) -> Paths:
    snippets.check(snippet.name, snippet.text)  # raises InvalidRequest itself, as when a member saves the snippet
    yield from ()


def _monitor(monitor: Monitor) -> Paths:
    if not 1 <= monitor.most_per_day <= MOST_PER_DAY:
        yield "mostPerDay"


def _setup(setup: Setup) -> Paths:
    yield from (path for path, _ in quiet_hours.timing_of(setup).problems())


def _template(template: CampaignTemplate) -> Paths:
    yield from _steps(template.sequence, template.branches)


def _play(play: Play | PlayTemplate) -> Paths:
    for at, one in enumerate(play.steps):
        if not isinstance(one, Mapping) or one.get("kind") not in play_steps.KINDS:
            yield f"steps[{at}]"


def _flow(campaign: Campaign) -> Paths:
    """Yield invalid steps, branches and rules for replies; a draft may have no step yet."""
    if campaign.sequence or campaign.status != CampaignStatus.DRAFT:
        yield from _steps(campaign.sequence, campaign.branches)
    for at, rule in enumerate(campaign.on_reply or ()):
        if rule["do"] not in DO or rule["sentiment"] not in TONES:
            yield f"onReply[{at}]"


def _exclusions(campaign: Campaign) -> Paths:
    if not _follows(campaign.contact_rules, _RULES):
        yield "exclusions"


def _steps(sequence: Any, branches: Any) -> Paths:
    found = validation.Problems()
    sound = branch_validation.check_branches(branches, len(sequence), found.add)
    validation.check_sequence(sequence, [], found, branches=sound)
    yield from (field.path for field in found.fields)


def _schedule(campaign: Campaign) -> Paths:
    """Yield what schedule validation refuses, and stored days and times that don't match the schedule's windows."""
    found = validation.Problems()
    workspace = session().get_one(Workspace, campaign.workspace_id)
    stored = validation.check_schedule(workspace, shown.schedule(campaign), found)
    yield from (field.path for field in found.fields)
    yield from (name for name in ("days", "start_time", "end_time") if stored[name] != getattr(campaign, name))


def _follows(given: Mapping[str, Any] | None, usual: Mapping[str, Any]) -> bool:
    """Return whether each of the stored rules exists, and has a value of its kind."""
    kinds = {name: list if isinstance(value, tuple) else type(value) for name, value in usual.items()}
    return all(
        kinds.get(name) is type(value) and (type(value) is not int or 0 <= value <= contact_settings.MOST[name])
        for name, value in (given or {}).items()
    )


# A table, the check of one of its rows, what an invalid setting means to people, and what to do.
_SETTINGS: tuple[tuple[Any, Callable[[Any], Paths], str, str], ...] = (
    (Account, _sender, "it sends nothing or too much", "Set the hours, days and limits again on the sender's page."),
    (
        Workspace,
        _workspace,
        "nothing is sent, or the wrong people are contacted",
        "Set the dates, times and rules again in Settings.",
    ),
    (Campaign, _flow, "it can't be started, or its people are waiting", RESTORE),
    (
        Campaign,
        _schedule,
        "it can't be started, or its people are waiting",
        "Set the schedule again on the campaign's page.",
    ),
    (
        Campaign,
        _exclusions,
        "people who should be left out may be contacted, or nothing is sent",
        "Set the exclusions again on the campaign's page.",
    ),
    (Webhook, _webhook, "its events don't arrive", "Correct the webhook in Developers."),
    (Snippet, _snippet, "it can't be inserted", "Write the snippet again in Settings → Inbox."),
    (Monitor, _monitor, "it finds no one, or too many people", "Set the monitor again on its page."),
    (Setup, _setup, "notifications don't arrive on time", "Set the quiet hours again in Settings → Notifications."),
    (CampaignTemplate, _template, "no campaign can begin with it", RESTORE),
    (Play, _play, "it can't be shown or started", RESTORE),
    (PlayTemplate, _play, "it can't be shown or started", RESTORE),
)
