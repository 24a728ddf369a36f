"""Lists, their leads, and the companies of lists of companies."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import ConfigDict, Field

from app import resources
from app.api.framework.bodies import AtMost, Body, Id
from app.api.framework.endpoint import FORMAT, CsvFile, Filter, endpoint, moment_of, one_of, text_of
from app.api.framework.schema_notes import (
    A_NAME,
    PROFILE,
    WRITTEN,
    ShownAs,
    among,
    any_one_of,
    case,
    described_as,
    taken_in_part,
    up_to,
    within,
    without_defaults,
)
from app.api.leads.list_leads import Undo
from app.domain.leads import company_people, csv_export, filters, leads, listed_companies, lists, profiles, removals
from app.domain.leads.filters import Wanted
from app.domain.people import sources
from app.domain.people.people import Merge
from app.domain.rules.limits import SEARCH_MOST
from app.domain.workspace.workspaces import Workspace
from app.ports import Product

LIST = "/lists/<id:list_id>"
COMPANIES = LIST + "/companies"


MERGE = Literal["", "fill", "overwrite", "replace", "keep"]
MERGE_MEANS = (
    "How to update people who are already known: `fill` adds missing values, `overwrite` replaces all values except"
    " manual edits, `replace` also replaces manual edits, and `keep` changes nothing. If omitted or empty, the"
    " workspace's setting applies or, if there is none, `{usual}`."
)
BASIS: Any = up_to(sources.LONGEST_BASIS)
IN_STATE = one_of(*resources.LEAD_STATES, about="Only leads that are in this state in a campaign.")
QUERY = text_of(200, "Only leads with all of these words in the name, title, company, location or email address.")
FILTERS = {
    "query": QUERY,
    "tag": text_of(profiles.LONGEST_TAG, "Only leads with this tag; case is ignored."),
    "state": Filter(IN_STATE.parse, IN_STATE.schema, "Only leads that have this state in a campaign."),
    "repliedSince": moment_of("Only leads whose last reply was received at this time or later."),
}


class NewList(Body):
    """The name and type of the list."""

    name: Annotated[str, A_NAME]
    """The name of the list."""
    type: Annotated[str, among(*lists.TYPES)] = "people"
    """What the list contains: `people` or `companies`; all other values mean `people`."""
    lawful_basis: Annotated[str, BASIS] = ""
    """The lawful basis for contacting these people, such as `legitimate interest`; empty to use the workspace's."""


class ListChange(Body):
    """The list's new name and, if you send it, its lawful basis."""

    name: Annotated[str, A_NAME]
    """The new name."""
    lawful_basis: Annotated[str, BASIS] | None = None
    """The lawful basis for contacting these people. If omitted, the lawful basis stays the same."""


LONGEST = dict(profiles.TEXTS.values())
CustomFields = Annotated[
    dict[str, Any],
    described_as(
        maxProperties=profiles.MOST_CUSTOM_FIELDS,
        propertyNames={**WRITTEN, "maxLength": profiles.LONGEST_CUSTOM_NAME},
    ),
]


def holds(field: str, **facts: Any) -> Any:
    """Limit the value to what a person's field takes."""
    return up_to(LONGEST[field], **facts)


class PersonFields(Body):
    """The data of a person."""

    model_config = ConfigDict(json_schema_extra=without_defaults)

    public_id: Annotated[str, holds("public_id", **(WRITTEN | PROFILE))] = ""
    """The public id of the LinkedIn profile: the last part of its URL. You can also send the URL."""
    profile_url: Annotated[str, holds("profile_url", **PROFILE)] = ""
    """The URL of the LinkedIn profile. You can also send the public id."""
    first_name: Annotated[str, holds("first_name")] = ""
    """The first name."""
    last_name: Annotated[str, holds("last_name")] = ""
    """The last name."""
    headline: Annotated[str, holds("headline")] = ""
    """The headline of the profile."""
    position: Annotated[str, holds("position")] = ""
    """The job title."""
    company_name: Annotated[str, holds("company_name")] = ""
    """The name of the company."""
    company_url: Annotated[str, holds("company_url")] = ""
    """The URL of the company's website or page."""
    location: Annotated[str, holds("location")] = ""
    """The person's location, such as `Berlin, Germany`."""
    email: Annotated[str, holds("email", format="email-or-empty")] = ""
    """The email address."""
    phone: Annotated[str, holds("phone")] = ""
    """The phone number."""


class NewLead(PersonFields):
    """A person to add. Invalid values are left out and listed in `problems`; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", json_schema_extra=taken_in_part)

    custom_fields: CustomFields = {}
    """Custom fields, by name, which messages can use as variables. Custom fields you leave out stay the same."""


class Profiles(Body):
    """The people to add, each with `profileUrl` or `publicId` or, with `identity: "email"`, an `email`.

    Invalid people and fields are left out and listed in `problems`; all others are added.
    """

    profiles: Annotated[list[dict[str, Any]], ShownAs(NewLead), AtMost(leads.MOST_PROFILES)]
    """The people to add."""
    merge: Annotated[MERGE, Field(description=MERGE_MEANS.format(usual="overwrite"))] = ""
    identity: Annotated[
        Literal["profile", "email"],
        Field(
            description="What each person must have: a LinkedIn profile or, with `email`, a profile or email address."
        ),
    ] = "profile"


@endpoint("GET", "/lists", scope="lists:read", page_of=resources.ListResource)
def page(workspace: Workspace) -> sa.Select[Any]:
    """List the workspace's lists, newest first; several can have the same name."""
    return lists.lists(workspace)


@endpoint("POST", "/lists", scope="lists:write", body=NewList, returns=resources.ListResource, status=201)
def create(workspace: Workspace, body: NewList) -> Any:
    """Create an empty list.

    A list contains people or companies; its `type` cannot be changed. Names do not have to be unique.
    """
    return lists.create_list(workspace, body.name, body.type, body.lawful_basis)


@endpoint("GET", LIST, scope="lists:read", returns=resources.ListResource)
def show(workspace: Workspace, list_id: int) -> Any:
    """Get a list."""
    return lists.get_shown(workspace, list_id)


@endpoint("PATCH", LIST, scope="lists:write", body=ListChange, returns=resources.ListResource)
def rename(workspace: Workspace, list_id: int, body: ListChange) -> Any:
    """Rename a list and, optionally, change its lawful basis.

    People and campaigns that use the list are not affected.
    """
    return lists.change_list(workspace, list_id, body.name, body.lawful_basis)


@endpoint("DELETE", LIST, scope="lists:write", returns=None)
def delete(workspace: Workspace, list_id: int) -> None:
    """Delete a list; the people stay in the workspace and in their campaigns.

    Monitors that add people to the list stop. Returns 409 while a campaign that has not ended uses the list; cancel the
    campaign first.
    """
    lists.delete_list(workspace, list_id)


@endpoint("GET", LIST + "/leads", scope="lists:read", page_of=resources.Lead, filters=FILTERS, oldest_first=True)
def leads_page(workspace: Workspace, list_id: int, **wanted: Any) -> sa.Select[Any]:
    """List a list's leads in the order they were added, optionally filtered."""
    lists.get_list(workspace, list_id)
    return filters.of_list(workspace, list_id, Wanted(**wanted))


@endpoint("POST", LIST + "/leads", scope="lists:write", body=Profiles, returns=resources.AddLeadsResult)
def add_leads(workspace: Workspace, list_id: int, body: Profiles) -> leads.AddResult:
    """Add people to a list, without duplicates.

    People are matched by LinkedIn profile, then by email address. A person who is already in the list is updated, not
    added twice. Adding people sends nothing; people only get messages from a running campaign that uses the list.
    Returns 409 for a list of companies: use a list of people.
    """
    merge = Merge(body.merge) if body.merge else None
    return leads.add(workspace, list_id, body.profiles, merge=merge, by_email=body.identity == "email")


@endpoint("GET", LIST + "/leads.csv", scope="lists:read", returns=CsvFile, filters={"format": FORMAT})
def export(workspace: Workspace, list_id: int, format: str = "") -> CsvFile:
    """Export a list as a CSV file or Excel workbook that you can import again."""
    found = lists.get_list(workspace, list_id)
    return CsvFile.of(found.name, csv_export.rows(workspace, list_id), format)


class NewCompany(Body):
    """A company, identified by name, by website, or by both."""

    name: str = ""
    """The name of the company."""
    website: str = ""
    """The website or domain of the company."""


class NewCompanies(Body):
    """Companies to add. Invalid companies are left out and listed in `problems`; all others are added."""

    companies: Annotated[list[NewCompany], AtMost(listed_companies.MOST_GIVEN)]
    """The companies to add."""


class ChosenCompanies(Body):
    """The companies to remove; ids that are not in the list are ignored."""

    company_ids: Annotated[list[Id], Field(min_length=1), AtMost(listed_companies.MOST_GIVEN)]
    """The ids of the companies."""


class LookUp(Body):
    """The companies at which to find people, and the list to which people are added.

    `known` adds people at these companies who are already in the workspace. With `accountId`, LinkedIn is also
    searched, by company and optional `title`, for up to `most` people per company.
    """

    model_config = any_one_of(
        case("`known`, with or without `accountId`.", known={"const": True}),
        case("`accountId`, with `known` set to false.", "accountId", accountId={"type": "integer"}),
    )

    company_ids: Annotated[list[Id], Field(min_length=1), AtMost(company_people.MOST_COMPANIES)]
    """The ids of the companies."""
    list_id: Id
    """The id of the list to which people are added."""
    known: bool = True
    """Whether to add people at these companies who are already in the workspace."""
    account_id: Id | None = None
    """The id of the LinkedIn account to search with; null for no search."""
    title: Annotated[str, up_to(company_people.LONGEST_TITLE)] = ""
    """The job title to search for; empty for any."""
    most: Annotated[int, within(1, SEARCH_MOST[Product.CLASSIC])] = company_people.USUAL
    """The maximum number of people per company."""


@endpoint(
    "GET",
    COMPANIES,
    scope="lists:read",
    page_of=resources.ListedCompany,
    filters={"query": text_of(200, "Only companies with all of these words in their name or domain.")},
    oldest_first=True,
)
def companies_page(workspace: Workspace, list_id: int, query: str = "") -> sa.Select[Any]:
    """List the companies in a list of companies, in the order they were added."""
    return listed_companies.of_list(workspace, list_id, query)


@endpoint(
    "POST",
    COMPANIES,
    scope="lists:write",
    body=NewCompanies,
    returns=resources.AddLeadsResult,
    example={"companies": [{"name": "Wool & Iron Ltd", "website": "wool.example"}]},
)
def add_companies(workspace: Workspace, list_id: int, body: NewCompanies) -> leads.AddResult:
    """Add companies to a list of companies, without duplicates.

    Companies are the same if they have the same domain or, without a domain, the same name.
    """
    return listed_companies.add(workspace, list_id, [one.model_dump() for one in body.companies])


@endpoint("POST", COMPANIES + "/remove", scope="lists:write", body=ChosenCompanies, returns=resources.CompaniesRemoved)
def remove_companies(workspace: Workspace, list_id: int, body: ChosenCompanies) -> tuple[int, str]:
    """Remove companies from a list of companies; people who work there are kept.

    With the token in the response, you can undo the removal within ten minutes.
    """
    return removals.remove_companies(workspace, list_id, body.company_ids)


@endpoint("POST", COMPANIES + "/restore", scope="lists:write", body=Undo, returns=resources.CompaniesRestored)
def restore_companies(workspace: Workspace, list_id: int, body: Undo) -> int:
    """Undo the removal of companies: put the companies back in the list.

    Returns 409 if more than ten minutes have passed; in that case, add the companies again.
    """
    listed_companies.get_list(workspace, list_id)
    return removals.COMPANIES.undo(workspace, body.undo, list=list_id)


@endpoint("GET", COMPANIES + ".csv", scope="lists:read", returns=CsvFile, filters={"format": FORMAT})
def export_companies(workspace: Workspace, list_id: int, format: str = "") -> CsvFile:
    """Export a list of companies as a CSV file or Excel workbook that you can import again."""
    found = listed_companies.get_list(workspace, list_id)
    return CsvFile.of(found.name, listed_companies.rows(workspace, list_id), format)


@endpoint("GET", COMPANIES + "/<id:company_id>/people", scope="lists:read", page_of=resources.Lead, oldest_first=True)
def company_people_page(workspace: Workspace, list_id: int, company_id: int) -> sa.Select[Any]:
    """List the leads who work at a company, from all lists.

    People are matched to a company by its domain or, if there is none, by its name.
    """
    return listed_companies.people_of(workspace, listed_companies.get(workspace, list_id, company_id))


@endpoint(
    "POST",
    COMPANIES + "/find-people",
    scope="lists:write",
    body=LookUp,
    returns=resources.PeopleLookUp,
    status=202,
    example={"companyIds": [1], "listId": 2, "accountId": 1, "title": "Head of Sales"},
)
def find_people(workspace: Workspace, list_id: int, body: LookUp) -> Any:
    """Add people who work at these companies to a list: people in the workspace, and others found on LinkedIn.

    Each LinkedIn search becomes a search import into that list. Returns 409 if `listId` is a list of companies: use a
    list of people.
    """
    return company_people.look_up(
        workspace,
        list_id,
        body.company_ids,
        body.list_id,
        known=body.known,
        account_id=body.account_id,
        title=body.title,
        most=body.most,
    )
