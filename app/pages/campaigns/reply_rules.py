"""After a reply: what a campaign does when a reply has a tone."""

from collections.abc import Sequence
from typing import Any

from flask import Response

from app.core import text
from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.campaigns import campaigns, reply_actions
from app.domain.leads import lists
from app.domain.workspace.workspaces import Workspace
from app.pages.campaigns import frame as campaign_frame
from app.pages.campaigns.campaigns import area as campaigns_area
from app.pages.framework.base import Errors, errors_of, redirect_to, render, show_toast
from app.pages.framework.forms import Form, Text, Whole

TONES = (("positive", "Positive"), ("generic", "Neutral"), ("negative", "Negative"), ("not_now", "Not now"))
DO = (("tag", "Add a tag"), ("list", "Add to a list"), ("task", "Create a task"), ("alert", "Notify me"))


class RuleForm(Form):
    """A new rule: its tone, what is done, and with what."""

    do = Text(default="add")
    sentiment = Text(default="positive")
    what = Text(default="tag")
    value = Text(strip=True)
    list_id = Whole(name="listId")

    def rule(self) -> dict[str, Any]:
        """Return the rule as the verb takes it."""
        named = {"listId": self.list_id.data} if self.what.data == "list" else {"value": self.value.data}
        return {"sentiment": self.sentiment.data, "do": self.what.data, **named}


@campaigns_area.get("/<int:campaign_id>/after-reply")
def reply_rules(workspace: Workspace, campaign_id: int) -> Response:
    return _page(workspace, campaign_id, RuleForm())


@campaigns_area.post("/<int:campaign_id>/after-reply")
def save_reply_rules(workspace: Workspace, campaign_id: int) -> Response:
    """Add a rule, or remove one."""
    form, known = RuleForm.posted(), list(campaigns.get(workspace, campaign_id).on_reply or ())
    verb, _, number = form.do.data.partition(":")
    if verb == "remove":
        gone = text.number(number)
        rules, said = [rule for index, rule in enumerate(known) if index != gone], "Rule removed."
    else:
        rules, said = [*known, form.rule()], "Rule added. Applies to new replies."
    try:
        campaigns.change_reply_rules(workspace, campaign_id, rules)
    except InvalidRequest as refusal:
        return _page(workspace, campaign_id, form, refusal)
    show_toast(said)
    return redirect_to(".reply_rules", campaign_id=campaign_id)


def _page(workspace: Workspace, campaign_id: int, form: RuleForm, refusal: InvalidRequest | None = None) -> Response:
    frame = campaign_frame.frame_of(workspace, campaign_id, "settings")
    return render(
        "campaigns/after_reply.html",
        status=422 if refusal else 200,
        frame=frame,
        rules=rule_lines(workspace, frame.campaign),
        form=form,
        errors=Errors({path.rpartition(".")[2]: sentence for path, sentence in errors_of(refusal).items()}),
        tones=TONES,
        what=DO,
        lists=[(one.id, one.name) for one in session().scalars(lists.people_lists(workspace).order_by(None))],
    )


def rule_lines(workspace: Workspace, campaign: Any) -> Sequence[tuple[str, str]]:
    """Return the campaign's rules in words, as tone and what is done."""
    rules = campaign.on_reply or ()
    named = lists.lists_by_id(workspace, [rule["listId"] for rule in rules if rule["do"] == "list"])
    names = {list_id: one.name for list_id, one in named.items()}
    return [(dict(TONES)[rule["sentiment"]], reply_actions.in_words(rule, names)) for rule in rules]
