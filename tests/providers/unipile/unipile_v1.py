"""The earlier generation as its published client describes it."""

from typing import Any

from flask import Flask, request

from tests.providers.unipile.unipile_v2 import iso, newest_first
from tests.providers.unipile.unipile_world import Account, Problem, Row, World, member_id

NAMES = ("items", "cursor")
SOURCE = {"running": "OK", "disconnected": "CREDENTIALS", "partial": "PERMISSIONS", "errored": "ERROR"}


def account_shown(one: Account) -> dict[str, Any]:
    im = {"id": one.user_id, "username": one.name, "publicIdentifier": one.public_id, "premiumContractId": None}
    features = {"premiumFeatures": ["premium", "sales_navigator"]}
    return {
        "object": "Account", "id": one.id, "name": one.name, "type": "LINKEDIN", "created_at": iso(one.created_at),
        "connection_params": {"im": {**im, **features}},
        "sources": [{"id": f"{one.id}_MESSAGING", "status": SOURCE[one.status]}],
    }  # fmt: skip


def register(app: Flask, server: Any) -> None:
    world: World = server.world
    _accounts(app, server, world)
    _people(app, server, world)
    _talk(app, server, world)


def _mine(world: World) -> Account:
    return world.live(request.args.get("account_id") or request.get_json()["account_id"])


def _accounts(app: Flask, server: Any, world: World) -> None:
    @app.get("/api/v1/accounts")
    def v1_accounts() -> Any:
        return {"object": "AccountList", **server.page(list(world.accounts.values()), account_shown, NAMES)}

    @app.get("/api/v1/accounts/<account>")
    def v1_account(account: str) -> Any:
        return account_shown(world.find(account))

    @app.post("/api/v1/hosted/accounts/link")
    def v1_link() -> Any:
        body = request.get_json()
        for name in ("type", "providers", "api_url", "expiresOn"):
            if not body.get(name):
                raise Problem(400, "errors/missing_parameters", name)
        token = world.link(
            generation="v1",
            state=body["name"],
            back=body["success_redirect_url"],
            failed=body["failure_redirect_url"],
            notify=body["notify_url"],
            account=body.get("reconnect_account", ""),
        )
        return {"object": "HostedAuthUrl", "url": f"{server.url}/wizard/{token}"}

    @app.post("/api/v1/webhooks")
    def v1_hook() -> Any:
        body = request.get_json()
        name = world.name("wh")
        headers = {one["key"]: one["value"] for one in body["headers"]}
        hook = {"generation": "v1", "url": body["request_url"], "headers": headers, "source": body["source"]}
        world.hooks[name] = hook
        return {"object": "WebhookCreated", "webhook_id": name}

    @app.delete("/api/v1/webhooks/<name>")
    def v1_unhook(name: str) -> Any:
        if world.hooks.pop(name, None) is None:
            raise Problem(404, "errors/resource_not_found", "No such webhook.")
        return {"object": "WebhookDeleted"}


def _people(app: Flask, server: Any, world: World) -> None:
    @app.get("/api/v1/users/<name>")
    def v1_profile(name: str) -> Any:
        owner = _mine(world)
        person = owner.public_id if name == "me" else world.public(name)
        first, _, last = (owner.name if name == "me" else person.replace("-", " ").title()).partition(" ")
        shown = {
            "object": "UserProfile", "provider_id": member_id(person), "public_identifier": person,
            "first_name": first, "last_name": last, "headline": "Founder",
        }  # fmt: skip
        if name == "me":
            return {**shown, "object": "AccountOwnerProfile", "premium": True, "sales_navigator": None}
        if request.args.get("notify") == "true":
            return server.action(lambda: world.happened("visit", owner, person) or shown)
        return {**shown, "network_distance": "FIRST_DEGREE" if world.connected(owner, person) else "SECOND_DEGREE"}

    @app.get("/api/v1/users/<name>/posts")
    def v1_posts(name: str) -> Any:
        _mine(world)
        return server.page(world.posts.get(world.public(name), []), _post_shown, NAMES)

    @app.post("/api/v1/posts/reaction")
    def v1_react() -> Any:
        owner, body = _mine(world), request.get_json()
        return server.action(lambda: world.happened("like", owner, body["post_id"]) or {"object": "ReactionAdded"})

    @app.post("/api/v1/users/invite")
    def v1_invite() -> Any:
        owner, body = _mine(world), request.get_json()
        person = world.public(body["provider_id"])
        note = body.get("message", "")
        return server.action(
            lambda: {"object": "UserInvitationSent", "invitation_id": world.invite(owner, person, note)}
        )

    @app.get("/api/v1/users/invite/sent")
    def v1_invitations() -> Any:
        return server.page(_mine(world).invitations, _invitation_shown, NAMES)

    @app.delete("/api/v1/users/invite/sent/<name>")
    def v1_cancel(name: str) -> Any:
        owner = _mine(world)
        return server.action(lambda: world.withdraw(owner, name) or {"object": "UserInvitationCancelled"})

    @app.get("/api/v1/users/relations")
    def v1_relations() -> Any:
        return server.page(_mine(world).relations, _relation_shown, NAMES)


def _post_shown(post: dict[str, Any]) -> dict[str, Any]:
    shown = {name: post[name] for name in ("id", "is_repost", "permissions") if name in post}
    return {**shown, "object": "Post", "social_id": post["id"], "date": "2d", "parsed_datetime": iso(post["at"])}


def _invitation_shown(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "UserInvitation", "id": one["id"], "invited_user": one["person"].title(), "date": "Sent today",
        "invited_user_id": member_id(one["person"]), "invited_user_public_id": one["person"],
        "parsed_datetime": iso(one["at"]), "invitation_text": one["text"],
    }  # fmt: skip


def _relation_shown(one: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "UserRelation", "first_name": "A", "last_name": "B", "public_identifier": one["person"],
        "member_id": member_id(one["person"]), "member_urn": "urn:li:member:1", "connection_urn": f"urn:{one['id']}",
        "created_at": int(one["at"].timestamp() * 1000),
    }  # fmt: skip


def _talk(app: Flask, server: Any, world: World) -> None:
    @app.get("/api/v1/chats")
    def v1_chats() -> Any:
        found = world.find(request.args["account_id"])
        return server.page(newest_first(found), lambda chat: _chat_shown(found, chat), NAMES)

    @app.get("/api/v1/chat_attendees/<name>/chats")
    def v1_chats_with(name: str) -> Any:
        owner = _mine(world)
        found = [chat for chat in newest_first(owner) if member_id(chat["person"]) == name]
        if not found:
            raise Problem(404, "errors/resource_not_found", "No such attendee.")
        return server.page(found, lambda chat: _chat_shown(owner, chat), NAMES)

    @app.get("/api/v1/chats/<chat>/messages")
    def v1_messages(chat: str) -> Any:
        owner = next(one for one in world.accounts.values() if chat in one.chats)
        return server.page(owner.chats[chat]["said"], _message_shown, NAMES)

    @app.post("/api/v1/chats")
    def v1_start() -> Any:
        given = request.form
        owner, person = world.live(given["account_id"]), world.public(given["attendees_ids"])

        def do() -> Any:
            inmail = given.get("linkedin[inmail]") == "true"
            said = world.write(owner, person, given["text"], given.get("subject", ""), inmail)
            return {"object": "ChatStarted", "chat_id": said["chat"], "message_id": said["id"]}

        return server.action(do)

    @app.post("/api/v1/chats/<chat>/messages")
    def v1_send(chat: str) -> Any:
        owner = next(one for one in world.accounts.values() if chat in one.chats)
        world.live(owner.id)
        person, text = str(owner.chats[chat]["person"]), request.form["text"]
        return server.action(lambda: {"object": "MessageSent", "message_id": world.write(owner, person, text)["id"]})


def _chat_shown(owner: Account, chat: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "Chat", "id": chat["id"], "account_id": owner.id, "type": 0,
        "attendee_provider_id": member_id(chat["person"]), "timestamp": iso(chat["said"][0]["at"]),
        "content_type": "inmail" if chat["inmail"] else None, "folder": ["INBOX"],
    }  # fmt: skip


def _message_shown(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "object": "Message", "id": said["id"], "chat_id": said["chat"], "text": said["text"],
        "sender_id": member_id(said["person"]), "timestamp": iso(said["at"]), "is_sender": int(said["mine"]),
        "is_event": 0, "attachments": [], "subject": said["subject"] or None,
    }  # fmt: skip


def told(world: World, hook: Row, kind: str, account: Account, about: Row) -> list[Row]:
    common = {"account_id": account.id, "account_type": "LINKEDIN", "webhook_name": "Overture"}
    if kind == "relation" and hook["source"] == "users":
        who = {"user_provider_id": member_id(about["person"]), "user_public_identifier": about["person"]}
        return [{"event": "new_relation", **common, **who, "user_full_name": about["person"].title()}]
    if kind == "message" and hook["source"] == "messaging":
        sender = account.user_id if about["mine"] else member_id(about["person"])
        said = {"chat_id": about["chat"], "message_id": about["id"], "message": about["text"]}
        more = {"timestamp": iso(about["at"]), "sender": {"attendee_provider_id": sender}}
        return [{"event": "message_received", **common, **said, **more}]
    if kind in ("status", "signed_in") and hook["source"] == "account_status":
        message = (
            ("RECONNECTED" if about["again"] else "CREATION_SUCCESS") if kind == "signed_in" else SOURCE[account.status]
        )
        return [{"AccountStatus": {"account_id": account.id, "account_type": "LINKEDIN", "message": message}}]
    return []
