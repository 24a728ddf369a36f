"""What Unipile publishes of its answers, read as it stands, so that server and adapter cannot drift together."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from app.ports import AlreadyConnected, LoggedOut, PersonRef, ProviderError, Refused, Throttled, Unknown, Unreachable
from app.providers.unipile import hosted_sign_in
from app.providers.unipile.client import address_of
from app.providers.unipile.failures import AlreadyInvited, failure
from app.providers.unipile.members import Members
from app.providers.unipile.parsing import Member, moment
from app.providers.unipile.v1 import V1
from app.providers.unipile.v2 import V2

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ISO = "2026-03-02T09:00:00.000Z"
ADA = Member("ACoAAada", "ada")


class Said:
    """Calls that answer with what is written here, whatever is asked."""

    aside = None

    def __init__(self, answer: Any) -> None:
        self.answer, self.address, self.sent = answer, "https://api8.unipile.com:13851/api/v1", []

    def get(self, path: str, **query: Any) -> Any:
        return self.answer

    def post(self, path: str, body: Any = None, **query: Any) -> Any:
        self.sent.append((path, body, query))
        return self.answer

    def form(self, path: str, fields: Any) -> Any:
        self.sent.append((path, dict(fields), {}))
        return self.answer

    def pages(self, path: str, cursor: str, limit: int, **query: Any) -> Iterator[Any]:
        yield self.answer.get("data") or self.answer.get("items")


def v1(answer: Any) -> Any:
    return V1(Said(answer))  # type: ignore[arg-type]


def v2(answer: Any) -> Any:
    return V2(Said(answer))  # type: ignore[arg-type]


def test_an_account_of_version_one_is_read_as_published() -> None:
    im = {"id": "ACoAAme", "username": "Ines", "premiumContractId": None, "premiumFeatures": ["sales_navigator"]}
    account = {
        "object": "Account", "id": "x1", "name": "Ines", "type": "LINKEDIN", "created_at": ISO, "groups": [],
        "connection_params": {"im": im}, "sources": [{"id": "x1_MESSAGING", "status": "OK"}], "signatures": [],
    }  # fmt: skip
    found = v1(account).standing("x1")
    assert (found.state, found.sales_navigator, found.created_at) == ("running", True, AT)
    for status, state in (("CREDENTIALS", "disconnected"), ("PERMISSIONS", "challenged"), ("NEW", "unknown")):
        worse = {**account, "sources": [*account["sources"], {"id": "y", "status": status}]}  # type: ignore[misc]
        assert v1(worse).standing("x1").state == state


def test_an_account_of_version_two_is_read_as_published() -> None:
    """Every status of both lists, and one that no one knows."""
    account = {"object": "Account", "id": "acc_1", "application_id": "app_1", "user_id": "u", "created_at": ISO,
               "provider": "linkedin", "initial_sync": {"status": "pending"}}  # fmt: skip
    states = {
        "running": "running", "errored": "unknown", "disconnected": "disconnected", "paused": "disconnected",
        "degraded": "unknown", "partial": "challenged", "of tomorrow": "unknown",
    }  # fmt: skip
    assert {one: v2({**account, "status": one}).standing("acc_1").state for one in states} == states
    both = [{**account, "status": "running"}, {**account, "status": "running", "provider": "google"}]
    assert [one.id for one in v2({"data": both}).accounts()] == ["acc_1"]


def test_profiles_of_both_generations() -> None:
    early = {"provider_id": "ACoAAada", "public_identifier": "ada", "first_name": "Ada", "last_name": "L",
             "headline": "Founder", "network_distance": "SECOND_DEGREE", "is_open_profile": False}  # fmt: skip
    late = {"id": "ACoAAada", "public_identifier": "ada", "display_name": "Ada L", "description": "Founder",
            "specifics": {"network_distance": "SECOND_DEGREE", "notify_visit_token": "t0"}}  # fmt: skip
    assert v1(early).member("a", "ada") == Member("ACoAAada", "ada", "Ada L", "Founder")
    assert v2(late).member("a", "ada") == Member("ACoAAada", "ada", "Ada L", "Founder", visit_token="t0")


def test_invitations_and_relations() -> None:
    sent = {"id": "7", "invited_user": "Ada", "invited_user_id": "ACoAAada", "invited_user_public_id": "ada",
            "date": "Sent today", "parsed_datetime": ISO, "invitation_text": None}  # fmt: skip
    late = {"object": "RelationRequest", "id": "7", "type": "sent", "user": {"id": "ACoAAada", "display_name": "Ada"},
            "created_at": ISO, "message": None}  # fmt: skip
    for found in (v1({"items": [sent]}).invitations("a"), v2({"data": [late]}).invitations("a")):
        (one,) = found
        assert (one.id, one.member.id, one.at) == ("7", "ACoAAada", AT)
    relation = {"first_name": "Ada", "last_name": "L", "headline": "", "public_identifier": "ada",
                "created_at": 1772442000000, "member_id": "ACoAAada", "connection_urn": "urn:li:c"}  # fmt: skip
    other = {"object": "UserRelation", "id": "urn:li:c", "user": {"id": "ACoAAada"}, "created_at": ISO}
    for found in (v1({"items": [relation]}).relations("a"), v2({"data": [other]}).relations("a")):
        (one,) = found
        assert (one.id, one.member.id, one.at) == ("urn:li:c", "ACoAAada", AT)


def test_chats_and_messages_of_both_generations() -> None:
    early = {"id": "c", "account_id": "a", "attendee_provider_id": "ACoAAada", "type": 0, "timestamp": ISO,
             "unread_count": 0, "read_only": 0, "content_type": "inmail", "folder": ["INBOX"]}  # fmt: skip
    late = {"object": "Chat", "id": "c", "user_id": "ACoAAada", "is_group": False, "is_channel": False, "type": "1to1",
            "last_message_timestamp": ISO, "folders": ["INMAIL"], "specifics": None}  # fmt: skip
    before = datetime(2026, 1, 1, tzinfo=UTC)
    for found in (v1({"items": [early]}).chats("a", before), v2({"data": [late]}).chats("a", before)):
        (chat,) = found
        assert (chat.member.id, chat.at, chat.inmail, chat.alone) == ("ACoAAada", AT, True, True)
    assert not next(v1({"items": [{**early, "type": 1}]}).chats("a", before)).alone
    said = {"id": "m", "chat_id": "c", "sender_id": "ACoAAada", "text": "Hi", "timestamp": ISO, "is_sender": 1,
            "seen": 0, "hidden": 0, "deleted": 0, "is_event": 0, "attachments": []}  # fmt: skip
    event = {**said, "is_sender": True, "is_event": True, "text": None}
    for wire, message in ((v1({"items": [said]}), "Hi"), (v2({"data": [said]}), "Hi")):
        (one,) = wire.messages("a", chat, before)
        assert (one.mine, one.text, one.at, one.silent) == (True, message, AT, False)
    assert next(v2({"data": [event]}).messages("a", chat, before)).silent
    attached = {**said, "text": "", "attachments": [{}]}
    assert next(v2({"data": [attached]}).messages("a", chat, before)).text == "[Attachment]"


def test_posts_that_can_be_liked() -> None:
    can = {"can_react": True, "can_share": True, "can_post_comments": True}
    early = {"id": "1", "social_id": "urn:li:ugcPost:1", "parsed_datetime": ISO, "is_repost": False, "permissions": can}
    late = {"object": "Post", "id": "1", "created_at": ISO, "is_repost": False, "permissions": can}
    (one,) = v1({"items": [early]}).posts("a", ADA)
    assert (one.id, one.at, one.can_react, one.reacted) == ("urn:li:ugcPost:1", AT, True, False)
    (other,) = v2({"data": [late | {"user_reacted": "LIKE"}]}).posts("a", ADA)
    assert (other.id, other.reacted) == ("1", True)


def test_what_is_sent() -> None:
    """InMail with its subject where there is a place for it; a link with its state; whatever a message is called."""
    early = Said({"object": "ChatStarted", "chat_id": "c", "message_id": None})
    late = Said({"message_id": ["m1", "m2"]})
    assert V1(early).inmail("a", ADA, "Subject", "Text", True) == "c"  # type: ignore[arg-type]
    assert early.sent[0][1] == {
        "account_id": "a", "text": "Text", "attendees_ids": "ACoAAada", "subject": "Subject",
        "linkedin[api]": "sales_navigator", "linkedin[inmail]": "true",
    }  # fmt: skip
    assert V2(late).inmail("a", ADA, "Subject", "Text", True) == "m1"  # type: ignore[arg-type]
    assert late.sent[0][1]["specifics"] == {"linkedin": {"sales_navigator": {"subject": "Subject"}}}
    link = Said({"object": "HostedAuthUrl", "url": "https://account.unipile.com/x"})
    where = {"state": "s", "back": "https://o.example/back?state=s", "notify": "https://o.example/n", "until": AT}
    assert V1(link).link(**where, account="") == "https://account.unipile.com/x"  # type: ignore[arg-type]
    assert (link.sent[0][1]["api_url"], link.sent[0][1]["expiresOn"]) == ("https://api8.unipile.com:13851", ISO)


ERRORS: list[tuple[int, str, type[ProviderError]]] = [
    (400, "too_many_characters", Refused), (400, "invalid_parameters", Refused),
    (401, "missing_credentials", Throttled), (401, "disconnected_account", LoggedOut),
    (401, "expired_credentials", LoggedOut), (401, "checkpoint_error", LoggedOut),
    (401, "multiple_sessions", LoggedOut), (401, "wrong_account", LoggedOut),
    (403, "account_restricted", LoggedOut), (403, "feature_not_subscribed", Refused),
    (403, "session_mismatch", Refused), (404, "resource_not_found", Refused), (408, "request_timeout", Unknown),
    (422, "already_connected", AlreadyConnected), (422, "already_invited_recently", AlreadyInvited),
    (422, "cannot_resend_yet", Throttled), (422, "limit_exceeded", Throttled),
    (422, "connection_limit_reached", Throttled), (422, "no_connection_with_recipient", Refused),
    (422, "insufficient_credits", Refused), (422, "not_allowed_inmail", Refused),
    (422, "user_unreachable", Refused), (422, "of_tomorrow", Refused), (429, "too_many_requests", Throttled),
    (500, "provider_error", Unknown), (501, "feature_not_implemented", Refused),
    (503, "no_client_session", Unreachable), (503, "", Unknown), (504, "request_timeout", Unknown),
    (302, "", Unreachable), (402, "", Throttled),
]  # fmt: skip


def test_every_error_of_the_contract_has_its_meaning() -> None:
    """In a sentence that ends; when only reading, what may have happened did not."""
    for status, kind, meaning in ERRORS:
        body = json.dumps({"status": status, "type": f"errors/{kind}", "title": kind, "detail": "Words"}).encode()
        found, reading = (failure(status, {}, body, once=once) for once in (True, False))
        assert (kind, type(found)) == (kind, meaning)
        assert found.sentence.endswith(".")
        assert type(reading) is (Unreachable if meaning is Unknown else meaning)


def test_errors_in_other_clothes() -> None:
    """The later generation's errors are not published: whatever shape they have is read as far as it goes."""
    for body in (b'{"code": "already_connected"}', b'{"error": {"type": "errors/already_connected"}}'):
        assert isinstance(failure(422, {}, body, once=True), AlreadyConnected)
    for body in (b"", b"<html>", b"[]", b"[" * 20_000, b"null", b'{"type": 7}', b'{"error": "no"}'):
        assert type(failure(418, {}, body, once=True)) is Refused
    weekly = failure(422, {}, b'{"type": "errors/cannot_resend_yet", "detail": "Weekly limit"}', once=True)
    assert isinstance(weekly, Throttled)
    assert 0 < weekly.retry_after <= 7 * 86400
    dated = failure(429, {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, b"{}", once=True)
    assert isinstance(dated, Throttled)
    assert dated.retry_after == 900


def test_a_changed_contract_is_unreachable() -> None:
    """Not a crash, and not an empty list."""
    for broken in ({}, {"data": [{}]}, {"data": [{"id": None}]}, {"data": [{"id": "1", "user": []}]}):
        calls = Said(broken)
        calls.pages = lambda *_, broken=broken, **__: iter([broken.get("data", [{}])])  # type: ignore[method-assign]
        wire = V2(calls)  # type: ignore[arg-type]
        for read in (lambda wire=wire: list(wire.relations("a")), lambda wire=wire: wire.standing("a")):
            with pytest.raises(Unreachable, match="response has an unexpected format"):
                read()


def test_moments() -> None:
    """Text with and without a zone, milliseconds; anything else is none."""
    assert moment({"at": "2026-03-02T10:00:00+01:00"}, "at") == moment({"at": "2026-03-02T09:00:00"}, "at") == AT
    assert moment({"at": 1772442000000}, "at") == AT
    for odd in ("yesterday", "", None, [], 10**30, True):
        assert moment({"at": odd}, "at") is None


def test_the_address_chooses_the_generation() -> None:
    addresses = {
        "https://api.unipile.com/v2": ("https://api.unipile.com/v2", True),
        "https://api.unipile.com/": ("https://api.unipile.com/v2", True),
        "https://api8.unipile.com:13851": ("https://api8.unipile.com:13851/api/v1", False),
        "https://api8.unipile.com:13851/api/v1/": ("https://api8.unipile.com:13851/api/v1", False),
        "https://api.unipile.com:99999": ("https://api.unipile.com:99999/api/v1", False),
        "https://[api.unipile.com": (":///api/v1", False),
    }
    assert {given: address_of(given) for given in addresses} == addresses


def test_calls_of_the_earlier_generation() -> None:
    """Relation, message and status, proven by our secret in a header."""

    def read(body: Any) -> Any:
        return hosted_sign_in.read({"Overture-Secret": "s"}, json.dumps(body).encode(), "s", AT)

    common = {"account_id": "x1", "account_type": "LINKEDIN", "webhook_name": "Overture"}
    relation = {**common, "event": "new_relation", "user_full_name": "Ada", "user_provider_id": "ACoAAada",
                "user_public_identifier": "Ada", "user_profile_url": "https://www.linkedin.com/in/Ada"}  # fmt: skip
    (one,) = read(relation)
    assert (one.accepted.person, one.accepted.alias, one.accepted.at) == ("ada", "acoaaada", AT)
    (one,) = read({**common, "event": "message_received", "chat_id": "c", "message_id": "m", "message": "Hi"})
    assert (one.account_ref, one.accepted, one.stands) == ("x1", None, False)
    (one,) = read({"AccountStatus": {"account_id": "x1", "account_type": "LINKEDIN", "message": "CREDENTIALS"}})
    assert (one.account_ref, one.stands) == ("x1", True)
    assert read({**common, "event": "of_tomorrow"}) == []
    assert hosted_sign_in.read({"Overture-Secret": "s"}, b"[" * 20_000, "s", AT) == []


def test_the_networks_own_name_in_a_link_keeps_its_letters() -> None:
    """Our id of the person is in small letters, which the network does not know."""
    asked: list[str] = []

    class Wire:
        def member(self, account: str, name: str) -> Member:
            asked.append(name)
            return Member(name, "")

    for path in ("in/ACwAAAB1c2D3x", "sales/lead/ACwAAAB1c2D4x,NAME_SEARCH,x1Yz", "talent/profile/ACwAAAB1c2D5x?a=1"):
        link = f"https://www.linkedin.com/{path}"
        Members().of(Wire(), "a", PersonRef(link.rpartition("/")[2].partition(",")[0].lower(), link))  # type: ignore[arg-type]
    assert asked == ["ACwAAAB1c2D3x", "ACwAAAB1c2D4x", "ACwAAAB1c2D5x"]
