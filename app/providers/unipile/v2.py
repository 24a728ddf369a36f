"""Unipile's API v2: the account is in the path, lists have `data` and `next_cursor`."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from app.ports import ProviderError, Refused
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
    member,
    moment,
    must,
    part,
    parts,
    word,
    written,
    yes,
)

PAGE = 50
STATES = {
    "running": "running",
    "connecting": "connecting",
    "disconnected": "disconnected",
    "paused": "disconnected",
    "partial": "challenged",
    "locked": "challenged",
}
# Names of events moved between versions: the widest list first, then what every version knows.
EVENTS = (
    "message.new relation.new account.add account.reconnect account.remove account.locked account.unlocked "
    "account.status.disconnected account.status.running account.status.errored account.status.degraded "
    "account.status.partial",
    "message.new relation.request.accept account.add account.reconnect account.remove "
    "account.status.disconnected account.status.running account.status.errored account.status.paused",
    "message.new account.status.disconnected account.status.running",
)


class V2:
    """One account's calls. Lists come newest first, page by page while the caller reads on."""

    def __init__(self, calls: Client) -> None:
        self._calls = calls

    def accounts(self) -> list[Standing]:
        found = self._calls.pages("/accounts/", "next_cursor", PAGE)
        return understood(lambda: [_standing(one) for page in found for one in page if _network(one)])

    def standing(self, account: str) -> Standing:
        return understood(lambda: _standing(self._calls.get(f"/accounts/{escaped(account)}")))

    def me(self, account: str) -> Member:
        mine = self.member(account, "me")
        with suppress(ProviderError):  # not knowing its products only makes notes shorter
            credits = part(self._calls.get(f"/{escaped(account)}/linkedin/inmail-credits"), "credits")
            mine = replace(mine, sales_navigator=credits.get("sales_navigator") is not None)
        return mine

    def member(self, account: str, name: str) -> Member:
        return understood(lambda: member(self._calls.get(f"/{escaped(account)}/users/{escaped(name)}")))

    def visit(self, account: str, name: str) -> str:
        """Visit their profile visibly; return the reference."""
        found = self.member(account, name)
        if not found.visit_token:
            raise Refused("LinkedIn doesn't tell this person about visits.")
        self._calls.post(f"/{escaped(account)}/users/visit-profile", token=found.visit_token)
        return found.id

    def follow(self, account: str, member: Member) -> str:
        done = self._calls.post(f"/{escaped(account)}/users/me/follow/{escaped(member.id)}")
        return word(done, "id") or member.id

    def posts(self, account: str, member: Member) -> list[Post]:
        page = self._calls.get(f"/{escaped(account)}/users/{escaped(member.id)}/posts", limit=20)
        return understood(lambda: [_post(one) for one in parts(page, "data")])

    def like(self, account: str, post: Post) -> None:
        self._calls.post(f"/{escaped(account)}/posts/{escaped(post.id)}/reactions", {"reaction": "like"})

    def invite(self, account: str, member: Member, note: str) -> str:
        body = {"user_id": member.id} | ({"message": note} if note else {})
        return word(self._calls.post(self._requests(account), body), "id")

    def invitations(self, account: str) -> Iterator[Invitation]:
        return each(
            self._calls.pages(self._requests(account), "next_cursor", PAGE, type="sent"), _invitation, self._calls.aside
        )

    def withdraw(self, account: str, invitation: Invitation) -> None:
        self._calls.post(f"{self._requests(account)}/{escaped(invitation.id)}/cancel")

    def relations(self, account: str) -> Iterator[Relation]:
        return each(
            self._calls.pages(f"/{escaped(account)}/users/me/relations", "next_cursor", PAGE),
            _relation,
            self._calls.aside,
        )

    def chats(self, account: str, after: datetime) -> Iterator[Chat]:
        return newer(
            self._calls.pages(f"/{escaped(account)}/chats", "next_cursor", PAGE), _chat, after, self._calls.aside
        )

    def messages(self, account: str, chat: Chat, after: datetime) -> Iterator[Said]:
        path = f"/{escaped(account)}/chats/{escaped(chat.id)}/messages"
        return newer(self._calls.pages(path, "next_cursor", PAGE), _message, after, self._calls.aside)

    def say(self, account: str, member: Member, text: str) -> str:
        """Send a message, in a new conversation if there is none; return the reference."""
        if chat := self._chat_with(account, member):
            path = f"/{escaped(account)}/chats/{escaped(chat)}/messages/send"
            return text_of(self._calls.post(path, {"text": text}), "message_id")
        return self._begin(account, {"users_ids": member.id, "text": text})

    def inmail(self, account: str, member: Member, subject: str, text: str, sales_navigator: bool) -> str:
        """Send an InMail; return the reference. A classic one has no subject, so the subject becomes its first line."""
        if sales_navigator:
            how: Json = {"sales_navigator": {"subject": subject}}
        else:
            how, text = {"classic": {"inmail": True}}, "\n\n".join(filter(None, (subject, text)))
        return self._begin(account, {"users_ids": member.id, "text": text, "specifics": {"linkedin": how}})

    def link(self, *, state: str, back: str, notify: str, until: datetime, account: str) -> str:
        """Return a sign-in address; with `account`, for reconnecting that one.

        Unipile reports by the redirect and by its webhook, so `notify` is not needed.
        """
        which: Json = {"account_id": account} if account else {"providers": ["linkedin"]}
        body = {"expires_on": written(until), "redirect_uri": back, "state": state, **which}
        return understood(lambda: must(self._calls.post("/auth/link", body, once=False), "link", "url"))

    def subscribe(self, url: str, secret: str) -> tuple[str, list[str]]:
        """Subscribe the address to webhooks; return the secret that proves the calls, which Unipile makes, and ids."""
        refusal: Refused | None = None
        for events in EVENTS:
            body = {"url": url, "trigger_events": events.split(), "description": "Overture"}
            try:
                return _endpoint(self._calls.post("/webhooks/endpoints/", body, once=False))
            except Refused as problem:
                refusal = problem
        assert refusal
        raise refusal

    def unsubscribe(self, names: Sequence[str]) -> None:
        for name in names:
            with suppress(Refused):  # already removed there
                self._calls.delete(f"/webhooks/endpoints/{escaped(name)}")

    def _requests(self, account: str) -> str:
        return f"/{escaped(account)}/users/me/relation-requests"

    def _chat_with(self, account: str, member: Member) -> str:
        try:
            found = self._calls.get(f"/{escaped(account)}/users/{escaped(member.id)}/chat")
        except Refused:
            return ""
        one = next(iter(parts(found, "data")), {}) if isinstance(found.get("data"), list) else found
        return word(one, "chat_id", "id")

    def _begin(self, account: str, body: Json) -> str:
        done = self._calls.post(f"/{escaped(account)}/chats/send", body)
        return text_of(done, "message_id") or text_of(done, "chat_id")


def _endpoint(made: Json) -> tuple[str, list[str]]:
    return understood(lambda: (must(made, "secret"), [must(made, "id")]))


def _network(found: Json) -> bool:
    return word(found, "provider").lower() in ("linkedin", "mock")


def _standing(found: Json) -> Standing:
    state = STATES.get(word(found, "status").lower(), "unknown")
    return Standing(
        must(found, "id"), word(found, "name"), state, word(found, "provider").lower(), moment(found, "created_at")
    )


def _post(found: Json) -> Post:
    can = part(found, "permissions")
    reacted = found.get("user_reacted")
    return Post(
        must(found, "id"),
        moment(found, "created_at"),
        yes(found, "is_repost"),
        can.get("can_react") is not False,
        bool(reacted) and reacted is not False,
    )


def _invitation(found: Json) -> Invitation:
    return Invitation(must(found, "id"), member(part(found, "user")), moment(found, "created_at"))


def _relation(found: Json) -> Relation:
    return Relation(must(found, "id"), member(part(found, "user")), moment(found, "created_at"))


def _chat(found: Json) -> Chat | None:
    at = moment(found, "last_message_timestamp", "updated_at", "created_at")
    user = part(found, "user")
    who = word(found, "user_id") or word(user, "id")
    if at is None:
        return None
    kind = word(part(found, "specifics"), "content_type", "type").lower()
    folders = [str(one).lower() for one in found.get("folders") or []]
    return Chat(
        must(found, "id"),
        Member(who, word(user, "public_identifier"), word(user, "display_name")),
        at,
        inmail="inmail" in kind or "inmail" in folders,
        alone=bool(who) and not yes(found, "is_group", "is_channel"),
    )


def _message(found: Json) -> Said | None:
    at = moment(found, "timestamp")
    if at is None:
        return None
    text = word(found, "text") or ("[Attachment]" if found.get("attachments") else "")
    silent = yes(found, "is_event", "is_hidden", "is_deleted") or not text
    return Said(must(found, "id"), yes(found, "is_sender"), text, at, word(found, "subject"), silent)
