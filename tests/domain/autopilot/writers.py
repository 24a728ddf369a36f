"""Writers and readers that do what a test wants at one point, and otherwise what they always do."""

from collections.abc import Callable
from typing import Any

from app import ports
from app.ports import FoundPeople, PeopleQuery, Site, SitePage


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
