"""People: one person of the workspace over all lists, what they answered, why they were contacted, the merge of two."""

from typing import Annotated, Any, Literal

from app import resources
from app.api.framework.bodies import Body, Day, Id
from app.api.framework.endpoint import endpoint
from app.api.framework.schema_notes import PRINTED, any_one_of, case, up_to
from app.api.leads.list_leads import Undo
from app.domain.autopilot.monitors import fit
from app.domain.leads import merge_people, records
from app.domain.leads.campaign_leads import company_corrections
from app.domain.people import companies, duplicates, merge
from app.domain.privacy import contact_record
from app.domain.privacy.contact_record import ContactRecord
from app.domain.tasks import marked_answers
from app.domain.workspace.workspaces import Workspace

PERSON = "/people/<id:person_id>"


class MarkedAnswer(Body):
    """A reply that Overture did not receive. With `not_now`, `until` is the day to follow up."""

    model_config = any_one_of(
        case("`not_now`, with or without `until`.", answer={"const": "not_now"}),
        case("Any other `answer`, without `until`.", until={"type": "null"}),
    )

    answer: Literal["replied_elsewhere", "met", "not_now", "none"]
    """What the person did: replied elsewhere, met you, or said “not now”. `none` undoes the last such record."""
    until: Day | None = None
    """The day to follow up, at most five years from now; null for three months from now. Only for `not_now`."""


class Merge(Body):
    """The person to merge into the person in the path."""

    other_id: Id
    """The id of the person to merge into the person in the path."""
    preview: bool = False
    """True to preview the merge without changing anything."""


class OtherPerson(Body):
    """The second of the two people."""

    other_id: Id
    """The id of the other person."""


class CompanyByHand(Body):
    """The person's company."""

    company: Annotated[str, up_to(companies.LONGEST, **PRINTED)] | None
    """The website or name of the company; empty for no company, null to take it from the person's data."""


@endpoint("GET", PERSON, scope="lists:read", returns=resources.PersonRecord)
def show(workspace: Workspace, person_id: int) -> Any:
    """Get a person: identifiers, fields and their sources, lists, campaigns, and fit with the targeting.

    If the person was merged into another person, the response is the other person.
    """
    record = records.of_person(workspace, person_id)
    return record, fit.of_people(workspace, [record.person]).get(record.person.id)


@endpoint(
    "PUT",
    PERSON + "/company",
    scope="lists:write",
    body=CompanyByHand,
    returns=resources.PersonRecord,
    example={"company": "acme.com"},
)
def set_company(workspace: Workspace, person_id: int, body: CompanyByHand) -> Any:
    """Correct a person's company; its holds and limits apply immediately. The person's fields do not change."""
    company_corrections.correct(workspace, person_id, body.company)
    return show(workspace, person_id)


@endpoint("GET", PERSON + "/contact-proof", scope="lists:read", returns=resources.ContactProof)
def show_contact_proof(workspace: Workspace, person_id: int) -> ContactRecord:
    """List every time a person was contacted, with the checks made before each contact."""
    return contact_record.of_person(workspace, person_id)


@endpoint(
    "POST",
    PERSON + "/merge",
    scope="lists:write",
    body=Merge,
    returns=resources.MergeResult,
    example={"otherId": 12, "preview": True},
)
def merge_other(workspace: Workspace, person_id: int, body: Merge) -> tuple[Any, str]:
    """Merge another person into this one, or preview the merge.

    If both people have a value, the value edited by hand is kept or, if there is none, the value of the person in the
    path. Replaced values stay in the history. You can undo the merge within ten minutes. Returns 409 while something is
    being sent to one of the two people; try again in a few minutes.
    """
    looked = merge_people.preview(workspace, person_id, body.other_id)
    return looked, "" if body.preview else merge_people.merge_people(workspace, person_id, body.other_id)


@endpoint(
    "POST",
    PERSON + "/unmerge",
    scope="lists:write",
    body=Undo,
    returns=resources.MergeUndone,
    example={"undo": "3kTMd9QxZ1vC8nRbY2Lw"},
)
def unmerge(workspace: Workspace, person_id: int, body: Undo) -> int:
    """Undo a merge.

    Both people get their values, lists, campaigns and conversations back. Returns 409 if more than ten minutes have
    passed, or if the person has been merged again since; in that case, undo the later merge first.
    """
    merge.current(workspace, person_id)
    return merge_people.MERGED.undo(workspace, body.undo, keep=person_id)


@endpoint("POST", PERSON + "/tell-apart", scope="lists:write", body=OtherPerson, returns=None, example={"otherId": 12})
def tell_apart(workspace: Workspace, person_id: int, body: OtherPerson) -> None:
    """Mark two people as different, so that they are not suggested as duplicates.

    Neither person is changed.
    """
    duplicates.tell_apart(workspace, person_id, body.other_id)


@endpoint(
    "POST",
    PERSON + "/suggest-again",
    scope="lists:write",
    body=OtherPerson,
    returns=None,
    example={"otherId": 12},
)
def suggest_again(workspace: Workspace, person_id: int, body: OtherPerson) -> None:
    """Allow two people to be suggested as duplicates again.

    If the two people were not marked as different, nothing happens.
    """
    duplicates.suggest_again(workspace, person_id, body.other_id)


@endpoint(
    "POST",
    PERSON + "/answer",
    scope="conversations:write",
    body=MarkedAnswer,
    returns=resources.PersonAnswer,
    example={"answer": "met"},
)
def mark(workspace: Workspace, person_id: int, body: MarkedAnswer) -> Any:
    """Record that a person replied elsewhere, met you in person, or said "not now".

    As after a reply, the person's campaigns end, and colleagues are put on hold until a member decides. `not_now` also
    creates a task. `none` undoes the last such record and resumes the campaigns, or returns 409 if the person has
    replied since then.
    """
    person = marked_answers.mark(workspace, person_id, body.answer, body.until)
    return person, marked_answers.name_of(person.answer)
