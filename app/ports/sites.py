"""Website reading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SitePage:
    """One page that was read: where, its title, its own description, and its main text without menus.

    `kind` is home, product, pricing, customers, about or other.
    """

    url: str
    title: str
    description: str
    text: str
    headings: Sequence[str] = ()
    kind: str = "other"


@dataclass(frozen=True)
class Site:
    """What was read of a website, the home page first. `name` is what it calls itself, or empty.

    `country` is an ISO code and `place` a town, as far as the pages say so.
    """

    domain: str
    name: str
    language: str
    pages: Sequence[SitePage]
    country: str = ""
    place: str = ""


class SiteReader(Protocol):
    """Reads a website's most informative pages."""

    def read(self, address: str, progress: Callable[[str, int], None]) -> Site:
        """Read the site. `progress` gets each page before it is read, and the number of pages read so far.

        Raise Unreachable, or Refused when the address is not allowed or there is nothing to read, each with one plain
        sentence that may be shown as it is.
        """
