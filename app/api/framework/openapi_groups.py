"""The groups of operations in the published document, in the order in which a newcomer needs them."""

from typing import NamedTuple

from app.api.framework.declarations import Endpoint


class Group(NamedTuple):
    """A tag of the document: its name, what its operations are about, and the first words of their paths."""

    name: str
    about: str
    paths: tuple[str, ...]


GROUPS = (
    Group(
        "Start here",
        "To test your API key, call `GET /v1/me`, which returns its workspace and scopes. Try everything in a sandbox"
        " first: `workspace.sandbox` says how.",
        ("me", "workspaces"),
    ),
    Group(
        "Lists and people",
        "A list contains leads; one person can be a lead in several lists. Add people one by one, from a CSV file, or"
        " from a LinkedIn search. People and leads can be looked up, corrected, merged, exported and erased.",
        ("lists", "imports", "search-imports", "leads", "people"),
    ),
    Group(
        "Do not contact",
        "People, email addresses, domains and companies that no campaign or member may contact. Every send is checked "
        "against this list.",
        ("never-contact",),
    ),
    Group(
        "Campaigns",
        "A campaign runs a sequence of steps for the people in its lists, through its senders. Create a draft, preview"
        " and forecast it, start it, then follow its people and statistics. Nothing is sent before you start.",
        ("campaigns", "starters", "templates", "stats", "calendar", "blackouts", "company-holds"),
    ),
    Group(
        "Approvals",
        "In campaigns with approval, every message starts as a draft and is only sent once you approve it, through the"
        " API or in the dashboard.",
        ("approvals",),
    ),
    Group(
        "Conversations",
        "People's replies and your messages to them. A reply ends the person's campaign and gets a sentiment. Meetings"
        " booked through a connected calendar are shown with the conversation. To reply from a program, read the"
        " `lead_auto_tagged_positive` events from `GET /v1/events`: each names a positive reply in a campaign and its"
        " conversation. For replies outside campaigns, list conversations with `sentiment=positive`.",
        ("conversations", "snippets", "meetings"),
    ),
    Group(
        "Tasks",
        "What members need to do about a person, such as following up in May or confirming a possible opt-out.",
        ("tasks", "referrals"),
    ),
    Group(
        "Senders",
        "The LinkedIn accounts and mailboxes that campaigns send through, with their working hours, daily limits and "
        "health.",
        ("accounts", "mailboxes", "senders", "sign-ins"),
    ),
    Group(
        "Autopilot",
        "Set up campaigns from your website: the profile of your business, customer types, targeting, and plays, which"
        " are campaigns written for you. Long tasks run in the background; poll the setup or play until they are done.",
        ("autopilot",),
    ),
    Group(
        "Finding people and data",
        "Monitors watch searches and signals for new people, enrichment finds email addresses and phone numbers, and a"
        " connected CRM is kept in sync. Services provide this data; you connect them with your own API keys.",
        ("monitors", "signals", "enrichments", "services", "crm"),
    ),
    Group(
        "Webhooks and events",
        "Events in the workspace, sent to your server as they happen or read in order with `GET /v1/events`.",
        ("webhooks", "deliveries", "events"),
    ),
    Group(
        "Workspace",
        "Settings and contact rules, members, API keys, saved views, and the plan.",
        ("settings", "members", "keys", "views", "billing"),
    ),
)
_GROUP_OF = {path: group for group in GROUPS for path in group.paths}


def group_of(one: Endpoint) -> Group:
    """Return the group of an endpoint; a path whose first word is in no group has a group of that name."""
    word = _first_word(one)
    return _GROUP_OF.get(word) or Group(word, "", (word,))


def place_of(one: Endpoint) -> tuple[int, int, str, int]:
    """Return the sort key of an endpoint: by group, within it by the first word of the path, then by path."""
    group = group_of(one)
    word = group.paths.index(_first_word(one))
    place = GROUPS.index(group) if group in GROUPS else len(GROUPS)
    return place, word, one.path, ("GET", "POST", "PUT", "PATCH", "DELETE").index(one.method)


def _first_word(one: Endpoint) -> str:
    return one.path.split("/")[1].partition(".")[0]  # the file `/never-contact.csv` stands with its list
