"""Many leads of a list at once: remove, block and tag them, each with its undo."""

from typing import Annotated

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import up_to
from app.domain.leads import block, leads, lists, profiles, removals, tags
from app.domain.workspace.workspaces import Workspace

LEADS = "/lists/<id:list_id>/leads"
REASON = "Selected through the API."

Tags = Annotated[list[Annotated[str, up_to(profiles.LONGEST_TAG, pattern="^[^;|]*$")]], AtMost(profiles.MOST_TAGS)]


class ChosenLeads(Body):
    """The leads to change; ids that are not in the list are ignored."""

    lead_ids: Annotated[list[Id], Field(min_length=1), AtMost(leads.MOST_PROFILES)]
    """The ids of the leads."""


class TagChange(ChosenLeads):
    """The leads, and the tags to add and to remove."""

    add: Tags = []
    """Tags to add."""
    remove: Tags = []
    """Tags to remove."""


class Undo(Body):
    """The token of the change to undo."""

    undo: Annotated[str, up_to(40)]
    """The `undo` token from the response to the change; valid for ten minutes, in real time also in a sandbox."""


@endpoint("POST", LEADS + "/remove", scope="lists:write", body=ChosenLeads, returns=resources.LeadsChanged)
def remove(workspace: Workspace, list_id: int, body: ChosenLeads) -> tuple[int, str]:
    """Remove leads from a list; people who are in a campaign stay in the campaign.

    The people and their history stay in the workspace. With the token in the response, you can undo the removal within
    ten minutes. Returns 409 while another change to the list is running; wait until it has finished.
    """
    _check(workspace, list_id, body)
    return removals.remove_people(workspace, list_id, body.lead_ids)


@endpoint("POST", LEADS + "/restore", scope="lists:write", body=Undo, returns=resources.LeadsRestored)
def restore(workspace: Workspace, list_id: int, body: Undo) -> tuple[int, int]:
    """Undo the removal of leads: put the leads back in the list.

    Leads that have been added again since then do not change. Returns 409 if more than ten minutes have passed.
    """
    lists.get_list(workspace, list_id)
    return removals.PEOPLE.undo(workspace, body.undo, list=list_id), 0


@endpoint("POST", LEADS + "/block", scope="lists:write", body=ChosenLeads, returns=resources.LeadsChanged)
def block_leads(workspace: Workspace, list_id: int, body: ChosenLeads) -> tuple[int, str]:
    """Add people in a list to the do-not-contact list, and stop their campaigns.

    The people's campaigns are paused immediately and end after ten minutes. Until then, you can undo the block with the
    token in the response.
    """
    _check(workspace, list_id, body)
    return block.block_leads(workspace, list_id, body.lead_ids, REASON)


@endpoint("POST", LEADS + "/unblock", scope="lists:write", body=Undo, returns=resources.LeadsRestored)
def unblock(workspace: Workspace, list_id: int, body: Undo) -> tuple[int, int]:
    """Undo a block: remove the people from the do-not-contact list and resume their campaigns.

    People who were already on the do-not-contact list stay on it. Returns 409 if more than ten minutes have passed;
    in that case, remove the entries one by one.
    """
    lists.get_list(workspace, list_id)
    return block.BLOCKED.undo(workspace, body.undo)


@endpoint("POST", LEADS + "/tag", scope="lists:write", body=TagChange, returns=resources.LeadsTagged)
def tag(workspace: Workspace, list_id: int, body: TagChange) -> list[int]:
    """Add tags to leads in a list, remove tags, or both.

    Tags belong to the person, so they appear in all of the person's lists. The response lists the leads whose tags
    changed.
    """
    _check(workspace, list_id, body)
    return tags.tag(workspace, body.lead_ids, add=body.add, remove=body.remove, list_id=list_id)


def _check(workspace: Workspace, list_id: int, body: ChosenLeads) -> None:
    lists.get_list(workspace, list_id)
    leads.check_known(workspace, body.lead_ids)
