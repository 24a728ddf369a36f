"""An installation that is being filled, over the command line, `/v1` and the pages, on a clock that stands still."""

import contextvars
from collections.abc import Callable
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from flask import Flask
from jinja2 import FileSystemBytecodeCache

from app.cli import overture
from app.core import clock
from app.engines import once
from app.engines.units import UNITS
from tests.conftest import build, close
from tests.pages.conftest import Web
from tests.support.clients import Api

PASSWORD = "four unrelated quiet words"
HUNTER_KEY = "hunter-key-of-lighthouse"
MAIL_PASSWORD = "an app password"


def profile(person: str, company: str = "Engine") -> dict[str, Any]:
    """A person whose public id says how they behave."""
    name = person.rpartition("-")[2].title()
    return {
        "publicId": person,
        "firstName": name,
        "lastName": "Example",
        "companyName": company,
        "companyUrl": f"https://{company.lower()}.example",
        "position": "Head of Operations",
        "location": "Lisbon",
        "email": f"{person}@{company.lower()}.example",
        "customFields": {"tier": "A", "met": "2025-11-04"},
    }


class Installation:
    """One that is being filled."""

    def __init__(self, url: str, folder: Path, time: clock.Movable, servers: dict[str, Any]) -> None:
        self.url, self.folder, self.time, self.servers = url, folder, time, servers
        self.notes: dict[str, Any] = {}
        self.app: Flask | None = None
        self._context: Any = None
        self.env: dict[str, str] = {}

    def open(self, secret: str, *former: str) -> None:
        """Its application runs, with that key."""
        self.close()
        self.env = {
            "DATABASE_URL": self.url,
            "SECRET_KEY": secret,
            "OVERTURE_OLD_SECRET_KEYS": ",".join(one.replace(",", "%2C") for one in former),
            "BASE_URL": "http://localhost",
            "OVERTURE_INSTANCE": str(self.folder),
            "OVERTURE_ALLOW_PRIVATE_NETWORK": "1",
            "OVERTURE_LOG_LEVEL": "error",
            "OVERTURE_HUNTER_URL": self.servers["hunter"].url,
        }
        self.app = build(
            self.url,
            self.folder,
            FileSystemBytecodeCache(str(self.folder)),
            SECRET_KEY=secret,
            OVERTURE_OLD_SECRET_KEYS=former,
            OVERTURE_RATE_LIMIT="on",
            OVERTURE_HUNTER_URL=self.servers["hunter"].url,
        )
        self._context = self.app.app_context()
        self._context.push()

    def close(self) -> None:
        """Nothing of it runs."""
        if self.app is not None:
            self._context.pop()
            close(self.app)
            self.app = None

    def command(self, *arguments: object) -> str:
        """What `overture …` prints."""
        words = [str(argument) for argument in arguments]
        result = contextvars.Context().run(CliRunner().invoke, overture, words, env=self.env)
        assert result.exit_code == 0, result.output
        return str(result.stdout).strip()

    def web(self, email: str) -> Web:
        """The browser of that user, signed in."""
        web = self.visitor()
        assert web.sign_in(email, PASSWORD).status_code == 303
        return web

    def visitor(self) -> Web:
        """A browser in which no user is signed in."""
        assert self.app
        return Web(self.app.test_client())  # type: ignore[arg-type]

    def api(self, key: str) -> Callable[..., Any]:
        """`call("POST", "lists", {...})`: what `/v1` answers, which must be well."""
        assert self.app
        api = Api(self.app.test_client(), key)  # type: ignore[arg-type]

        def call(method: str, path: str, body: Any = None, **headers: str) -> Any:
            self.time.forward(seconds=1)
            answer = api.call(method, path, json=body, headers=headers)
            assert answer.status_code < 300, (method, path, answer.text)
            return answer.get_json(silent=True)

        return call

    def look(self, times: int = 1, only: str = "") -> None:
        """Whatever is due was done, so many times."""
        assert self.app
        for _ in range(times):
            for kind in UNITS:
                if only in kind.name:
                    once.run_due(self.app, kind)

    def people(self, call: Any, name: str, people: list[str]) -> int:
        """The id of a list of these people."""
        made = call("POST", "lists", {"name": name})
        call("POST", f"lists/{made['id']}/leads", {"profiles": [profile(one) for one in people]})
        return int(made["id"])
