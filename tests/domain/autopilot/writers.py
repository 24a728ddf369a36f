"""Writers and readers that do what a test wants at one point, and otherwise what they always do."""

import math
from collections.abc import Callable, Sequence
from typing import Any, cast

from app import ports
from app.ports import FoundPeople, PeopleQuery, Site, SitePage
from app.ports.writer import Brief, Change, PlayIdea, PlayStep, Written, named_change


class Died(BaseException):
    """The process was killed just here."""


class At:
    """Stands before an adapter: when `method` is called for the `number`th time, something happens first."""

    def __init__(self, before: Any, method: str, happens: Callable[[], object], number: int = 1) -> None:
        self._before, self._method, self._happens, self._left = before, method, happens, number

    def __getattr__(self, name: str) -> Any:
        what = getattr(self._before, name)
        if name != self._method:
            return what

        def first(*arguments: Any, **options: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                self._happens()
            return what(*arguments, **options)

        return first


def raises(failure: BaseException) -> Callable[[], object]:
    """What happens is that failure."""

    def fail() -> object:
        raise failure

    return fail


def writer_at(method: str, happens: Callable[[], object], number: int = 1) -> None:
    """Until the end of the test, that happens when the writer is asked for it."""
    ports.writer.connect(At(ports.writer(), method, happens, number))


class WithModel:
    """The writer as it is, with a model that changes steps by `made` for any words."""

    name, takes_words = "a-model", True

    def __init__(self, before: Any, made: Callable[[Sequence[PlayStep]], Sequence[PlayStep]]) -> None:
        self._before, self._made = before, made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._before, name)

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        if named_change(wish):
            return cast(Change, self._before.change(brief, idea, steps, wish, within))
        return Change(self._made(steps), "the model had no other text.")

    def last(self) -> Written:
        return Written(self.name)


def with_model(made: Callable[[Sequence[PlayStep]], Sequence[PlayStep]] = lambda steps: steps) -> None:
    """Until the end of the test a model changes plays so, asked in any words."""
    ports.writer.connect(WithModel(ports.writer(), made))


def search_at(method: str, happens: Callable[[], object], number: int = 1) -> None:
    """Until the end of the test, that happens when people are looked for in the sandbox."""
    ports.sandbox_people.connect(At(ports.sandbox_people(), method, happens, number))


class Pages:
    """A website of two pages, or one that cannot be read."""

    def __init__(self, failure: Exception | None = None, look: Callable[[], object] = lambda: None) -> None:
        self._failure, self._look = failure, look
        self.read_addresses: list[str] = []

    def read(self, address: str, progress: Callable[[str, int], None]) -> Site:
        """What it says."""
        self.read_addresses.append(address)
        if self._failure:
            raise self._failure
        text = "Tidemark is booking software for sailing schools. It fills courses and takes payments."
        pages = []
        for name in ("", "pricing"):
            progress(f"https://tidemark.example/{name}", len(pages))
            self._look()
            pages.append(SitePage(f"https://tidemark.example/{name}", "Tidemark", text, text, kind=name or "home"))
        return Site("tidemark.example", "Tidemark", "en", pages, country="DE")


class NoOne:
    """A search that finds no one."""

    name = "sandbox"

    def count(self, wanted: PeopleQuery) -> int:
        """None."""
        return 0

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """None."""
        return FoundPeople()
