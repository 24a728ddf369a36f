"""A server that keeps the published contract of Unipile's interface, v2 and v1, on a real socket.

`modes`, one for each coming action: `drop` does it and closes the connection without an answer, `lose` closes it before
anything is done, `late 200` closes it too and does it 200 seconds later, `429`, `500`, `limit`, `challenge`,
`duplicate`, `garbage`, `wait` (until `release` is set).
"""

import hmac
import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from flask import Flask, Response, redirect, request

from tests.providers.serving import Serving
from tests.providers.unipile import unipile_v1, unipile_v2
from tests.providers.unipile.unipile_world import KEY, Account, Problem, World

SOMETHING = {"429": (429, "errors/too_many_requests"), "500": (500, "errors/provider_error")}


class UnipileServer:
    """The contract over HTTP. `before_answer` is called when an action is done and no one has heard of it."""

    def __init__(self, world: World | None = None) -> None:
        self.world = world or World()
        self.world.on_event = self._event
        self.generation = "v2"
        self.before_answer: Callable[[], None] = lambda: None
        self.release = threading.Event()
        app = Flask("unipile")
        app.register_error_handler(Problem, self._problem)
        app.before_request(self._enter)
        unipile_v2.register(app, self)
        unipile_v1.register(app, self)
        app.add_url_rule("/wizard/<token>", view_func=self._wizard)
        app.add_url_rule("/wizard/<token>/<what>", view_func=self._wizard_end)
        self._serving = Serving(app)
        self.url = self._serving.url

    def base(self, generation: str) -> str:
        return f"{self.url}/v2" if generation == "v2" else f"{self.url}/api/v1"

    def values(self, generation: str = "v2", key: str = KEY) -> dict[str, str]:
        return {"base_url": self.base(generation), "api_key": key, "webhook_secret": "ours-to-choose"}

    def stop(self) -> None:
        self.release.set()
        self._serving.stop()

    def action(self, do: Callable[[], Any]) -> Any:
        world = self.world
        with world.lock:
            trouble = self._trouble()
        if trouble == "wait":
            self.release.wait(30)
        with world.lock:
            if trouble == "lose":
                return self._hang_up()
            if trouble == "limit":
                raise Problem(422, "errors/cannot_resend_yet", "You have reached a temporary provider limit.")
            if trouble == "duplicate":
                raise Problem(422, "errors/already_invited_recently", "A connection request was sent recently.")
            if trouble in SOMETHING:
                raise Problem(*SOMETHING[trouble], "Too much.", **{"Retry-After": "600"} if trouble == "429" else {})
            if trouble == "challenge":
                for account in world.accounts.values():
                    world.stands(account, "partial")
                raise Problem(401, "errors/checkpoint_error", "A checkpoint must be solved.")
            if trouble.startswith("late"):
                world.later(timedelta(seconds=int(trouble.split()[1])), lambda: self._do_late(do))
                self.before_answer()
                return self._hang_up()
            answer = do()
            self.before_answer()
            if trouble == "garbage":
                return Response("<html>Good</html>")
            return self._hang_up() if trouble == "drop" else answer

    @staticmethod
    def _do_late(do: Callable[[], Any]) -> None:
        with suppress(Problem):  # nobody hears of it any more
            do()

    def _trouble(self) -> str:
        """The next trouble; those of invitations wait for one."""
        troubles, inviting = self.world.troubles, request.path.endswith(("/relation-requests", "/users/invite"))
        trouble = next((one for one in troubles if inviting or one not in ("limit", "duplicate")), "")
        if trouble or (troubles and not troubles[0]):
            troubles.remove(trouble)
        return trouble

    def page(self, found: list[Any], show: Callable[[Any], Any], names: tuple[str, str]) -> dict[str, Any]:
        """One page of a list with the cursor of the next."""
        limit = min(int(float(request.args.get("limit", 20))), self.world.page)
        start = int(request.args.get("cursor") or request.args.get("offset") or 0)
        after = start + limit
        more = str(after) if after < len(found) else None
        return {names[0]: [show(one) for one in found[start:after]], names[1]: more}

    def _enter(self) -> None:
        with self.world.lock:
            self.world.asked.append(f"{request.method} {request.full_path.rstrip('?')}")
            if not request.path.startswith(("/v2/", "/api/")):
                return
            if request.headers.get("X-API-KEY") != KEY:
                raise Problem(401, "errors/missing_credentials", "The API key is not valid.")
            self.world.settle()

    def _hang_up(self) -> Response:
        raw: socket.socket = request.environ["werkzeug.socket"]
        with suppress(OSError):
            raw.shutdown(socket.SHUT_RDWR)
        return Response("")

    @staticmethod
    def _problem(problem: Problem) -> Response:
        body = {"status": problem.status, "type": problem.kind, "title": problem.kind, "detail": problem.detail}
        return Response(json.dumps(body), problem.status, problem.headers, content_type="application/json")

    def _event(self, kind: str, account: Account, about: dict[str, Any]) -> None:
        """Whoever wanted to hear of it is called: the calls wait in `world.told` for the test to deliver them."""
        for hook in self.world.hooks.values():
            make = unipile_v2.told if hook["generation"] == "v2" else unipile_v1.told
            for body in make(self.world, hook, kind, account, about):
                raw = json.dumps(body).encode()
                headers = {"Content-Type": "application/json", **self._proof(hook, raw)}
                self.world.told.append((str(hook["url"]), headers, raw))

    def _proof(self, hook: dict[str, Any], raw: bytes) -> dict[str, str]:
        if hook["generation"] == "v1":
            return dict(hook["headers"])
        moment = str(int(self.world.now().timestamp()))
        signature = hmac.new(str(hook["secret"]).encode(), moment.encode() + b"." + raw, sha256).hexdigest()
        return {"unipile-signature": f"t={moment},v0={signature}"}

    def _wizard(self, token: str) -> str:
        if token not in self.world.links:
            raise Problem(404, "errors/resource_not_found", "This link has expired.")
        return (
            "<!doctype html><title>Sign in</title><h1>Sign in to LinkedIn</h1>"
            f"<a href='/wizard/{token}/done'>Sign in</a> <a href='/wizard/{token}/cancel'>Cancel</a>"
        )

    def _wizard_end(self, token: str, what: str) -> Any:
        with self.world.lock:
            wanted = self.world.links[token]
            if what != "done":
                return redirect(wanted.get("failed") or f"{wanted['back']}&{urlencode({'error_title': 'Canceled'})}")
            account = self.world.sign_in(token)
            if wanted["generation"] == "v1":
                status = "RECONNECTED" if wanted.get("account") else "CREATION_SUCCESS"
                body = json.dumps({"status": status, "account_id": account.id, "name": wanted["state"]}).encode()
                self.world.told.append((wanted["notify"], {"Content-Type": "application/json"}, body))
                return redirect(wanted["back"])
            given = {"account_id": account.id, "provider": "linkedin"}
            return redirect(f"{wanted['back']}&{urlencode(given)}")
