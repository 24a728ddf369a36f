"""Pipedrive: persons, organizations, deals, filters and activities, over its API v2 with a personal token.

It keeps no unique keys, so the last line of an activity's note is its key: what may be there already is looked up among
the activities of its person. It does not say who typed a value either, so only empty ones are filled.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from app.core import text
from app.ports import (
    Activity,
    ActivityKind,
    Credentials,
    CrmChange,
    CrmCompany,
    CrmContact,
    CrmDeal,
    CrmList,
    CrmOwner,
    CrmPage,
    Field,
    LoggedOut,
    NewContact,
    ProviderError,
    Recorded,
    Refused,
    Service,
    Throttled,
    Unreachable,
)
from app.providers.http import HttpClient
from app.providers.json_api import USUAL_REST, JsonApi, Reply, id_of, number_of, text_of

URL = "https://api.pipedrive.com"
PAGE, BY_ID = 500, 100
COUNTS = {"include_fields": "won_deals_count,marketing_status"}
MARK = "overture:"
TYPES = {ActivityKind.EMAIL: "email", ActivityKind.MEETING: "meeting"}
JUST_MADE = timedelta(hours=1)  # what a search may not find yet


class Pipedrive:
    """A `ports.Crm`."""

    service = Service(
        name="pipedrive",
        title="Pipedrive",
        serves=frozenset({"crm"}),
        fields=(Field("token", "API token"),),
        guide="In Pipedrive, open Personal preferences → API as a user who sees all people, and paste the token here.",
        cost={},
        link="https://app.pipedrive.com/settings/api",
    )
    fields = ("first_name", "last_name", "position", "phone")
    tells_typed = False
    customer_stages = ("won",)

    def __init__(self, client: HttpClient, url: str = URL) -> None:
        self._api = JsonApi(client, "Pipedrive", url, within=20.0)

    def check(self, credentials: Credentials) -> str:
        """See ports.ServiceAdapter."""
        try:
            reply = self._ask(credentials, "GET", "/v1/users/me")
        except LoggedOut as failure:
            raise Refused(failure.sentence) from None
        return f"Connected to {text_of(reply.part('data', 'company_name'), 80) or 'your company'}."

    def owners(self, credentials: Credentials, cursor: str) -> CrmPage[CrmOwner]:
        """See ports.Crm."""
        reply = self._ask(credentials, "GET", "/v1/users")
        return CrmPage([CrmOwner(_id(one), text_of(one.get("name"))) for one in reply.things("data")])

    def contacts(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmContact]:
        """See ports.Crm."""
        reply = self._page(credentials, "persons", cursor, {**COUNTS, **_since(since)})
        return CrmPage([_contact(one) for one in reply.things("data")], _next(reply))

    def contacts_by_id(self, credentials: Credentials, ids: Sequence[str]) -> Sequence[CrmContact]:
        """See ports.Crm."""
        reply = self._page(credentials, "persons", "", {**COUNTS, "ids": ",".join(ids)})
        return [_contact(one) for one in reply.things("data")]

    def companies(self, credentials: Credentials, since: datetime | None, cursor: str) -> CrmPage[CrmCompany]:
        """See ports.Crm."""
        more = {"include_fields": "won_deals_count", **_since(since)}
        reply = self._page(credentials, "organizations", cursor, more)
        found = [
            CrmCompany(_id(one), text_of(one.get("name")), text_of(one.get("website")), _stage(one))
            for one in reply.things("data")
        ]
        return CrmPage(found, _next(reply))

    def open_deals(self, credentials: Credentials, cursor: str) -> CrmPage[CrmDeal]:
        """See ports.Crm."""
        reply = self._page(credentials, "deals", cursor, {"status": "open"})
        deals = [CrmDeal(_id(one), _ids(one.get("person_id")), _ids(one.get("org_id"))) for one in reply.things("data")]
        return CrmPage(deals, _next(reply))

    def lists(self, credentials: Credentials) -> Sequence[CrmList]:
        """See ports.Crm. Its lists are the filters of people that were saved there."""
        reply = self._ask(credentials, "GET", "/v1/filters", query={"type": "people"})
        return [CrmList(_id(one), text_of(one.get("name")), None) for one in reply.things("data")]

    def members(self, credentials: Credentials, list_id: str, cursor: str) -> CrmPage[str]:
        """See ports.Crm."""
        reply = self._page(credentials, "persons", cursor, {"filter_id": list_id})
        if reply.status in (400, 404):
            raise Refused("This filter was deleted in Pipedrive.")
        return CrmPage([_id(one) for one in reply.things("data")], _next(reply))

    def create(self, credentials: Credentials, people: Sequence[NewContact]) -> Mapping[str, str]:
        """See ports.Crm."""
        recent = self._page(credentials, "persons", "", _since(datetime.now(UTC) - JUST_MADE))
        there = {address: _id(one) for one in recent.things("data") for address in _addresses(one)}
        made: dict[str, str] = {}
        for one in people:
            known = there.get(one.email) or self._search(credentials, one.email)
            made[one.email] = known or self._make(credentials, one)
        return made

    def _search(self, credentials: Credentials, address: str) -> str:
        query = {"term": address, "fields": "email", "exact_match": "true"}
        reply = self._ask(credentials, "GET", "/api/v2/persons/search", query=query)
        found = [one.get("item") for one in reply.things("data", "items")]
        return next((_id(one) for one in found if isinstance(one, dict)), "")

    def _make(self, credentials: Credentials, one: NewContact) -> str:
        name = " ".join(filter(None, (one.values.get("first_name"), one.values.get("last_name")))) or one.email
        body = {
            "name": name,
            "emails": [{"value": one.email, "primary": True, "label": "work"}],
            **_written(one.values),
        }
        reply = self._ask(credentials, "POST", "/api/v2/persons", body=body)
        self._refuse(reply)
        return id_of(reply.part("data", "id"))

    def change(self, credentials: Credentials, changes: Sequence[CrmChange]) -> Mapping[str, CrmContact]:
        """See ports.Crm. Only empty values are filled."""
        there = {one.id: one for one in self.contacts_by_id(credentials, [one.contact_id for one in changes])}
        for change in changes:
            known = there.get(change.contact_id)
            values = {name: value for name, (value, _) in change.values.items() if known and not known.values.get(name)}
            if body := _written(values):
                reply = self._ask(credentials, "PATCH", f"/api/v2/persons/{change.contact_id}", body=body)
                self._refuse(reply)
                person = reply.part("data")
                there[change.contact_id] = _contact(person) if isinstance(person, dict) else there[change.contact_id]
        return there

    def record(self, credentials: Credentials, activities: Sequence[Activity], maybe: Collection[str]) -> Recorded:
        """See ports.Crm. What comes after a failure is looked up the next time."""
        result = Recorded()
        for one in activities:
            try:
                found = self._find(credentials, one) if one.key in maybe else ""
                result.ids[one.key] = found or self._put(credentials, one)
            except Refused as refusal:
                result.refused[one.key] = refusal.sentence
            except ProviderError:
                if not result.ids and not result.refused:
                    raise
                break
        return result

    def _find(self, credentials: Credentials, one: Activity) -> str:
        """Return the activity that has this key; '' when there is none."""
        cursor = ""
        while True:
            reply = self._page(credentials, "activities", cursor, {"person_id": one.contact_id})
            for known in reply.things("data"):
                if text_of(known.get("note"), 100_000).endswith(MARK + one.key):
                    return _id(known)
            cursor = _next(reply)
            if not cursor:
                return ""

    def _put(self, credentials: Credentials, one: Activity) -> str:
        at = one.at.astimezone(UTC)
        body = {
            "subject": one.subject,
            "type": TYPES.get(one.kind, "task"),
            "done": one.kind != ActivityKind.MEETING,  # it is still to come
            "due_date": at.date().isoformat(),
            "due_time": f"{at:%H:%M}",
            "note": "\n".join(filter(None, (one.text, MARK + one.key))),
            "participants": [{"person_id": int(one.contact_id), "primary": True}],
        }
        reply = self._ask(credentials, "POST", "/api/v2/activities", body=body)
        self._refuse(reply)
        return id_of(reply.part("data", "id"))

    def _page(self, credentials: Credentials, kind: str, cursor: str, more: Mapping[str, str]) -> Reply:
        query = {"limit": PAGE, **more, **({"cursor": cursor} if cursor else {})}
        return self._ask(credentials, "GET", f"/api/v2/{kind}", query=query)

    def _refuse(self, reply: Reply) -> None:
        if reply.status in (400, 404):
            raise Refused(f"Pipedrive rejected the request: {text_of(reply.part('error'), 200) or reply.words}")

    def _ask(self, credentials: Credentials, method: str, path: str, **more: Any) -> Reply:
        reply = self._api.ask(method, path, {"x-api-token": credentials.values["token"]}, **more)
        match reply.status:
            case 200 | 201 | 400 | 404:
                return reply
            case 401:
                raise LoggedOut("Pipedrive rejected this API token. Copy the token again, then connect.")
            case 403:
                raise LoggedOut("This Pipedrive user isn't allowed to see all people. Use another user's API token.")
            case 429:
                wait = reply.headers.get("x-ratelimit-reset", "")
                raise Throttled("Pipedrive's request limit has been reached for now.", text.number(wait, USUAL_REST))
            case _:
                raise Unreachable(f"Pipedrive returned an unexpected response ({reply.status}).")


def _since(since: datetime | None) -> dict[str, str]:
    if since is None:
        return {}
    return {"updated_since": f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"}


def _next(reply: Reply) -> str:
    return text_of(reply.part("additional_data", "next_cursor"), 1000)


def _id(record: Mapping[str, Any]) -> str:
    return id_of(record.get("id"))


def _ids(value: Any) -> tuple[str, ...]:
    return (found,) if (found := id_of(value)) else ()


def _stage(record: Mapping[str, Any]) -> str:
    return "won" if number_of(record.get("won_deals_count")) else ""


def _values_of(record: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a list such as `emails`, the primary one first."""
    held = record.get(name)
    listed = held if isinstance(held, list) else ()
    found = [one for one in listed if isinstance(one, dict) and text_of(one.get("value"))]
    return [text_of(one["value"]) for one in sorted(found, key=lambda one: one.get("primary") is not True)]


def _addresses(record: Mapping[str, Any]) -> list[str]:
    return [one.lower() for one in _values_of(record, "emails")]


def _contact(record: Mapping[str, Any]) -> CrmContact:
    changed = None
    with suppress(ValueError):
        changed = datetime.fromisoformat(text_of(record.get("update_time")))
    return CrmContact(
        id=_id(record),
        email=next(iter(_addresses(record)), ""),
        values={
            "first_name": text_of(record.get("first_name")),
            "last_name": text_of(record.get("last_name")),
            "position": text_of(record.get("job_title")),
            "phone": next(iter(_values_of(record, "phones")), ""),
        },
        owner_id=id_of(record.get("owner_id")),
        stage=_stage(record),
        opted_out=record.get("marketing_status") == "unsubscribed",
        company_id=id_of(record.get("org_id")),
        changed_at=changed,
    )


def _written(values: Mapping[str, str]) -> dict[str, Any]:
    """Return values as fields of a person."""
    plain = {"first_name": "first_name", "last_name": "last_name", "position": "job_title"}
    body: dict[str, Any] = {there: values[name] for name, there in plain.items() if values.get(name)}
    if values.get("phone"):
        body["phones"] = [{"value": values["phone"], "primary": True, "label": "work"}]
    return body
