"""Subscriptions: what they allow, cancellation, and its undo."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.db import end_read, session, transaction
from app.core.errors import Conflict, InvalidRequest, SubscriptionRequired, Unavailable, WorkspaceSuspended
from app.domain.billing import credits, plans
from app.domain.platform import audit_log
from app.models.workspaces import Subscription, Workspace
from app.ports import ProviderError, Subscribed, SubscriptionState

TRIAL = timedelta(days=14)
PERIOD = timedelta(days=30)
REASONS = ("too_expensive", "technical", "results", "other")
LEAST_FEEDBACK, MOST_FEEDBACK = 20, 2000
CONFIRMATION = "Confirm cancellation"


@dataclass(frozen=True)
class Ending:
    """How a canceled subscription ends."""

    trialing: bool
    can_extend: bool
    ends_at: str
    cancel_at: datetime | None


@dataclass(frozen=True)
class Room:
    """How much of a quota is used, and how much there is."""

    used: int
    limit: int


@dataclass(frozen=True)
class Purse:
    """Credits owned, held, and free to spend."""

    balance: int
    held: int
    available: int


@dataclass(frozen=True)
class Overview:
    """Everything about the subscription at a glance."""

    plan: str
    status: str
    trial_ends_at: datetime | None
    ends_at: datetime | None
    cancel_at: datetime | None
    can_extend: bool
    credits: Purse
    quotas: dict[str, Room]

    @property
    def ended(self) -> bool:
        """Whether nothing may be sent or spent until the subscription is renewed."""
        return self.status == Subscription.ENDED

    @property
    def on_trial(self) -> bool:
        """Whether this is the trial."""
        return self.status == Subscription.TRIALING

    @property
    def renews(self) -> bool:
        """Whether it continues after the period, so that it can be canceled."""
        return not self.ended and self.cancel_at is None


def overview(workspace: Workspace) -> Overview:
    """Return the current plan, subscription, credits and quotas."""
    plan, balance = plans.plan_of(workspace), credits.balance(workspace)
    return Overview(
        plan=workspace.plan,
        status=workspace.subscription,
        trial_ends_at=workspace.trial_ends_at,
        ends_at=ends_at(workspace),
        cancel_at=workspace.cancel_at,
        can_extend=can_extend(workspace),
        credits=Purse(balance.posted, balance.held, balance.free),
        quotas={name: Room(plans.used(workspace, name), getattr(plan, name)) for name in plans.QUOTAS},
    )


def require(workspace: Workspace) -> None:
    """Raise WorkspaceSuspended or SubscriptionRequired unless the workspace may contact people and spend credits.

    Every function that does either calls this first.
    """
    if workspace.suspended_at:
        raise WorkspaceSuspended("This workspace is suspended.")
    if not workspace.may_contact:
        raise SubscriptionRequired(
            "Your subscription has ended, so you can't contact people or spend credits.",
            recovery="Renew your plan in Settings → Billing. You can still view and export your data.",
        )


def begin(workspace: Workspace, at: datetime) -> None:
    """Give a new workspace its plan and first credits: free on your own server, a trial where plans are sold."""
    if workspace.sandbox or is_sold(workspace):
        workspace.plan, workspace.subscription, workspace.trial_ends_at = "trial", Subscription.TRIALING, at + TRIAL
    else:
        workspace.plan, workspace.subscription, workspace.period_ends_at = "local", Subscription.ACTIVE, at + PERIOD
    session().flush()
    plan = plans.plan_of(workspace)
    credits.grant(workspace, plan.credits, ref=workspace.plan, note=f"{plan.title} credits")


def is_sold(workspace: Workspace) -> bool:
    """Return whether the workspace must buy its plan from this server's operator; a sandbox never does."""
    return ports.checkout.connected and not workspace.sandbox


def is_offered(workspace: Workspace) -> bool:
    """Return whether plans and credits concern the members: plans are sold here, or the subscription is ending."""
    ends = workspace.cancel_at is not None or workspace.subscription == Subscription.ENDED
    return ports.checkout.connected or bool(workspace.billing_customer) or ends


def can_extend(workspace: Workspace) -> bool:
    """Return whether the trial can be extended, which is possible once."""
    ours = workspace.subscription == Subscription.TRIALING and not workspace.billing_subscription
    return ours and not workspace.trial_extended


def ends_at(workspace: Workspace) -> datetime | None:
    """Return when the trial or the current period ends; None when the subscription has ended."""
    if workspace.subscription == Subscription.TRIALING:
        return workspace.trial_ends_at
    return workspace.period_ends_at if workspace.subscription == Subscription.ACTIVE else None


def cancel(workspace: Workspace, reason: str, feedback: str) -> Ending:
    """Cancel the subscription at the end of the trial or the period; until then everything works."""
    feedback, problems = feedback.strip(), []
    if reason not in REASONS:
        problems.append(("reason", f"Must be one of {', '.join(REASONS)}."))
    if len(feedback) < LEAST_FEEDBACK and feedback != CONFIRMATION:
        problems.append(("feedback", f"Write at least {LEAST_FEEDBACK} characters, or exactly “{CONFIRMATION}”."))
    if len(feedback) > MOST_FEEDBACK or "\0" in feedback:
        problems.append(("feedback", f"Write at most {MOST_FEEDBACK:,} characters."))
    InvalidRequest.raise_for(problems)
    _check_goes_on(workspace)
    _tell_seller(workspace, ends=True)
    with transaction():
        found = _locked(workspace)
        _check_goes_on(found)
        found.cancel_at = ends_at(found) or found.now()
        found.cancel_reason, found.cancel_feedback = reason, feedback
        audit_log.record(found, "billing.canceled", after={"reason": reason, "ends": _date(found.cancel_at)})
        return ending(found)


def _check_goes_on(workspace: Workspace) -> None:
    if workspace.subscription == Subscription.ENDED:
        raise Conflict("Your subscription has already ended.", recovery="Renew your plan to continue.")
    if workspace.cancel_at is not None:
        raise Conflict(
            f"Your subscription is already canceled and ends on {_date(workspace.cancel_at)}.",
            recovery="Undo the cancellation, or let the subscription end.",
        )


def _tell_seller(workspace: Workspace, *, ends: bool) -> None:
    """Tell the seller that the subscription ends or continues. Calls out, so never inside a transaction."""
    if not (workspace.billing_subscription and ports.checkout.connected):
        return
    name = workspace.billing_subscription
    end_read()
    try:
        ports.checkout().end(name, ends)
    except ProviderError as failure:
        raise Unavailable(failure.sentence, recovery="Nothing was changed. Try again in a moment.") from None


def ending(workspace: Workspace) -> Ending:
    """Return how the subscription ends, or would end if it were canceled now."""
    trialing = workspace.subscription == Subscription.TRIALING
    end = workspace.cancel_at or ends_at(workspace)
    return Ending(trialing, can_extend(workspace), _exact(end) if end else "", workspace.cancel_at)


def _exact(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _date(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def undo_cancel(workspace: Workspace) -> Workspace:
    """Undo the cancellation."""
    _check_ends(workspace)
    _tell_seller(workspace, ends=False)
    with transaction():
        found = _locked(workspace)
        _check_ends(found)
        _forget_cancel(found)
        audit_log.record(found, "billing.kept")
        return found


def _check_ends(workspace: Workspace) -> None:
    if workspace.subscription == Subscription.ENDED:
        raise Conflict("Your subscription has already ended.", recovery="Renew your plan to continue.")
    if workspace.cancel_at is None:
        raise Conflict("Your subscription is not canceled.", recovery="There is no cancellation to undo.")


def extend_trial(workspace: Workspace) -> Workspace:
    """Extend the trial by two weeks, once; this also undoes a cancellation."""
    with transaction():
        found = _locked(workspace)
        if found.subscription != Subscription.TRIALING or found.trial_ends_at is None:
            raise Conflict("There is no trial to extend.")
        if found.billing_subscription:
            raise Conflict("This trial belongs to a paid plan.", recovery="Manage your plan in Settings → Billing.")
        if found.trial_extended:
            raise Conflict("You have already extended the trial.")
        found.trial_ends_at += TRIAL
        found.trial_extended = True
        _forget_cancel(found)
        audit_log.record(found, "billing.extended", after={"ends": _date(found.trial_ends_at)})
        return found


def renew(workspace: Workspace) -> Workspace:
    """Renew an ended subscription on the local plan. Campaigns stay paused."""
    with transaction():
        found = _locked(workspace)
        if found.subscription != Subscription.ENDED:
            raise Conflict("Your subscription has not ended.", recovery="There is nothing to renew.")
        if is_sold(found):
            raise Conflict(
                "Your plan has ended at Stripe. Buy a new plan.", recovery="Choose one in Settings → Billing."
            )
        _activate(found, found.now())
        audit_log.record(found, "billing.renewed")
        return found


def follow(workspace: Workspace, bought: Subscribed) -> None:
    """Update the workspace to its subscription at the provider; an unknown plan changes nothing.

    When an older subscription ends, the one that replaced it stays.
    """
    with transaction():
        found = _locked(workspace)
        other = found.billing_subscription not in ("", bought.name)
        if bought.state == SubscriptionState.UNFINISHED or (other and bought.state == SubscriptionState.ENDED):
            return
        before = {"plan": found.plan, "status": found.subscription}
        found.billing_customer = bought.customer
        if bought.state == SubscriptionState.ENDED:
            found.subscription, found.billing_subscription = Subscription.ENDED, ""
            _forget_cancel(found)
        else:
            _apply_bought(found, bought)
        after = {"plan": found.plan, "status": found.subscription}
        if after != before:
            audit_log.record(found, "billing.followed", before=before, after=after)


def _apply_bought(workspace: Workspace, bought: Subscribed) -> None:
    plan = bought.plan or (workspace.plan if workspace.plan not in ("trial", "local") else ports.checkout().plans[0])
    before = (workspace.billing_subscription, workspace.plan, workspace.period_ends_at)
    workspace.billing_subscription, workspace.plan, workspace.period_ends_at = bought.name, plan, bought.ends_at
    workspace.subscription = (
        Subscription.TRIALING if bought.state == SubscriptionState.TRIALING else Subscription.ACTIVE
    )
    workspace.trial_ends_at = bought.ends_at if bought.state == SubscriptionState.TRIALING else None
    if bought.cancel_at is None:
        _forget_cancel(workspace)
    workspace.cancel_at = bought.cancel_at
    if bought.began_at and before != (bought.name, plan, bought.ends_at):
        _fill_up(workspace, f"period:{_exact(bought.began_at)}:{plan}")


def _forget_cancel(workspace: Workspace) -> None:
    workspace.cancel_at, workspace.cancel_reason, workspace.cancel_feedback = None, "", ""


def _locked(workspace: Workspace) -> Workspace:
    return session().get_one(Workspace, workspace.id, with_for_update={"key_share": True}, populate_existing=True)


def _activate(workspace: Workspace, at: datetime) -> None:
    workspace.plan, workspace.subscription = "local", Subscription.ACTIVE
    workspace.period_ends_at = at + PERIOD
    _forget_cancel(workspace)
    _fill_up(workspace, f"period:{_exact(at)}")


def _fill_up(workspace: Workspace, ref: str) -> None:
    """Fill the credits up to the plan's amount for a period; the rest of the last period counts."""
    plan = plans.plan_of(workspace)
    missing = plan.credits - credits.balance(workspace).posted
    if missing > 0:
        credits.grant(workspace, missing, ref=ref, note=f"{plan.title} credits")


def due(workspace: Any) -> datetime | None:
    """Return when time alone changes the subscription next; None when it never does.

    A bought one ends and renews when the provider says so.
    """
    followed = workspace.billing_subscription and ports.checkout.connected
    if workspace.subscription == Subscription.ENDED or followed:
        return None
    end = workspace.trial_ends_at if workspace.subscription == Subscription.TRIALING else workspace.period_ends_at
    return min((moment for moment in (workspace.cancel_at, end) if moment), default=None)


def is_due(at: Any) -> sa.ColumnElement[bool]:
    """Return the condition, for queries over workspaces, that time alone changes the subscription by `at`."""
    table: Any = Workspace.__table__
    return sa.and_(table.c.subscription != Subscription.ENDED, sa.or_(table.c.cancel_at <= at, next_period_end() <= at))


def next_period_end() -> sa.ColumnElement[datetime]:
    """Return the end of the trial or of the period, as an expression; NULL when the provider says when that is."""
    table: Any = Workspace.__table__
    sold = sa.bindparam("sold", callable_=lambda: ports.checkout.connected, type_=sa.Boolean())
    end = sa.case((table.c.subscription == Subscription.TRIALING, table.c.trial_ends_at), else_=table.c.period_ends_at)
    followed = sa.and_(table.c.billing_subscription != "", sold)
    return sa.case((sa.or_(table.c.subscription == Subscription.ENDED, followed), sa.null()), else_=end)


def end_of(workspace_id: Any) -> sa.ScalarSelect[Any]:
    """Return when a canceled subscription ends, as an expression for queries of a workspace's next time."""
    table: Any = Workspace.__table__.alias("canceled")  # the query around it may name the table, too
    live = (table.c.id == workspace_id, table.c.subscription != Subscription.ENDED)
    return sa.select(table.c.cancel_at).where(*live).scalar_subquery()


def reach(workspace: Workspace, at: datetime) -> int:
    """Apply what is due at `at`; return 1 when the subscription ended.

    A canceled subscription ends, and so does a trial where plans are sold; elsewhere a trial becomes the free local
    plan. After a period the next one begins.
    """
    moment = due(workspace)
    if moment is None or moment > at:
        return 0
    with transaction():
        found = _locked(workspace)
        while (moment := due(found)) is not None and moment <= at:
            canceled = found.cancel_at is not None and found.cancel_at <= at
            if canceled or (found.subscription == Subscription.TRIALING and is_sold(found)):
                found.subscription = Subscription.ENDED
            elif found.subscription == Subscription.TRIALING:
                _activate(found, moment)
            else:
                found.period_ends_at = moment + PERIOD
                _fill_up(found, f"period:{_exact(moment)}")
        return int(found.subscription == Subscription.ENDED)
