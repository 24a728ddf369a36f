"""Credits and subscription: balance, history and cancellation."""

from flask import Blueprint, Response, current_app, request, url_for

from app.core.errors import InvalidRequest
from app.domain.billing import credits, plans, stripe_checkout, subscriptions
from app.domain.workspace.workspaces import User, Workspace
from app.pages.framework import charts
from app.pages.framework.base import may_change, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text
from app.pages.framework.tables import page_of

part = Blueprint("credits", __name__)
KINDS = {
    "grant": "Added",
    "hold": "Reserved",
    "capture": "Spent",
    "release": "Released",
    "expire": "Released after a day",
    "refund": "Refunded",
}
REASONS = [
    ("too_expensive", "Too expensive"),
    ("technical", "Something doesn't work"),
    ("results", "Too few results"),
    ("other", "Something else"),
]
ROOM = {"accounts": "Senders", "running_campaigns": "Running campaigns", "leads": "People in lists"}


class CancelForm(Form):
    reason = Text()
    feedback = Text()


@part.get("/credits")
def index(workspace: Workspace) -> Response:
    """Show the balance, the spending per day, and all transactions."""
    everything = request.args.get("show") == "all"
    page, more = page_of(credits.entries(workspace, paid=not everything), show="all" if everything else "")
    chart = credits.chart(workspace)
    return render(
        "credits/index.html",
        part="credits/_rows.html" if request.args.get("cursor") else None,
        balance=credits.balance(workspace),
        page=page,
        more=more,
        everything=everything,
        kinds=KINDS,
        spent=sum(chart.sums),
        names=chart.names,
        days=charts.days(chart),
        legend=charts.legend(chart, lambda name: ""),
        prices=credits.CONTACT_PRICES,
        span=credits.DAYS,
    )


@part.get("/billing")
def subscription(workspace: Workspace) -> Response:
    shown = subscriptions.overview(workspace)
    return render(
        "credits/billing.html",
        plan=plans.plan_of(workspace),
        shown=shown,
        room=[(ROOM[name], quota.used, quota.limit) for name, quota in shown.quotas.items()],
        sold=subscriptions.is_sold(workspace),
        bought=bool(workspace.billing_subscription),
        customer=bool(workspace.billing_customer),
        offers=stripe_checkout.offers(workspace),
        rooms=ROOM,
        waiting="bought" in request.args and not workspace.billing_subscription,
    )


@part.post("/billing/buy")
def buy(workspace: Workspace, user: User) -> Response:
    """Redirect to the checkout."""
    return _away(stripe_checkout.checkout(workspace, user.email, request.form.get("plan", ""), _back()))


@part.post("/billing/manage")
def manage(workspace: Workspace) -> Response:
    """Redirect to the customer portal."""
    return _away(stripe_checkout.portal(workspace, _back()))


def _back() -> str:
    return f"{current_app.config['BASE_URL']}{url_for('.subscription')}"


def _away(address: str) -> Response:
    """Show a page that leads to another site, since the policy allows no form to be sent or redirected there."""
    return render("credits/away.html", address=address)


@part.get("/billing/cancel")
@may_change
def leave(workspace: Workspace) -> Response:
    """Show the cancellation form; redirect where nothing can be canceled."""
    is_paid = subscriptions.is_sold(workspace) or workspace.billing_subscription
    if not (is_paid and subscriptions.overview(workspace).renews):
        return redirect_to(".subscription")
    return _leave_page(workspace, CancelForm.of())


def _leave_page(workspace: Workspace, form: CancelForm) -> Response:
    return render(
        "credits/cancel.html",
        status=422 if form.errors else 200,
        shown=subscriptions.overview(workspace),
        reasons=REASONS,
        form=form,
        least=subscriptions.LEAST_FEEDBACK,
        words=subscriptions.CONFIRMATION,
    )


@part.post("/billing/cancel")
def cancel(workspace: Workspace) -> Response:
    form = CancelForm.posted()
    try:
        subscriptions.cancel(workspace, **form.data)
    except InvalidRequest as refusal:
        return _leave_page(workspace, form.take_errors(refusal))
    return redirect_to(".subscription")


def _done(said: str) -> Response:
    show_toast(said)
    return redirect_to(".subscription")


@part.post("/billing/undo")
def undo(workspace: Workspace) -> Response:
    """Undo the cancellation."""
    subscriptions.undo_cancel(workspace)
    return _done("Your subscription continues.")


@part.post("/billing/extend")
def extend(workspace: Workspace) -> Response:
    """Extend the trial by two weeks."""
    subscriptions.extend_trial(workspace)
    return _done("Your trial is extended by two weeks.")


@part.post("/billing/renew")
def renew(workspace: Workspace) -> Response:
    """Renew an ended subscription."""
    subscriptions.renew(workspace)
    return _done("Your subscription is active. Campaigns are paused; resume the ones you want.")
