"""Unipile's API v1: the account is in the query, lists have `items` and `cursor`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime

from app.ports import Refused
from app.providers.unipile.client import Client, each, escaped, newer, text_of, understood
from app.providers.unipile.parsing import (
    Chat,
    Invitation,
    Json,
    Member,
    Post,
    Relation,
    Said,
    Standing,
    moment,
    must,
    part,
    parts,
    word,
    written,
    yes,
)

PAGE = 100
STATES = {
    "OK": "running",
    "CONNECTING": "connecting",
    "CREDENTIALS": "disconnected",
    "STOPPED": "disconnected",
    "DELETED": "disconnected",
    "PERMISSIONS": "challenged",
    "CHECKPOINT": "challenged",
}
GRAVEST = ("disconnected", "challenged", "unknown", "connecting", "running")
SECRET_HEADER = "Overture-Secret"
SOURCES = {"messaging": ["message_received"], "users": ["new_relation"], "account_status": None}


class V1:
    """The same calls as V2."""

    def __init__(self, calls: Client) -> None:
        self._calls = calls

    def accounts(self) -> list[Standing]:
        found = self._calls.pages("/accounts", "cursor", PAGE)
        return understood(lambda: [_standing(one) for page in found for one in page if _network(one)])

    def standing(self, account: str) -> Standing:
        return understood(lambda: _standing(self._calls.get(f"/accounts/{escaped(account)}")))

    def me(self, account: str) -> Member:
        return self.member(account, "me")

    def member(self, account: str, name: str) -> Member:
        return understood(lambda: _member(self._calls.get(f"/users/{escaped(name)}", account_id=account)))

    def visit(self, account: str, name: str) -> str:
        found = self._calls.get(f"/users/{escaped(name)}", account_id=account, notify="true")
        return understood(lambda: _member(found)).id

    def follow(self, account: str, member: Member) -> str:
        raise Refused("Unipile v1 can't follow people. Use v2.")

    def posts(self, account: str, member: Member) -> list[Post]:
        page = self._calls.get(f"/users/{escaped(member.id)}/posts", account_id=account, limit=20)
        return understood(lambda: [_post(one) for one in parts(page, "items")])

    def like(self, account: str, post: Post) -> None:
        self._calls.post("/posts/reaction", {"account_id": account, "post_id": post.id, "reaction_type": "like"})

    def invite(self, account: str, member: Member, note: str) -> str:
        body = {"account_id": account, "provider_id": member.id} | ({"message": note} if note else {})
        return word(self._calls.post("/users/invite", body), "invitation_id")

    def invitations(self, account: str) -> Iterator[Invitation]:
        return each(
            self._calls.pages("/users/invite/sent", "cursor", PAGE, account_id=account), _invitation, self._calls.aside
        )

    def withdraw(self, account: str, invitation: Invitation) -> None:
        self._calls.delete(f"/users/invite/sent/{escaped(invitation.id)}", account_id=account)

    def relations(self, account: str) -> Iterator[Relation]:
        return each(
            self._calls.pages("/users/relations", "cursor", PAGE, account_id=account), _relation, self._calls.aside
        )

    def chats(self, account: str, after: datetime) -> Iterator[Chat]:
        return newer(self._calls.pages("/chats", "cursor", PAGE, account_id=account), _chat, after, self._calls.aside)

    def messages(self, account: str, chat: Chat, after: datetime) -> Iterator[Said]:
        return newer(
            self._calls.pages(f"/chats/{escaped(chat.id)}/messages", "cursor", PAGE), _message, after, self._calls.aside
        )

    def say(self, account: str, member: Member, text: str) -> str:
        if chat := self._chat_with(account, member):
            return text_of(self._calls.form(f"/chats/{escaped(chat)}/messages", [("text", text)]), "message_id")
        return self._begin([("account_id", account), ("text", text), ("attendees_ids", member.id)])

    def inmail(self, account: str, member: Member, subject: str, text: str, sales_navigator: bool) -> str:
        fields = [("account_id", account), ("text", text), ("attendees_ids", member.id)]
        fields += [("subject", subject)] if subject else []
        fields += [("linkedin[api]", "sales_navigator" if sales_navigator else "classic"), ("linkedin[inmail]", "true")]
        return self._begin(fields)

    def link(self, *, state: str, back: str, notify: str, until: datetime, account: str) -> str:
        """See V2. The redirect says nothing about the account; `notify` gets a call with the state as a name."""
        body = {
            "type": "reconnect" if account else "create",
            "providers": ["LINKEDIN"],
            "api_url": self._calls.address.removesuffix("/api/v1"),
            "expiresOn": written(until),
            "name": state,
            "notify_url": notify,
            "success_redirect_url": back,
            "failure_redirect_url": f"{back}&error_title=failed",
        }
        body |= {"reconnect_account": account} if account else {}
        return understood(lambda: must(self._calls.post("/hosted/accounts/link", body, once=False), "url", "link"))

    def subscribe(self, url: str, secret: str) -> tuple[str, list[str]]:
        """See V2. Every call carries our secret in a header of its own."""
        headers = [{"key": SECRET_HEADER, "value": secret}, {"key": "Content-Type", "value": "application/json"}]
        names = []
        for source, events in SOURCES.items():
            body = {"request_url": url, "source": source, "name": "Overture", "format": "json", "headers": headers}
            body |= {"events": events} if events else {}
            names.append(_name(self._calls.post("/webhooks", body, once=False)))
        return secret, names

    def unsubscribe(self, names: Sequence[str]) -> None:
        for name in names:
            with suppress(Refused):  # already removed there
                self._calls.delete(f"/webhooks/{escaped(name)}")

    def _chat_with(self, account: str, member: Member) -> str:
        try:
            page = self._calls.get(f"/chat_attendees/{escaped(member.id)}/chats", account_id=account)
        except Refused:
            return ""
        chats = understood(lambda: [_chat(one) for one in parts(page, "items", "data")])
        return next(
            (one.id for one in chats if one and one.member.id == member.id and one.alone and not one.inmail), ""
        )

    def _begin(self, fields: list[tuple[str, str]]) -> str:
        done = self._calls.form("/chats", fields)
        return text_of(done, "message_id") or text_of(done, "chat_id")


def _name(made: Json) -> str:
    return understood(lambda: must(made, "webhook_id", "id"))


def _network(found: Json) -> bool:
    return word(found, "type").upper() in ("LINKEDIN", "MOCK")


def _standing(found: Json) -> Standing:
    """Return the state of the account's worst source."""
    states = [STATES.get(word(one, "status").upper(), "unknown") for one in parts(found, "sources")]
    state = min(states, key=GRAVEST.index, default="unknown")
    features = part(part(found, "connection_params"), "im").get("premiumFeatures") or []
    return Standing(
        must(found, "id"),
        word(found, "name"),
        state,
        word(found, "type").lower(),
        moment(found, "created_at"),
        "sales_navigator" in features,
    )


def _member(found: Json) -> Member:
    name = " ".join(filter(None, (word(found, "first_name"), word(found, "last_name"))))
    return Member(
        must(found, "provider_id", "id"),
        word(found, "public_identifier"),
        name,
        word(found, "headline"),
        word(found, "profile_picture_url"),
        word(found, "public_profile_url"),
        sales_navigator=bool(part(found, "sales_navigator")) and not word(part(found, "sales_navigator"), "error"),
    )


def _post(found: Json) -> Post:
    can = part(found, "permissions")
    return Post(
        word(found, "social_id") or must(found, "id"),
        moment(found, "parsed_datetime"),
        yes(found, "is_repost"),
        can.get("can_react") is not False,
        reacted=False,
    )


def _invitation(found: Json) -> Invitation:
    who = Member(word(found, "invited_user_id"), word(found, "invited_user_public_id"), word(found, "invited_user"))
    return Invitation(must(found, "id"), who, moment(found, "parsed_datetime"))


def _relation(found: Json) -> Relation:
    name = " ".join(filter(None, (word(found, "first_name"), word(found, "last_name"))))
    who = Member(must(found, "member_id"), word(found, "public_identifier"), name)
    return Relation(word(found, "connection_urn") or who.id, who, moment(found, "created_at"))


def _chat(found: Json) -> Chat | None:
    at, who = moment(found, "timestamp"), word(found, "attendee_provider_id")
    if at is None:
        return None
    kind = word(found, "content_type").lower()
    return Chat(must(found, "id"), Member(who), at, kind == "inmail", bool(who) and word(found, "type") in ("", "0"))


def _message(found: Json) -> Said | None:
    at = moment(found, "timestamp")
    if at is None:
        return None
    text = word(found, "text") or ("[Attachment]" if found.get("attachments") else "")
    silent = yes(found, "is_event", "hidden", "deleted") or not text
    return Said(must(found, "id"), yes(found, "is_sender"), text, at, word(found, "subject"), silent)
