"""PostHog as an analytics source: a read-only personal key, one project, and identified visitors."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Literal
from urllib.parse import quote, unquote, urlsplit

from app.ports import SourceRefused, Unreachable, Visitor, VisitorPage
from app.providers.http import HttpClient
from app.providers.json_api import WITHIN, JsonApi, Reply, text_of

CLOUDS = "https://{region}.posthog.com"  # where `{region}` is not in the address, it is an installation of one's own
REGIONS = {"us": "US", "eu": "EU"}
PAGE = 500
MOST_PROJECTS = 500
KINDS = {
    "phc_": "This is a project token, which can only write events.",
    "phs_": "This is a project's secret key, which can't read people.",
}
CREATE = "Create a personal API key in PostHog under Settings → Personal API keys, with query:read and project:read."
VISITORS = """
select person.properties.email as email, argMax(properties.$current_url, timestamp) as page, max(timestamp) as seen,
  any(person.properties.first_name) as first_name, any(person.properties.last_name) as last_name,
  any(person.properties.name) as name, any(person.properties.company) as company, any(person.properties.title) as title
from events
where event = '$pageview' and timestamp >= toDateTime({since}) and person.properties.email like '%@%'
group by email
having {cursor} = '' or seen < toDateTime({bound})
  or (seen = toDateTime({bound}) and email > {last})
order by seen desc, email
limit {page}
""".replace("{page}", str(PAGE))
_SCOPE = re.compile(r"'([a-z_]+:(?:read|write))'")
_ID = re.compile(r"[0-9a-f]{8,}|\d+|[0-9a-f-]{20,}", re.IGNORECASE)
_PLAIN = re.compile(r"[^\W_]+(?:[ '&+-][^\W_]+)*")
LONGEST_PAGE = 60


def check_form(key: str) -> None:
    """Raise SourceRefused unless it has the form of a personal key."""
    if not key.startswith("phx_"):
        kind = next((what for mark, what in KINDS.items() if key.startswith(mark)), "")
        raise SourceRefused(f"{kind} A personal API key begins with phx_. {CREATE}".strip())


class PostHog:
    """A `ports.AnalyticsSource`."""

    def __init__(self, client: HttpClient, url: str = CLOUDS, *, within: float = WITHIN) -> None:
        self._urls = {region: url.replace("{region}", region) for region in REGIONS}
        self._clouds = {one: JsonApi(client, "PostHog", base, within=within) for one, base in self._urls.items()}
        self._own = "{region}" not in url

    def check(self, key: str, region: str, project_id: str) -> str:
        check_form(key)
        scoped = self._scoped_projects(key, region)
        project = self._project(key, region, project_id, scoped)
        self._query(key, region, project, "select 1", {}, "overture: key check")
        return project

    def visitors(self, key: str, region: str, project_id: str, seed: int, since: datetime, after: str) -> VisitorPage:
        bound, _, last = after.partition(" ")
        values = {
            "since": _moment(since),
            "cursor": after,
            "bound": bound or _moment(since),
            "last": last,
        }
        rows = self._query(key, region, project_id, VISITORS, values, "overture: visitors")
        found = [self._visitor(region, row) for row in rows]
        more = f"{_moment(found[-1].at)} {found[-1].email}" if len(rows) == PAGE else ""
        return VisitorPage(found, more)

    def _visitor(self, region: str, row: Any) -> Visitor:
        if not isinstance(row, list) or len(row) < 8 or not isinstance(row[0], str):
            raise self._clouds[region].strange()
        page = row[1] if isinstance(row[1], str) else ""
        email, _, seen, first, last, name, company, title = (text_of(value) for value in row[:8])
        try:
            at = datetime.fromisoformat(seen)
        except ValueError:
            raise self._clouds[region].strange() from None
        before, _, behind = name.partition(" ")
        return Visitor(
            email=email,
            page=page_in_words(page),
            at=at if at.tzinfo else at.replace(tzinfo=UTC),
            first_name=first or before,
            last_name=last or ("" if first else behind.strip()),
            company=company,
            title=title,
        )

    def _scoped_projects(self, key: str, region: str) -> list[str]:
        """Return the projects the key is limited to, [] for all; raise SourceRefused if it may write."""
        said = self._get(key, region, "/api/personal_api_keys/@current/")
        if said.status == 401:
            raise self._unknown_key(key, region)
        if said.status == 404:  # an older installation of one's own does not tell
            return []
        if said.status != 200:
            raise self._refusal(said)
        scopes = said.part("scopes")
        if not isinstance(scopes, list) or not all(isinstance(one, str) for one in scopes):
            raise self._clouds[region].strange()
        too_much = [one for one in scopes if not one.endswith(":read")]
        if too_much:
            named = "everything" if "*" in too_much else ", ".join(sorted(too_much)[:3])
            raise SourceRefused(
                f"This key has more than read access: {named}. Create a key with only query:read and project:read."
            )
        if "query:read" not in scopes:
            raise SourceRefused("This key lacks the scope query:read. Add the scope in PostHog, or create another key.")
        teams = said.part("scoped_teams")
        return [str(one) for one in teams if isinstance(one, int)] if isinstance(teams, list) else []

    def _unknown_key(self, key: str, region: str) -> SourceRefused:
        """Return why the key is unknown: it may belong to the other cloud region."""
        other = "eu" if region == "us" else "us"
        if not self._own and self._get(key, other, "/api/personal_api_keys/@current/").status == 200:
            return SourceRefused(f"This key belongs to PostHog {REGIONS[other]}. Choose the region {other}.", "region")
        return SourceRefused(f"PostHog doesn't recognize this key; it may have been deleted. {CREATE}")

    def _project(self, key: str, region: str, wanted: str, scoped: Sequence[str]) -> str:
        """Return the project to read; raise SourceRefused that names the choices."""
        if wanted:
            if scoped and wanted not in scoped:
                raise SourceRefused(f"This key can only read {_choice(scoped)}.", "project")
            if scoped:
                return wanted
            said = self._get(key, region, f"/api/projects/{quote(wanted, safe='')}/")
            if said.status == 404:
                raise SourceRefused(f"This key can't read a project {wanted}.", "project")
            if said.status != 200:
                raise self._refusal(said, "project")
            return wanted
        if not scoped:
            scoped = self._projects(key, region)
        if not scoped:
            raise SourceRefused("This key can't read any project. Give the key access to a project.")
        if len(scoped) > 1:
            raise SourceRefused(f"Choose {_choice(scoped)}.", "project")
        return scoped[0].partition(" ")[0]

    def _projects(self, key: str, region: str) -> list[str]:
        """Return the projects that the key may read, each as `id (name)`."""
        path, found = "/api/organizations/@current/projects/", list[str]()
        while path and len(found) < MOST_PROJECTS:
            said = self._get(key, region, path)
            if said.status != 200:
                raise self._refusal(said)
            if not isinstance(said.part("results"), list):
                raise self._clouds[region].strange()
            for one in said.things("results"):
                number, name = one.get("id"), text_of(one.get("name"), 60)
                if not isinstance(number, int):
                    raise self._clouds[region].strange()
                found.append(f"{number} ({name})" if name else str(number))
            path = self._following(region, said.part("next"))
        return found

    def _following(self, region: str, address: Any) -> str:
        """Return the path of the next page; '' without one. The key is only sent to its own host."""
        if not address:
            return ""
        base = self._urls[region]
        if not isinstance(address, str) or not address.startswith(base + "/"):
            raise self._clouds[region].strange("the next page is at another address")
        return address[len(base) :]

    def _query(self, key: str, region: str, project: str, query: str, values: dict[str, str], name: str) -> list[Any]:
        """Return the rows of the query."""
        body = {
            "query": {"kind": "HogQLQuery", "query": query.strip(), "values": values},
            "name": name,
            "refresh": "blocking",
        }
        path = f"/api/projects/{quote(project, safe='')}/query/"
        said = self._asked(region, "POST", path, key, body)
        if said.status == 401:
            raise SourceRefused("This key was deleted in PostHog. Create a new key.")
        if said.status == 404:
            raise SourceRefused(f"The project {project} was deleted, or the key can no longer read it.", "project")
        if said.status == 400:
            raise self._clouds[region].strange("it rejected the query")
        if said.status != 200:
            raise self._refusal(said)
        rows, state = said.part("results"), said.part("query_status")
        if rows is None and isinstance(state, dict) and not state.get("complete"):
            raise Unreachable("PostHog is still counting. We'll retry in a minute.")
        if not isinstance(rows, list):
            raise self._clouds[region].strange()
        return rows

    def _get(self, key: str, region: str, path: str) -> Reply:
        return self._asked(region, "GET", path, key)

    def _asked(self, region: str, method: str, path: str, key: str, body: Any = None) -> Reply:
        cloud = self._clouds[region]
        said = cloud.ask(method, path, {"authorization": f"Bearer {key}"}, body=body)
        if said.status == 429:
            raise cloud.throttled(said.headers)
        if 300 <= said.status < 400:
            raise cloud.strange("it redirects elsewhere")
        return said

    def _refusal(self, said: Reply, field: Literal["key", "project"] = "key") -> SourceRefused:
        """Return a plain error that says what the key lacks."""
        detail = text_of(said.part("detail"))
        missing = _SCOPE.search(detail)
        if missing:
            return SourceRefused(f"This key lacks the scope {missing[1]}. Add the scope to the key in PostHog.")
        if "does not have access to the requested project" in detail:
            return SourceRefused("This key can't read that project. Choose another, or give the key access.", "project")
        if "does not allow using personal API keys" in detail:
            return SourceRefused("Your PostHog organization doesn't allow personal API keys. An admin can allow them.")
        if said.status == 401:
            return SourceRefused(f"PostHog doesn't recognize this key. {CREATE}")
        return SourceRefused(f"PostHog refused the key (error {said.status}). Check the key's permissions.", field)


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def _choice(projects: Sequence[str]) -> str:
    shown = ", ".join(projects[:10])
    more = f" and {len(projects) - 10} more" if len(projects) > 10 else ""
    return f"one of the projects {shown}{more}" if len(projects) > 1 else f"the project {shown}"


def page_in_words(address: str) -> str:
    """Return the last telling part of a page's address, as in a sentence: `pricing`; `home` for `/`."""
    try:
        parts = [unquote(part) for part in urlsplit(address).path.split("/") if part]
    except ValueError:
        return ""
    for part in reversed(parts):
        name = " ".join(re.sub(r"\.(html?|php|aspx?)$", "", part, flags=re.IGNORECASE).replace("_", "-").split("-"))
        if len(name) <= LONGEST_PAGE and _PLAIN.fullmatch(name) and not any(_ID.fullmatch(one) for one in name.split()):
            return name.lower()
    return "" if parts else "home"
