"""Pages: a list of any length, read page by page as you go through it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from .core.types import Unset

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
Cursor = str | Unset


class Page(Protocol[T_co]):
    """One page, as the server returns it."""

    @property
    def data(self) -> Sequence[T_co]:
        """The items on this page."""

    @property
    def next_cursor(self) -> str:
        """The cursor of the next page; '' on the last page."""


class Pages(Generic[T]):
    """All items in a list. Nothing is requested until you iterate, and every `for` starts again."""

    def __init__(self, fetch: Callable[[Cursor], Page[T]], cursor: Cursor) -> None:
        self._fetch, self._cursor = fetch, cursor

    def __iter__(self) -> Iterator[T]:
        for page in self.by_page():
            yield from page.data

    def by_page(self) -> Iterator[Page[T]]:
        """Yield whole pages; keep a page's `next_cursor` to continue later."""
        cursor = self._cursor
        while True:
            page = self._fetch(cursor)
            yield page
            if not page.next_cursor:
                return
            cursor = page.next_cursor


class AsyncPages(Generic[T]):
    """All items in a list, for `async for`. Nothing is requested until you iterate, and every loop starts again."""

    def __init__(self, fetch: Callable[[Cursor], Awaitable[Page[T]]], cursor: Cursor) -> None:
        self._fetch, self._cursor = fetch, cursor

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.by_page():
            for one in page.data:
                yield one

    async def by_page(self) -> AsyncIterator[Page[T]]:
        """Yield whole pages; keep a page's `next_cursor` to continue later."""
        cursor = self._cursor
        while True:
            page = await self._fetch(cursor)
            yield page
            if not page.next_cursor:
                return
            cursor = page.next_cursor
