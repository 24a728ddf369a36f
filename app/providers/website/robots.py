"""Parse robots.txt. Patterns are matched in linear time, because the file is untrusted."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

AGENT = "overture"
MOST_LINES, LONGEST_PATTERN = 2000, 500


@dataclass(frozen=True)
class Robots:
    """The rules for us: (pattern, allowed), and the sitemaps that are named."""

    rules: Sequence[tuple[str, bool]] = ()
    sitemaps: Sequence[str] = ()

    def allows(self, url: str) -> bool:
        """Return whether that page may be read: the longest matching pattern decides, and a tie allows."""
        parts = urlsplit(url)
        path = unquote(parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        best = max(((len(pattern), allowed) for pattern, allowed in self.rules if matches(pattern, path)), default=None)
        return best is None or best[1]


def parse(text: str) -> Robots:
    """Return the rules of our group, else of the group for all robots."""
    ours: list[tuple[str, bool]] = []
    others: list[tuple[str, bool]] = []
    sitemaps: list[str] = []
    agents: list[str] = []
    named = in_rules = False
    for line in text.splitlines()[:MOST_LINES]:
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        match name.lower():
            case "user-agent":
                agents = [*([] if in_rules else agents), value.lower()]
                in_rules = False
                named = named or AGENT in value.lower()
            case "allow" | "disallow":
                in_rules = True
                if value and len(value) <= LONGEST_PATTERN:
                    rule = (unquote(value), name.lower() == "allow")
                    ours += [rule] if any(AGENT in agent for agent in agents) else []
                    others += [rule] if "*" in agents else []
            case "sitemap":
                sitemaps.append(value)
    return Robots(ours if named else others, sitemaps[:3])


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern in which * is anything and a final $ the end."""
    ends = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for position, piece in enumerate(rest):
        if ends and position == len(rest) - 1:
            return path.endswith(piece) and len(path) - len(piece) >= at
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return not ends or at == len(path)
