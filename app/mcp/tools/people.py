"""Tools for people: find them, add them to lists, and keep some from being contacted."""

from typing import Annotated

from pydantic import Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.core.text import LONGEST_NAME
from app.domain.leads import filters, leads, lists
from app.domain.leads.filters import Wanted
from app.domain.people.exclusions import never_contact
from app.domain.people.people import Merge
from app.mcp.tool import Call, OnePage, listed, picked, tool
from app.resources import Json

SHOWN = "id personId listId firstName lastName headline position companyName location email phone profileUrl tags"
ADD_AT_ONCE = 100


class FindPeople(OnePage):
    """Filters, all of which must match."""

    query: Annotated[
        str, Field(max_length=200, description="Words in names, titles, companies, locations or email addresses.")
    ] = ""
    list_id: Annotated[Id | None, Field(description="Only people in this list.")] = None
    tag: Annotated[str, Field(max_length=50)] = ""
    state: Annotated[
        str,
        Field(
            description="Only people who have this state in a campaign.",
            json_schema_extra={"enum": ["", *resources.LEAD_STATES]},
        ),
    ] = ""
    email: Annotated[str, Field(max_length=320)] = ""


class NewList(Body):
    """The list's name, and the lawful basis for contacting its people."""

    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    lawful_basis: Annotated[
        str, Field(max_length=200, description="Such as `legitimate interest`; empty to use the workspace's.")
    ] = ""


class NewPerson(Body):
    """A person to add, who needs a `profileUrl` or an `email`."""

    profile_url: Annotated[str, Field(description="The URL of the person's LinkedIn profile.")] = ""
    email: str = ""
    first_name: str = ""
    last_name: str = ""
    position: str = ""
    company_name: str = ""
    company_url: str = ""
    location: str = ""
    headline: str = ""
    phone: str = ""
    tags: list[str] = []
    custom_fields: Annotated[dict[str, str], Field(description="Used by variables such as {{custom.tier}}.")] = {}


class NewPeople(Body):
    """The list, and the people to add."""

    list_id: Id
    people: Annotated[list[NewPerson], AtMost(ADD_AT_ONCE), Field(min_length=1)]


class NeverContact(Body):
    """The people, domains or companies that must never be contacted."""

    entries: Annotated[
        list[str],
        AtMost(ADD_AT_ONCE),
        Field(min_length=1, description="Email addresses, profile URLs, domains (acme.com) or `company:Wool Ltd`."),
    ]
    reason: Annotated[str, Field(max_length=200)] = ""


@tool("Find people", scope="lists:read", takes=FindPeople)
def find_people(call: Call, asked: FindPeople) -> Json:
    """Find people in the workspace's lists, newest first: by words, list, tag, email address or state in a campaign.

    A person has one entry in each of their lists: `personId` is the same in all of them, and `id` is the leadId for
    preview_campaign and why_waiting. Only Overture's own lists are searched, not LinkedIn.
    """
    given = asked.model_dump(exclude={"limit", "cursor"})
    found = call.page(asked, filters.page(call.workspace, Wanted(**given)), of=resources.Lead)
    return listed(found, (picked(one, SHOWN) for one in found.rows))


@tool("List lists", scope="lists:read", takes=OnePage)
def list_lists(call: Call, asked: OnePage) -> Json:
    """List the workspace's lists of people and of companies, newest first, with their ids and sizes."""
    found = call.page(asked, lists.lists(call.workspace), of=resources.ListResource)
    return listed(found, (picked(one, "id name type leadCount") for one in found.rows))


@tool("Create a list", scope="lists:write", takes=NewList, writes=True)
def create_list(call: Call, asked: NewList) -> Json:
    """Create an empty list of people. Campaigns write to the people in a list."""
    made = lists.create_list(call.workspace, asked.name, lawful_basis=asked.lawful_basis)
    return {"id": made.id, "name": made.name}


@tool("Add people to a list", scope="lists:write", takes=NewPeople, writes=True)
def add_people(call: Call, asked: NewPeople) -> Json:
    """Add up to 100 people to a list, without duplicates; for known people, only missing data is added.

    No one is contacted. People on the do-not-contact list are skipped. `problems` lists values that were left out and
    people who were not added, by their position in `people`, starting at 0. Only add people the user named, or people
    from a source the user chose; never make up addresses.
    """
    profiles = [one.model_dump(by_alias=True, exclude_defaults=True) for one in asked.people]
    result = leads.add(call.workspace, asked.list_id, profiles, merge=Merge.FILL, by_email=True)
    counts: Json = {name: getattr(result, name) for name in ("added", "updated", "skipped", "invalid")}
    return counts | {
        "problems": [{"index": one.at, "field": one.field, "message": one.message} for one in result.problems]
    }


@tool("Never contact", scope="lists:write", takes=NeverContact, writes=True)
def do_not_contact(call: Call, asked: NeverContact) -> Json:
    """Add people, domains or companies to the do-not-contact list; campaigns end for these people immediately.

    Use this when someone opts out. Only a member can remove entries.
    """
    result = never_contact.add(call.workspace, asked.entries, asked.reason or f"Added by {call.by}")
    return resources.AddEntriesResult.of(result)
