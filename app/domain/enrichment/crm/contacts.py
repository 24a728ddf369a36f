"""Contacts of the CRM come in: what is known of each, and what changed goes to the people who are here.

Only what differs from what was last seen there, or written there by us, counts as a change: nothing of ours comes back.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from pydantic.alias_generators import to_camel

from app.core import text
from app.core.db import change_rows, in_batches, in_list, session
from app.domain.enrichment.crm.settings import FACTS, CrmSettings
from app.domain.leads import profiles
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import company_identity, identities, people
from app.domain.people.exclusions import never_contact
from app.domain.people.identities import Identity
from app.domain.people.people import Merge, ProfileFields
from app.domain.people.sources import Source
from app.models.crm import CrmCompany, CrmConnection, CrmContact
from app.models.leads import NeverContactKind
from app.models.people import IdentityKind, Person, SourceKind
from app.models.workspaces import Workspace
from app.ports.crm import CrmCompany as ThereCompany
from app.ports.crm import CrmContact as There
from app.ports.crm import CrmDeal

MERGES = {"crm": Merge.OVERWRITE, "fill": Merge.FILL}
CUSTOM = "crm_"  # prefix of custom fields that hold facts of the CRM
BECAUSE = "Opted out in your CRM."
Changed = Sequence[tuple[CrmContact, Collection[str]]]


def take(
    workspace: Workspace,
    connection: CrmConnection,
    settings: CrmSettings,
    title: str,
    found: Sequence[There],
    this_pass: int,
) -> None:
    """Store the CRM's values of these contacts, and update the people with the changes. Inside a transaction."""
    found = list({one.id: one for one in found if one.id}.values())
    rows = known(connection, [one.id for one in found])
    addresses = {one.id: text.email(one.email) for one in found}
    erased = never_contact.is_erased(workspace.id, set(addresses.values()) - {""})
    owners = identities.owners(workspace.id, {_identity(address) for address in addresses.values() if address})
    changed: list[tuple[CrmContact, Collection[str]]] = []
    for one in found:
        address, row = addresses[one.id], rows.get(one.id)
        if address in erased:
            continue
        if row is not None:
            row.seen_pass = this_pass
            if one.changed_at and row.changed_at and one.changed_at < row.changed_at:
                continue  # the change is older than our last write to the CRM
        before = _values(connection, row) if row is not None else {}
        if row is None:
            row = CrmContact(workspace_id=workspace.id, connection_id=connection.id, external_id=one.id)
            row.opted_out, row.status, row.seen_pass = False, "", this_pass
            session().add(row)
        stops = row.opted_out, row.status in settings.stop_statuses
        _set(row, one, address, settings)
        connection.naming |= stops != (row.opted_out, row.status in settings.stop_statuses)
        if address and (owner := owners.get(_identity(address))):
            row.person_id = owner
        after = _values(connection, row)
        if row.person_id and (names := {name for name, value in after.items() if value != before.get(name, "")}):
            changed.append((row, names))
    session().flush()
    give(workspace, connection, settings, title, changed)


def known(connection: CrmConnection, ids: Sequence[str]) -> dict[str, CrmContact]:
    """Return what is known of these contacts."""
    query = sa.select(CrmContact).where(CrmContact.connection_id == connection.id)
    return {row.external_id: row for row in session().scalars(query.where(in_list(CrmContact.external_id, ids)))}


def _identity(address: str) -> Identity:
    return Identity(IdentityKind.EMAIL, address)


def _set(row: CrmContact, one: There, address: str, settings: CrmSettings) -> None:
    row.email, row.changed_at = address, one.changed_at
    row.values = {name: text.squeeze(value) for name, value in one.values.items() if value.strip()}
    row.owner_id, row.stage, row.status, row.company_id = one.owner_id, one.stage, one.status, one.company_id
    row.opted_out, row.customer = one.opted_out, one.stage in settings.customer_stages


def _values(connection: CrmConnection, row: CrmContact) -> dict[str, str]:
    """Return the values of a contact by field, with the facts."""
    owner = connection.owners.get(row.owner_id, "")
    return {**row.values, **{name: value for name, value in (("stage", row.stage), ("owner", owner)) if value}}


def give(workspace: Workspace, connection: CrmConnection, settings: CrmSettings, title: str, changed: Changed) -> None:
    """Copy these fields of contacts to their people, as the settings allow. Inside a transaction."""
    if not changed:
        return
    columns = (Person.id, Person.public_id, Person.email)
    ids = [row.person_id for row, _ in changed if row.person_id]
    named = {row.id: row for row in session().execute(sa.select(*columns).where(in_list(Person.id, ids)))}
    source = Source(SourceKind.CRM, title, workspace.lawful_basis)
    touched: set[int] = set()
    for mode, merge in MERGES.items():
        given = [
            fields
            for row, names in changed
            if (person := named.get(row.person_id or 0))
            and (fields := _given(person, _values(connection, row), _of_mode(settings, names, mode)))
        ]
        if given:
            found = people.match(workspace, given)
            kept, _ = people.put(workspace, found, source, merge)
            touched |= kept.changed
    campaign_leads.refresh_changed(workspace, sorted(touched))


def _of_mode(settings: CrmSettings, names: Collection[str], mode: str) -> list[str]:
    return [name for name in names if name in settings.fields and settings.fields[name].incoming == mode]


def _given(person: Any, values: Mapping[str, str], names: Sequence[str]) -> ProfileFields | None:
    """Return the values as fields of that person; None without any that can be taken."""
    told = {name: values[name] for name in names if values.get(name)}
    if person.public_id:
        told.pop("profile_url", None)  # identity changes only by a merge or by hand
    fields = read(told, {"public_id": person.public_id} if person.public_id else {"email": person.email})
    return fields if fields and len(fields) > 1 else None


def read(values: Mapping[str, str], name: Mapping[str, str]) -> ProfileFields | None:
    """Return valid columns of values by field, with what names the person; None when nothing names them."""
    told: dict[str, Any] = {to_camel(field): value for field, value in {**values, **name}.items() if field not in FACTS}
    told = dict(profiles.shortened(told))
    facts = {CUSTOM + field: values[field] for field in FACTS if values.get(field)}
    try:
        return profiles.read({**told, **({"customFields": facts} if facts else {})}, by_email=True).fields
    except InvalidProfile:
        return None


def profile(connection: CrmConnection, settings: CrmSettings, row: CrmContact) -> ProfileFields | None:
    """Return the fields of a contact that come in; None when nothing names the person."""
    values = _values(connection, row)
    wanted = {
        name: values[name] for name, rule in settings.fields.items() if rule.incoming != "off" and values.get(name)
    }
    return read(wanted, {"email": row.email} if row.email else {})


def forget_unseen(connection: CrmConnection, this_pass: int) -> None:
    """Forget the contacts and companies that a whole pass did not see: they are gone there. Inside a transaction."""
    connection.naming = True
    for model in (CrmContact, CrmCompany):
        change_rows(sa.delete(model).where(model.connection_id == connection.id, model.seen_pass != this_pass))


def take_companies(
    connection: CrmConnection, settings: CrmSettings, found: Sequence[ThereCompany], this_pass: int
) -> None:
    """Keep what the CRM says of these companies. Inside a transaction."""
    query = sa.select(CrmCompany).where(CrmCompany.connection_id == connection.id)
    ids = [one.id for one in found]
    rows = {row.external_id: row for row in session().scalars(query.where(CrmCompany.external_id.in_(ids)))}
    for one in {one.id: one for one in found if one.id}.values():
        row = rows.get(one.id)
        if row is None:
            row = CrmCompany(workspace_id=connection.workspace_id, connection_id=connection.id, external_id=one.id)
            session().add(row)
        row.name, row.domain = one.name, company_identity.domain_of(one.domain)
        row.stage, row.customer, row.seen_pass = one.stage, one.stage in settings.customer_stages, this_pass
    session().flush()


def take_deals(connection: CrmConnection, deals: Sequence[CrmDeal], this_pass: int) -> None:
    """Mark who has an open deal. Inside a transaction."""
    of_contacts = {one for deal in deals for one in deal.contact_ids}
    of_companies = {one for deal in deals for one in deal.company_ids}
    for model, ids in ((CrmContact, of_contacts), (CrmCompany, of_companies)):
        theirs = sa.update(model).where(model.connection_id == connection.id, in_list(model.external_id, ids))
        change_rows(theirs.values(open_deal=True, deal_pass=this_pass))


def end_deals(connection: CrmConnection, this_pass: int) -> None:
    """Mark who has no open deal any more. Inside a transaction."""
    for model in (CrmContact, CrmCompany):
        closed = (model.connection_id == connection.id, model.open_deal.is_(True), model.deal_pass != this_pass)
        change_rows(sa.update(model).where(*closed).values(open_deal=False))


def name_do_not_contact(workspace: Workspace, connection: CrmConnection, settings: CrmSettings) -> None:
    """Keep the do-not-contact list in step with who opted out there. Inside a transaction."""
    if not connection.naming:
        return
    stops = sa.or_(CrmContact.opted_out.is_(True), CrmContact.status.in_(settings.stop_statuses))
    query = sa.select(CrmContact.email).where(CrmContact.connection_id == connection.id, CrmContact.email != "", stops)
    connection.naming, connection.named = False, connection.named + 1
    for some in in_batches(sorted(set(session().scalars(query)))):
        named = {(str(NeverContactKind.EMAIL), one): one for one in some}
        never_contact.label_for(workspace, connection.service, connection.named, named, BECAUSE)
    never_contact.replace_source(workspace, connection.service, connection.named)
