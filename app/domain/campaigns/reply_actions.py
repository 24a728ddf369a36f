"""Reply actions: what a campaign does by a reply's sentiment. A tag, a list, a task or an alert; never a message."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from app.core import text
from app.core.db import in_list, insert, session
from app.core.errors import AppError
from app.domain.leads import leads, lists, profiles, tags
from app.domain.leads.profiles import InvalidProfile
from app.domain.tasks import tasks
from app.models.campaigns import Campaign, CampaignLead, ReplyAction
from app.models.conversations import Message
from app.models.leads import ListType
from app.models.workspaces import Workspace

TONES = ("positive", "generic", "negative", "not_now")
DO = ("tag", "list", "task", "alert")
HAD_TAG = "This person already had the tag."
NOT_NOW = "not_now"  # they asked to be contacted later
MOST_RULES, LONGEST_TEXT = 10, 200
Rule = Mapping[str, Any]
Add = Callable[[str, str], None]


def check(workspace: Workspace, rules: Sequence[Rule], add: Add) -> list[dict[str, Any]]:
    """Return the rules as they are stored."""
    if len(rules) > MOST_RULES:
        add("onReply", f"Use at most {MOST_RULES} rules.")
        return []
    found: list[dict[str, Any]] = []
    for number, rule in enumerate(rules):
        path, tone, do = f"onReply[{number}]", rule.get("sentiment"), rule.get("do")
        if tone not in TONES:
            add(f"{path}.sentiment", "Use one of " + ", ".join(TONES) + ".")
        if do not in DO:
            add(f"{path}.do", "Use one of " + ", ".join(DO) + ".")
            continue
        kept = {"sentiment": tone, "do": do, **_checked(workspace, rule, path, add)}
        if kept in found:
            add(path, "This rule is listed twice.")
        found.append(kept)
    return found


def _checked(workspace: Workspace, rule: Rule, path: str, add: Add) -> dict[str, Any]:
    """Return what a rule names: a list, or words."""
    if rule["do"] == "list":
        list_id = rule.get("listId")
        if not isinstance(list_id, int) or _list_of(workspace, list_id) is None:
            add(f"{path}.listId", "List of people not found in this workspace.")
        else:
            lists.check_may_fill(list_id)
        return {"listId": list_id}
    said = text.squeeze(str(rule.get("value") or ""))
    if rule["do"] == "tag":
        try:
            said = "".join(profiles.tags([said]))
        except InvalidProfile as refusal:
            add(f"{path}.value", str(refusal))
    if len(said) > LONGEST_TEXT or (not said and rule["do"] != "alert"):
        add(f"{path}.value", f"Use 1 to {LONGEST_TEXT} characters.")
    return {"value": said}


def _list_of(workspace: Workspace, list_id: int) -> Any:
    """Return the list of people; None when there is none with that id."""
    found = lists.lists_by_id(workspace, [list_id]).get(list_id)
    return found if found is not None and found.type != ListType.COMPANIES else None


def run(
    workspace: Workspace, message: Message, person: CampaignLead | None, tones: Collection[str], at: datetime
) -> None:
    """Do what the person's campaign does for these sentiments of a reply, each rule once. Inside a transaction."""
    campaign = session().get(Campaign, person.campaign_id) if person else None
    if person is None or campaign is None or not campaign.on_reply:
        return
    for rule in campaign.on_reply:
        if rule["sentiment"] not in tones:
            continue
        row = {
            "workspace_id": workspace.id,
            "campaign_id": campaign.id,
            "person_id": person.person_id,
            "message_id": message.id,
            "rule": f"{rule['do']}:{rule.get('listId') or rule.get('value', '')}",
            "sentiment": rule["sentiment"],
            "do": rule["do"],
            "value": "",
            "error": "",
            "at": at,
        }
        fresh = insert(ReplyAction).values(row).on_conflict_do_nothing().returning(ReplyAction.id)
        if (action_id := session().scalar(fresh)) is not None:
            done = session().get_one(ReplyAction, action_id)
            done.value, done.error = _do(workspace, rule, message, person, at)
    session().flush()


def _do(workspace: Workspace, rule: Rule, message: Message, person: CampaignLead, at: datetime) -> tuple[str, str]:
    """Do it; return what it names, in words, and why it could not be done. A reply is never lost for that."""
    said = rule.get("value", "")
    try:
        match rule["do"]:
            case "tag":
                if not tags.tag(workspace, [person.lead_id], add=[said]):
                    return said, HAD_TAG
            case "task":
                tasks.add(workspace, person.person_id, message.conversation_id, said, at)
            case "list":
                into = _list_of(workspace, rule["listId"])
                if into is None:
                    return "", "The list was deleted."
                return into.name, leads.put_in_list(workspace, into, person.person_id)
    except AppError as refusal:
        return said, refusal.fields[0].message if refusal.fields else refusal.message
    return said, ""


def take_back(workspace: Workspace, message: Message, person: CampaignLead | None, tone: str) -> None:
    """Remove the tags set for the reply's former sentiment; other effects stay. Inside a transaction."""
    wrong = sa.select(ReplyAction).where(
        ReplyAction.message_id == message.id, ReplyAction.do == "tag", ReplyAction.sentiment.not_in([tone, NOT_NOW])
    )
    rows = session().scalars(wrong).all()
    set_by_us = [row.value for row in rows if not row.error]
    if person is not None and set_by_us:
        tags.tag(workspace, [person.lead_id], remove=set_by_us)
    for row in rows:
        session().delete(row)
    session().flush()


def alerts(workspace: Workspace, message_ids: Sequence[int]) -> dict[int, list[tuple[str, datetime]]]:
    """Return the alerts that rules asked for, by message, each as its words and when."""
    found: dict[int, list[tuple[str, datetime]]] = {}
    query = sa.select(ReplyAction).where(ReplyAction.workspace_id == workspace.id, ReplyAction.do == "alert")
    here = query.where(in_list(ReplyAction.message_id, message_ids)).order_by(ReplyAction.id)
    for row in session().scalars(here) if message_ids else ():
        found.setdefault(row.message_id, []).append((row.value, row.at))
    return found


def in_words(rule: Rule, list_names: Mapping[int, str]) -> str:
    """Return what a rule does, such as `add the tag vip`."""
    match rule["do"]:
        case "tag":
            return f"add the tag {rule['value']}"
        case "list":
            return f"add the person to {list_names.get(rule['listId'], 'a deleted list')}"
        case "task":
            return f"create the task “{rule['value']}”"
    return f"notify you: {rule['value']}" if rule["value"] else "notify you"
