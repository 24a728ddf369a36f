"""HubSpot: contacts, companies, deals, lists and activities, over CRM v3 with the token of a private app.

Activities carry `overture_key`, a property with unique values, and are written by batch upsert on it: HubSpot itself
keeps one of each. A search ends at 10,000 results, so it goes on from the last change it showed.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from app.ports import (
    Activity,
    Credentials,
    CrmChange,
    CrmCompany,
    CrmContact,
    CrmDeal,
    CrmList,
    CrmOwner,
    CrmPage,
    Field,
    Fill,
    LoggedOut,
    NewContact,
    ProviderError,
    Recorded,
    Refused,
    Service,
    Throttled,
    Unreachable,
)
from app.providers.crm import hubspot_activities as activities_of
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi, Reply, id_of, number_of, part_of, text_of, things_of

URL = "https://api.hubapi.com"
PAGE, SEARCHED, LISTED, FOUND = 100, 200, 250, 10_000  # records of a page, of a search's page, of a list's, of a search
SCOPES = (
    *("crm.objects.contacts.read", "crm.objects.contacts.write", "crm.schemas.contacts.write"),
    *("crm.objects.companies.read", "crm.objects.deals.read", "crm.objects.owners.read", "crm.lists.read"),
)
PROPERTIES = {
    "first_name": "firstname",
    "last_name": "lastname",
    "position": "jobtitle",
    "company_name": "company",
    "company_url": "website",
    "location": "city",
    "phone": "phone",
    "profile_url": "hs_linkedin_url",
}
_READ = (
    *PROPERTIES.values(),
    *("email", "hubspot_owner_id", "lifecyclestage", "hs_lead_status", "hs_email_optout", "associatedcompanyid"),
    "lastmodifieddate",
)
_COMPANY = ("name", "domain", "lifecyclestage", "hs_lastmodifieddate")
BY_PEOPLE = ("CRM_UI", "MOBILE_IOS", "MOBILE_ANDROID", "CONTACTS_WEB", "BCC_TO_CRM")  # sources of typed values
ROLLING, UNTIL_TOMORROW = 10, 3600  # seconds: the window of the burst limit, and between looks after the daily one


class HubSpot:
    """A `ports.Crm`."""

    service = Service(
        name="hubspot",
        title="HubSpot",
        serves=frozenset({"crm"}),
        fields=(Field("token", "Access token"),),
        guide="In HubSpot, open Settings → Integrations → Private apps. Create an app with the scopes "
        + ", ".join(SCOPES)
        + ", then paste its access token here.",
        cost={},
        link="https://app.hubspot.com/private-apps",
    )
    fields = tuple(PROPERTIES)
    tells_typed = True
    customer_stages = ("customer", "evangelist")

    def __init__(self, client: HttpClient, url: str = URL) -> None:
        self._api = JsonApi(client, "HubSpot", url, within=20.0)

    def check(self, credentials: Credentials) -> str:
        """See ports.ServiceAdapter."""
        try:
            reply = self._ask(credentials, "GET", "/account-info/v3/details")
            self._ask(credentials, "GET", "/crm/v3/objects/contacts", query={"limit": 1})
            activities_of.prepare(lambda *told, **more: self._ask(credentials, *told, **more))
        except LoggedOut as failure:
            raise Refused(failure.sentence) from None
        portal = number_of(reply.part("portalId"))
        return f"Connected to the account {portal}." if portal else "Connected."

    def owners(self, credentials: Credentials, cursor: str) -> CrmPage[CrmOwner]:
        """See ports.Crm."""
        reply = self._ask(credentials, "GET", "/crm/v3/owners", query=_page(PAGE, cursor))
        found = [CrmOwner(_id(one), _owner_name(one)) for one in reply.things("results")]
        return CrmPage([one for one in found if one.id], _next(reply))

    def contacts(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmContact]:
        """See ports.Crm."""
        page = self._records(credentials, "contacts", _READ, "lastmodifieddate", since, cursor)
        return CrmPage([_contact(one) for one in page.things], page.cursor)

    def contacts_by_id(self, credentials: Credentials, ids: Sequence[str]) -> Sequence[CrmContact]:
        """See ports.Crm."""
        body = {"properties": list(_READ), "inputs": [{"id": one} for one in ids]}
        reply = self._ask(credentials, "POST", "/crm/v3/objects/contacts/batch/read", body=body)
        return [_contact(one) for one in reply.things("results")]

    def companies(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmCompany]:
        """See ports.Crm."""
        page = self._records(credentials, "companies", _COMPANY, "hs_lastmodifieddate", since, cursor)
        return CrmPage([_company(one) for one in page.things], page.cursor)

    def open_deals(self, credentials: Credentials, cursor: str) -> CrmPage[CrmDeal]:
        """See ports.Crm."""
        query = {"properties": "hs_is_closed", "associations": "contacts,companies", **_page(PAGE, cursor)}
        reply = self._ask(credentials, "GET", "/crm/v3/objects/deals", query=query)
        found = [one for one in reply.things("results") if _value(one, "hs_is_closed") != "true"]
        deals = [CrmDeal(_id(one), _associated(one, "contacts"), _associated(one, "companies")) for one in found]
        return CrmPage(deals, _next(reply))

    def lists(self, credentials: Credentials) -> Sequence[CrmList]:
        """See ports.Crm."""
        found: list[CrmList] = []
        offset = 0
        while len(found) < 2000:
            body = {"objectTypeId": "0-1", "offset": offset, "count": LISTED, "additionalProperties": ["hs_list_size"]}
            reply = self._ask(credentials, "POST", "/crm/v3/lists/search", body=body)
            found += [_list(one) for one in reply.things("lists")]
            if reply.part("hasMore") is not True or (further := number_of(reply.part("offset")) or 0) <= offset:
                break
            offset = further
        return [one for one in found if one.id]

    def members(self, credentials: Credentials, list_id: str, cursor: str) -> CrmPage[str]:
        """See ports.Crm."""
        reply = self._ask(credentials, "GET", f"/crm/v3/lists/{list_id}/memberships", query=_page(LISTED, cursor))
        if reply.status == 404:
            raise Refused("This list was deleted in HubSpot.")
        return CrmPage([id_of(one.get("recordId")) for one in reply.things("results")], _next(reply))

    def create(self, credentials: Credentials, people: Sequence[NewContact]) -> Mapping[str, str]:
        """See ports.Crm."""
        there = self._by_address(credentials, [one.email for one in people])
        inputs = [
            {"id": one.email, "idProperty": "email", "properties": {"email": one.email, **_properties(one.values)}}
            for one in people
            if one.email not in there
        ]
        if inputs:
            reply = self._ask(credentials, "POST", "/crm/v3/objects/contacts/batch/upsert", body={"inputs": inputs})
            self._refuse(reply)
            there |= {_value(one, "email"): _id(one) for one in reply.things("results")}
        return there

    def change(self, credentials: Credentials, changes: Sequence[CrmChange]) -> Mapping[str, CrmContact]:
        """See ports.Crm."""
        wanted = {one.contact_id: one for one in changes}
        body = {
            "properties": list(_READ),
            "propertiesWithHistory": list(PROPERTIES.values()),
            "inputs": [{"id": one} for one in wanted],
        }
        reply = self._ask(credentials, "POST", "/crm/v3/objects/contacts/batch/read", body=body)
        self._refuse(reply)
        there = {_id(one): one for one in reply.things("results")}
        inputs = [
            {"id": contact_id, "properties": found}
            for contact_id, record in there.items()
            if contact_id in wanted and (found := _writable(record, wanted[contact_id]))
        ]
        if inputs:
            reply = self._ask(credentials, "POST", "/crm/v3/objects/contacts/batch/update", body={"inputs": inputs})
            self._refuse(reply)
            for one in reply.things("results"):
                if record := there.get(_id(one)):
                    written = {**_properties_of(record), **_properties_of(one)}
                    there[_id(one)] = {**record, "properties": written, "updatedAt": one.get("updatedAt")}
        return {contact_id: _contact(record, record.get("updatedAt")) for contact_id, record in there.items()}

    def record(self, credentials: Credentials, activities: Sequence[Activity], maybe: Collection[str]) -> Recorded:
        """See ports.Crm. `maybe` makes no difference: HubSpot keeps one activity for each key."""
        kind = activities_of.KINDS[activities[0].kind]
        inputs = [activities_of.upserted(kind, one) for one in activities]
        reply = self._ask(credentials, "POST", f"/crm/v3/objects/{kind.objects}/batch/upsert", body={"inputs": inputs})
        self._refuse(reply)
        made = {_value(one, activities_of.KEY): _id(one) for one in reply.things("results")}
        pairs = [
            {"from": {"id": made[one.key]}, "to": {"id": one.contact_id}, "types": [activities_of.association(kind)]}
            for one in activities
            if one.key in made
        ]
        path = f"/crm/v4/associations/{kind.objects}/contacts/batch/create"
        joined = self._ask(credentials, "POST", path, body={"inputs": pairs})
        gone = _not_joined(joined)
        result = Recorded({one.key: made[one.key] for one in activities if one.key in made})
        for one in activities:
            if one.contact_id in gone:
                result.ids.pop(one.key, None)
                result.refused[one.key] = "This contact was deleted in HubSpot."
        return result

    def _records(
        self,
        credentials: Credentials,
        kind: str,
        properties: Sequence[str],
        changed: str,
        since: datetime | None,
        cursor: str,
    ) -> CrmPage[dict[str, Any]]:
        """Return a page of all records, or of those that changed since then, the earliest change first."""
        path = f"/crm/v3/objects/{kind}"
        if since is None:
            query = {"properties": ",".join(properties), "archived": "false", **_page(PAGE, cursor)}
            reply = self._ask(credentials, "GET", path, query=query)
            return CrmPage(reply.things("results"), _next(reply))
        begin, after = json.loads(cursor) if cursor else (_milliseconds(since), "")
        only = {"propertyName": changed, "operator": "GTE", "value": str(begin)}
        body = {
            "filterGroups": [{"filters": [only]}],
            "sorts": [{"propertyName": changed, "direction": "ASCENDING"}],
            "properties": list(properties),
            "limit": SEARCHED,
            **({"after": after} if after else {}),
        }
        reply = self._ask(credentials, "POST", f"{path}/search", body=body)
        found, further = reply.things("results"), _next(reply)
        if further and int(further) + SEARCHED > FOUND:
            last = _milliseconds(_moment(_value(found[-1], changed)))
            if last <= begin:  # more than a search shows changed in one moment
                raise Refused("Too many contacts changed at once for HubSpot's search.")
            return CrmPage(found, json.dumps([last, ""]))
        return CrmPage(found, json.dumps([begin, further]) if further else "")

    def _by_address(self, credentials: Credentials, addresses: Sequence[str]) -> dict[str, str]:
        body = {"properties": ["email"], "idProperty": "email", "inputs": [{"id": one} for one in addresses]}
        reply = self._ask(credentials, "POST", "/crm/v3/objects/contacts/batch/read", body=body)
        return {_value(one, "email"): _id(one) for one in reply.things("results")}

    def _refuse(self, reply: Reply) -> None:
        if reply.status == 400:
            raise Refused(f"HubSpot rejected the request: {text_of(reply.part('message'), 200) or reply.words}")

    def _ask(self, credentials: Credentials, method: str, path: str, **more: Any) -> Reply:
        bearer = {"authorization": f"Bearer {credentials.values['token']}"}
        reply = self._api.ask(method, path, bearer, **more)
        if failure := _failure(reply):
            raise failure
        if reply.status in (200, 201, 207) and not isinstance(reply.json, dict):
            raise self._api.strange()
        return reply


def _failure(reply: Reply) -> ProviderError | None:
    """Return the error that a status means; None for answers, which 400, 404 and 409 are too."""
    match reply.status:
        case 200 | 201 | 204 | 207 | 400 | 404 | 409:
            return None
        case 401:
            return LoggedOut("HubSpot rejected this access token. Create a new token and connect again.")
        case 403:
            return LoggedOut(f"The private app in HubSpot lacks a scope. It needs {', '.join(SCOPES)}.")
        case 429:
            daily = text_of(reply.part("policyName")).upper() == "DAILY"
            wait = UNTIL_TOMORROW if daily else ROLLING
            return Throttled("HubSpot's request limit has been reached for now.", wait)
        case _:
            return Unreachable(f"HubSpot returned an unexpected response ({reply.status}).")


def _page(limit: int, cursor: str) -> dict[str, str | int]:
    return {"limit": limit, **({"after": cursor} if cursor else {})}


def _next(reply: Reply) -> str:
    return id_of(reply.part("paging", "next", "after"))


def _id(record: Mapping[str, Any]) -> str:
    return id_of(record.get("id"))


def _value(record: Mapping[str, Any], name: str) -> str:
    return id_of(part_of(record, "properties", name))


def _properties_of(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found = record.get("properties")
    return found if isinstance(found, dict) else {}


def _moment(written: str) -> datetime | None:
    """Return a time as HubSpot writes it: ISO, or milliseconds."""
    try:
        if written.isdecimal():
            return datetime.fromtimestamp(int(written) / 1000, UTC)
        return datetime.fromisoformat(written) if written else None
    except (ValueError, OverflowError):
        return None


def _milliseconds(moment: datetime | None) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1) if moment else 0


def _contact(record: Mapping[str, Any], changed: Any = None) -> CrmContact:
    return CrmContact(
        id=_id(record),
        email=_value(record, "email").lower(),
        values={name: _value(record, there) for name, there in PROPERTIES.items()},
        owner_id=_value(record, "hubspot_owner_id"),
        stage=_value(record, "lifecyclestage"),
        status=_value(record, "hs_lead_status"),
        opted_out=_value(record, "hs_email_optout") == "true",
        company_id=_value(record, "associatedcompanyid"),
        changed_at=_moment(text_of(changed) or _value(record, "lastmodifieddate")),
    )


def _company(record: Mapping[str, Any]) -> CrmCompany:
    return CrmCompany(_id(record), _value(record, "name"), _value(record, "domain"), _value(record, "lifecyclestage"))


def _list(one: Mapping[str, Any]) -> CrmList:
    size = id_of(part_of(one, "additionalProperties", "hs_list_size"))
    return CrmList(id_of(one.get("listId")), text_of(one.get("name")), int(size) if size.isdecimal() else None)


def _owner_name(one: Mapping[str, Any]) -> str:
    name = f"{text_of(one.get('firstName'))} {text_of(one.get('lastName'))}".strip()
    return name or text_of(one.get("email"))


def _associated(record: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    found = things_of(record, "associations", kind, "results")
    return tuple(dict.fromkeys(_id(one) for one in found))


def _properties(values: Mapping[str, str]) -> dict[str, str]:
    return {PROPERTIES[name]: value for name, value in values.items() if name in PROPERTIES and value}


def _writable(record: Mapping[str, Any], change: CrmChange) -> dict[str, str]:
    """Return the values that may be written: where nothing is, or over what no person typed."""
    found = {}
    for name, (value, fill) in change.values.items():
        there = PROPERTIES[name]
        known = _value(record, there)
        history = things_of(record, "propertiesWithHistory", there)
        typed = bool(history) and text_of(history[0].get("sourceType")) in BY_PEOPLE
        if value != known and (not known or (fill == Fill.OURS and not typed)):
            found[there] = value
    return found


def _not_joined(reply: Reply) -> set[str]:
    """Return the contacts with which activities could not be joined, because they are gone."""
    gone: set[str] = set()
    for error in reply.things("errors"):
        context = error.get("context")
        for ids in (context if isinstance(context, dict) else {}).values():
            gone |= {id_of(one) for one in ids} if isinstance(ids, list) else set()
    return gone
