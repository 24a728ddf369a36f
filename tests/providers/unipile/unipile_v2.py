"""The later generation as its published client describes it."""

from datetime import UTC, datetime
from typing import Any

from flask import Flask, request

from tests.providers.unipile.unipile_world import Account, Problem, Row, World, member_id

NAMES = ("data", "next_cursor")
EVENTS = {
    "account.status.disconnected", "account.status.running", "account.status.errored", "account.status.partial",
    "account.status.degraded", "account.add", "account.reconnect", "account.remove", "account.locked",
    "account.unlocked", "message.new", "relation.new",
}  # fmt: skip
STATUS = {"running": "account.status.running", "disconnected": "account.status.disconnected",
          "partial": "account.status.partial", "errored": "account.status.errored"}  # fmt: skip


def iso(at: Any) -> str:
    assert isinstance(at, datetime)
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def user(person: str) -> dict[str, Any]:
    name = person.replace("-", " ").title()
    return {
        "object": "User", "type": "individual", "id": member_id(person), "public_identifier": person,
        "display_name": name, "profile_url": f"https://www.linkedin.com/in/{person}", "description": "Founder",
    }  # fmt: skip


def account_shown(one: Account) -> dict[str, Any]:
    return {
        "object": "Account", "id": one.id, "user_id": one.user_id, "name": one.name,
        "created_at": iso(one.created_at), "provider": "linkedin", "status": one.status,
    }  # fmt: skip


def message_shown(said: dict[str, Any]) -> dict[str, Any]:
    sender = member_id("ines-duarte") if said["mine"] else member_id(said["person"])
    return {
        "object": "Message", "id": said["id"], "text": said["text"], "sender_id": sender, "chat_id": said["chat"],
        "timestamp": iso(said["at"]), "is_sender": said["mine"], "is_event": False, "attachments": [],
    }  # fmt: skip


def chat_shown(chat: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "Chat", "id": chat["id"], "type": "1to1", "is_group": False, "is_channel": False,
        "folders": ["INMAIL"] if chat["inmail"] else ["INBOX"], "user_id": member_id(chat["person"]),
        "user": user(chat["person"]), "last_message_timestamp": iso(chat["said"][0]["at"]),
    }  # fmt: skip


def newest_first(account: Account) -> list[dict[str, Any]]:
    chats: list[dict[str, Any]] = [chat for chat in account.chats.values() if chat["said"]]
    return sorted(chats, key=lambda chat: chat["said"][0]["at"], reverse=True)


def register(app: Flask, server: Any) -> None:
    world: World = server.world
    _accounts(app, server, world)
    _people(app, server, world)
    _talk(app, server, world)


def _accounts(app: Flask, server: Any, world: World) -> None:
    @app.get("/v2/accounts/")
    def accounts() -> Any:
        return {"object": "Accounts", **server.page(list(world.accounts.values()), account_shown, NAMES)}

    @app.get("/v2/accounts/<account>")
    def account(account: str) -> Any:
        return account_shown(world.find(account))

    @app.post("/v2/auth/link")
    def link() -> Any:
        body = request.get_json()
        if not body.get("expires_on") or not (body.get("providers") or body.get("account_id")):
            raise Problem(400, "errors/missing_parameters", "expires_on and providers or account_id.")
        token = world.link(
            generation="v2", state=body["state"], back=_with_state(body), account=body.get("account_id", "")
        )
        return {"object": "HostedAuthLink", "link": f"{server.url}/wizard/{token}"}

    @app.post("/v2/webhooks/endpoints/")
    def hook() -> Any:
        body = request.get_json()
        if bad := (set(body["trigger_events"]) - EVENTS) | (set(body["trigger_events"]) & world.refused_events):
            raise Problem(400, "errors/invalid_parameters", f"Unknown events: {sorted(bad)}")
        name = world.name("we")
        secret = f"secret-of-{name}"
        world.hooks[name] = {"generation": "v2", "url": body["url"], "secret": secret, "events": body["trigger_events"]}
        return {"object": "WebhookEndpoint", "id": name, "secret": secret, "enabled": True, **body}

    @app.delete("/v2/webhooks/endpoints/<name>")
    def unhook(name: str) -> Any:
        if world.hooks.pop(name, None) is None:
            raise Problem(404, "errors/resource_not_found", "No such endpoint.")
        return {"object": "WebhookEndpointDeleted"}

    @app.get("/v2/<account>/linkedin/inmail-credits")
    def credits(account: str) -> Any:
        world.live(account)
        return {"credits": {"classic": 5, "recruiter": None, "sales_navigator": 20}}


def _with_state(body: dict[str, Any]) -> str:
    mark = "&" if "?" in body["redirect_uri"] else "?"
    return f"{body['redirect_uri']}{mark}state={body['state']}"


def _people(app: Flask, server: Any, world: World) -> None:
    @app.get("/v2/<account>/users/<name>")
    def profile(account: str, name: str) -> Any:
        owner = world.live(account)
        person = owner.public_id if name == "me" else world.public(name)
        distance = "SELF" if name == "me" else "FIRST_DEGREE" if world.connected(owner, person) else "SECOND_DEGREE"
        known = {"network_distance": distance, "notify_visit_token": f"visit:{person}", "can_send_inmail": True}
        shown = {**user(person), "object": "UserProfile", "provider": "linkedin", "specifics": known}
        return {**shown, "display_name": owner.name} if name == "me" else shown

    @app.post("/v2/<account>/users/visit-profile")
    def visit(account: str) -> Any:
        owner = world.live(account)
        person = request.args["token"].removeprefix("visit:")
        return server.action(lambda: world.happened("visit", owner, person) or {"object": "ProfileVisited"})

    @app.post("/v2/<account>/users/me/follow/<name>")
    def follow(account: str, name: str) -> Any:
        owner = world.live(account)
        person = world.public(name)
        return server.action(lambda: world.happened("follow", owner, person) or {"object": "UserFollowed"})

    @app.get("/v2/<account>/users/<name>/posts")
    def posts(account: str, name: str) -> Any:
        world.live(account)
        found = world.posts.get(world.public(name), [])
        return server.page(
            found, lambda post: {"object": "Post", **post, "created_at": iso(post["at"]), "at": None}, NAMES
        )

    @app.post("/v2/<account>/posts/<post>/reactions")
    def react(account: str, post: str) -> Any:
        owner = world.live(account)
        if request.get_json()["reaction"] != "like":
            raise Problem(400, "errors/invalid_parameters", "No such reaction.")
        return server.action(lambda: world.happened("like", owner, post) or {"object": "ReactionAdded"})

    @app.get("/v2/<account>/users/me/relation-requests")
    def requests(account: str) -> Any:
        return server.page(world.live(account).invitations, _request_shown, NAMES)

    @app.post("/v2/<account>/users/me/relation-requests")
    def invite(account: str) -> Any:
        owner, body = world.live(account), request.get_json()
        person = world.public(body["user_id"])

        def do() -> Any:
            world.invite(owner, person, body.get("message", ""))
            return _request_shown(owner.invitations[0]), 201

        return server.action(do)

    @app.post("/v2/<account>/users/me/relation-requests/<name>/cancel")
    def cancel(account: str, name: str) -> Any:
        owner = world.live(account)
        return server.action(lambda: world.withdraw(owner, name) or {"object": "RelationRequestCanceled"})

    @app.get("/v2/<account>/users/me/relations")
    def relations(account: str) -> Any:
        return server.page(world.live(account).relations, _relation_shown, NAMES)


def _request_shown(one: dict[str, Any]) -> dict[str, Any]:
    shown = {"object": "RelationRequest", "type": "sent", "id": one["id"], "user": user(one["person"])}
    return {**shown, "created_at": iso(one["at"]), "message": one["text"]}


def _relation_shown(one: dict[str, Any]) -> dict[str, Any]:
    return {"object": "UserRelation", "id": one["id"], "user": user(one["person"]), "created_at": iso(one["at"])}


def _talk(app: Flask, server: Any, world: World) -> None:
    @app.get("/v2/<account>/chats")
    def chats(account: str) -> Any:
        return server.page(newest_first(world.find(account)), chat_shown, NAMES)

    @app.get("/v2/<account>/chats/<chat>/messages")
    def messages(account: str, chat: str) -> Any:
        return server.page(world.find(account).chats[chat]["said"], message_shown, NAMES)

    @app.get("/v2/<account>/users/<name>/chat")
    def chat_with(account: str, name: str) -> Any:
        person = world.public(name)
        found = [one for one in newest_first(world.live(account)) if one["person"] == person and not one["inmail"]]
        return {"object": "ChatLookup", "data": [{"chat_id": one["id"], "has_history": True} for one in found]}

    @app.post("/v2/<account>/chats/send")
    def start(account: str) -> Any:
        owner, body = world.live(account), request.get_json()
        person, how = world.public(body["users_ids"]), body.get("specifics", {}).get("linkedin", {})
        inmail = bool(how.get("classic", {}).get("inmail") or "sales_navigator" in how)
        subject = how.get("sales_navigator", {}).get("subject", "")

        def do() -> Any:
            said = world.write(owner, person, body["text"], subject, inmail)
            return {"object": "ChatStarted", "chat_id": said["chat"], "message_id": said["id"]}

        return server.action(do)

    @app.post("/v2/<account>/chats/<chat>/messages/send")
    def send(account: str, chat: str) -> Any:
        owner = world.live(account)
        person, text = str(owner.chats[chat]["person"]), request.get_json()["text"]
        return server.action(lambda: {"object": "MessageSent", "message_id": world.write(owner, person, text)["id"]})


def told(world: World, hook: Row, kind: str, account: Account, about: Row) -> list[Row]:
    names = {
        "relation": "relation.new",
        "message": "message.new",
        "status": STATUS[account.status],
        "signed_in": "account.reconnect" if about.get("again") else "account.add",
    }
    payloads = {
        "relation": lambda: {"id": about["id"], "user": user(about["person"])},
        "message": lambda: message_shown(about),
        "status": lambda: {"timestamp": iso(world.now())},
        "signed_in": lambda: {"account": {"id": account.id, "status": account.status}, "state": about["state"]},
    }
    if names[kind] not in hook["events"]:
        return []
    envelope = {"id": world.name("evt"), "created_at": iso(world.now()), "account_id": account.id}
    return [{**envelope, "account_provider": "linkedin", "type": names[kind], "payload": payloads[kind]()}]
