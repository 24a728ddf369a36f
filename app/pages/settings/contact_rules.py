"""Contact rules: who every campaign leaves out, and how often a person and a company are contacted."""

from typing import Any

from flask import Blueprint, Response, g

from app.core.errors import InvalidRequest
from app.domain.campaigns import workspace_rules
from app.domain.people.exclusions import contact_settings
from app.domain.workspace.workspaces import Workspace
from app.pages.framework import page_permissions
from app.pages.framework.base import redirect_to, render, show_toast
from app.pages.framework.forms import Form, Tick, Whole, Words

area = Blueprint("contact_rules", __name__, url_prefix="/settings/contact-rules")


class RulesForm(Form):
    contacted_days = Whole(name="contactedDays", wrong=-1)
    replied = Tick()
    said_no = Tick(name="saidNo")
    colleague_talks = Tick(name="colleagueTalks")
    customers = Tick()
    company_days = Whole(name="companyDays", wrong=-1)
    tags = Words()
    company_stop = Tick(name="companyStop")
    opt_out_holds_company = Tick(name="optOutHoldsCompany")
    touches = Whole(wrong=-1)
    days = Whole(wrong=-1)
    per_day = Whole(name="perDay", wrong=-1)
    company_people = Whole(name="companyPeople", wrong=-1)


CAPS = ("touches", "days", "per_day", "company_people")
SWITCHES = ("company_stop", "opt_out_holds_company")


@area.get("")
def index(workspace: Workspace) -> Response:
    stored = contact_settings.rules(workspace)._asdict() | contact_settings.caps(workspace)._asdict()
    stored["tags"] = list(stored["tags"])
    stored["company_stop"] = contact_settings.company_stop(workspace)
    stored["opt_out_holds_company"] = workspace.opt_out_holds_company
    return _page(workspace, RulesForm(data=stored))


@area.post("")
def save(workspace: Workspace) -> Response:
    form = RulesForm.posted()
    given: dict[str, Any] = form.data
    try:
        workspace_rules.change(
            workspace,
            rules={name: value for name, value in given.items() if name not in (*CAPS, *SWITCHES)},
            caps={name: given[name] for name in CAPS},
            company_stop=given["company_stop"],
            opt_out_holds_company=given["opt_out_holds_company"],
        )
    except InvalidRequest as refusal:
        return _page(workspace, form.take_errors(refusal), 422)
    show_toast("Saved. Campaigns without their own rules use these from the next send.")
    return redirect_to(".index")


@area.post("/reset")
def reset(workspace: Workspace) -> Response:
    """Go back to the defaults of a new workspace."""
    workspace_rules.reset(workspace)
    show_toast("Reset to defaults.")
    return redirect_to(".index")


def _page(workspace: Workspace, form: RulesForm, status: int = 200) -> Response:
    may_save = page_permissions.may(g.role, "pages.contact_rules.save", change=True)
    return render("settings/contact_rules.html", form=form, may_save=may_save, status=status)
