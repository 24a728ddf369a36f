"""What servers of people's data have in common: keys, what was asked, and answers that a test puts in their place."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flask import Flask, request
from flask.typing import ResponseReturnValue

from tests.providers.serving import Serving

Object = dict[str, Any]
Rule = tuple[str, str, Callable[[], ResponseReturnValue]]


@dataclass
class DataServer:
    """One account. `wrong` answers instead, when it answers at all; `left` is what the plan still allows."""

    keys: set[str] = field(default_factory=lambda: {"good"})
    people: list[Object] = field(default_factory=list)
    companies: dict[str, Object] = field(default_factory=dict)
    left: int = 1000
    wrong: Callable[[str], ResponseReturnValue | None] = lambda path: None
    asked: list[tuple[str, Object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        app = Flask("data")
        app.before_request(self._begin)
        for method, path, view in self.rules():
            app.add_url_rule(path, f"{method} {path}", view, methods=[method])
        self._serving = Serving(app)
        self.url = self._serving.url

    def rules(self) -> list[Rule]:
        raise NotImplementedError

    def key(self) -> str:
        return request.headers.get("x-api-key", "")

    def unknown_key(self) -> ResponseReturnValue:
        raise NotImplementedError

    def stop(self) -> None:
        self._serving.stop()

    def _begin(self) -> ResponseReturnValue | None:
        given = request.get_json(silent=True) or {}
        self.asked.append((request.path, {**request.args.to_dict(), **given}))
        if (answer := self.wrong(request.path)) is not None:
            return answer
        return None if self.key() in self.keys else self.unknown_key()
