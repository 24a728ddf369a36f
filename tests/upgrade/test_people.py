"""Leads become places of people, and not one value of a lead is lost on the way: counted, and looked for one by one."""

import json
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core import migrations
from tests.databases import Templates, empty_postgres
from tests.upgrade.conftest import load

BEFORE, AFTER = "0009", "0010"
AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
ERASED = "Erased person"
TEXTS = (
    *("profile_url", "first_name", "last_name", "headline", "position", "company_name", "company_url"),
    *("location", "image_url", "email", "phone"),
)
STANDING = ("campaign_lead", "action", "conversation")
COUNTED = ("pending", "active", "awaiting_accept", "paused", "stopped", "excluded")
STAY = ("ada", "other ada", "bob", "carol", "eve", "fay", "hal", "ivy", "member", "many tags", "erased")
MEMBER = "acwaaabcdefghijklmnopqrstuvwxyz"
Rows = dict[str, list[dict[str, Any]]]


def made(address: str) -> str:
    """What a person known by this address alone was called."""
    return "address-" + blake2b(address.encode(), digest_size=8).hexdigest()


class Filling:
    """Rows for a database of that revision; what is not given is empty."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self.meta = sa.MetaData()
        self.meta.reflect(connection)
        self.places: dict[str, int] = {}

    def add(self, table: str, **given: Any) -> int:
        """Add a row and return its id."""
        columns = self.meta.tables[table].columns
        row = {
            column.name: self._empty(column)
            for column in columns
            if not column.nullable and column.name not in given and not column.primary_key and not column.server_default
        }
        statement = sa.insert(self.meta.tables[table]).values(row | given)
        if "id" not in columns:
            self.connection.execute(statement)
            return 0
        return int(self.connection.execute(statement.returning(columns.id)).scalar_one())

    def _empty(self, column: Any) -> Any:
        kinds = {sa.JSON: [], sa.DateTime: AT, sa.Boolean: False, sa.Integer: 0, sa.BigInteger: 0}
        return next((empty for kind, empty in kinds.items() if isinstance(column.type, kind)), "")

    def lead(self, place: str, person: str, *, day: int = 0, **given: Any) -> int:
        """Add a lead to a list of that name, which is made first, in the workspace whose number it begins with."""
        workspace = int(place[0])
        if place not in self.places and not place.endswith("-"):
            self.places[place] = self.add("lead_list", workspace_id=workspace, name=place, type="people")
        row = {
            "person": person,
            "public_id": "" if person == ERASED else person,
            "created_at": AT + timedelta(days=day),
        }
        table = self.meta.tables["lead_list"]
        counted = sa.update(table).where(table.c.id == self.places.get(place)).values(lead_count=table.c.lead_count + 1)
        self.connection.execute(counted)
        row |= {"tags": [], "custom_fields": {}, "list_id": self.places.get(place)}
        return self.add("lead", workspace_id=workspace, **row | given)

    def enrolled(self, campaign: int, lead: int, **given: Any) -> int:
        """Add the lead to the campaign, and count it there."""
        leads, stats = self.meta.tables["lead"], self.meta.tables["campaign_stats"]
        person = self.connection.scalar(sa.select(leads.c.person).where(leads.c.id == lead))
        row = {
            "workspace_id": 1,
            "campaign_id": campaign,
            "lead_id": lead,
            "person": person,
            "state": "pending",
        } | given
        more = {name: stats.c[name] + 1 for name in ("leads", row["state"])}
        self.connection.execute(sa.update(stats).where(stats.c.campaign_id == campaign).values(more))
        return self.add("campaign_lead", **row)


def fill(filling: Filling) -> dict[str, int]:
    """Add people in every way that they can be one or several; return the ids of what is looked at again."""
    ids: dict[str, int] = {}
    add, lead = filling.add, filling.lead
    for name in ("Harbour", "Reader"):
        ids[name] = add("workspace", name=name, created_at=AT)
    assert ids == {"Harbour": 1, "Reader": 2}
    ids["user"] = add("user_account", email="ada@harbour.example", name="Ada", created_at=AT)
    ids["sender"] = add("account", workspace_id=1, name="Ines", provider="sandbox", limits={}, created_at=AT)
    campaign = {"workspace_id": 1, "name": "A", "status": "running", "sequence": [], "account_ids": [], "days": []}
    ids["campaign"] = add("campaign", **campaign)
    add("campaign_stats", workspace_id=1, campaign_id=ids["campaign"])

    of_ada = {"first_name": "Ada", "phone": "1", "company_name": "Engine GmbH", "company_url": "www.engine.example/x"}
    ids["ada"] = lead("1north", "ada", tags=["vip", "north"], custom_fields={"tier": "A", "met": "May"}, **of_ada)
    ids["ada again"] = lead(
        *("1south", "ada"), day=2, first_name="Ada Augusta", headline="Countess", tags=["VIP", "south"],
        custom_fields={"tier": "B", "score": 1, "none": ""},
    )  # fmt: skip
    ids["hidden ada"] = lead(
        "1-", "ada", day=3, first_name="Gone", position="Analyst", deleted_at=AT, custom_fields={"score": True}
    )
    ids["other ada"] = lead("2east", "ada", first_name="Another Ada", email="ada@engine.example")
    who_wrote_twice(filling, ids)
    who_is_listed_twice(filling, ids)
    who_shares_an_address(filling, ids)
    who_was_erased(filling, ids)
    return ids


def who_wrote_twice(filling: Filling, ids: dict[str, int]) -> None:
    """Known by an address alone, and with a profile in another list; both wrote with the sender."""
    add, lead = filling.add, filling.lead
    bob = "bob@engine.example"
    ids["bob by address"] = lead("1north", made(bob), email=bob, first_name="B.")
    ids["bob"] = lead("1south", "bob", day=1, email=bob, first_name="Bob")
    talk = {"workspace_id": 1, "sender_id": ids["sender"], "channel": "email", "last_direction": "in"}
    talks = (("bob", "bob", 3), ("bob by address", made(bob), 5))
    for number, (name, person, unread) in enumerate(talks):
        late = {"last_message_at": AT + timedelta(hours=number), "created_at": AT, "unread": unread}
        sentiment = "positive" if person == "bob" else ""
        ids[f"talk {name}"] = add("conversation", **talk, person=person, lead_id=ids[name], sentiment=sentiment, **late)
        known = {
            "workspace_id": 1,
            "conversation_id": ids[f"talk {name}"],
            "direction": "in",
            "kind": "email",
            "at": AT,
        }
        for provider_id, text in (("same", "Hello."), ("other", name), (f"own {name}", "Bye.")):
            ids[f"{provider_id} {name}"] = add("message", **known, provider_id=provider_id, text=text)
        words = {"names": f"w:1 w:1:silent {person}", "said": f"said{number}"}
        add("conversation_words", conversation_id=ids[f"talk {name}"], workspace_id=1, **words)
        typed = {"user_id": ids["user"], "conversation_id": ids[f"talk {name}"], "text": f"typed {name}"}
        add("typed", workspace_id=1, **typed, saved_at=AT + timedelta(hours=number))
    add(*("message",), **known, provider_id="answer", seen_id=ids["same bob by address"])


def who_is_listed_twice(filling: Filling, ids: dict[str, int]) -> None:
    """Two leads of one list; of the second pair both are in the campaign."""
    add, lead = filling.add, filling.lead
    for name in ("carol", "dan"):
        ids[name] = lead("1north", name, email=f"{name}@engine.example", phone="7")
        ids[f"{name} by address"] = lead(
            "1north", made(f"{name}@engine.example"), email=f"{name}@engine.example", phone="8"
        )
    ids["way carol"] = filling.enrolled(ids["campaign"], ids["carol by address"])
    ids["way dan"] = filling.enrolled(ids["campaign"], ids["dan"])
    ids["second way dan"] = filling.enrolled(
        ids["campaign"], ids["dan by address"], state="active", next_budget="email"
    )
    draft = {"workspace_id": 1, "campaign_id": ids["campaign"], "campaign_lead_id": ids["second way dan"]}
    ids["draft dan"] = add("approval", **draft, lead_id=ids["dan by address"], status="pending")
    ways = filling.meta.tables["campaign_lead"]
    waits = sa.update(ways).where(ways.c.id == ids["second way dan"]).values(approval_id=ids["draft dan"])
    filling.connection.execute(waits)
    ids["told carol"] = add("event", workspace_id=1, sequence=1, kind="x", body="{}", lead_id=ids["carol by address"])


def who_shares_an_address(filling: Filling, ids: dict[str, int]) -> None:
    """An address of one without a profile, of two with one, one that was changed, and none."""
    lead = filling.lead
    ids["eve"] = lead("1north", made("eve@engine.example"), email="eve@engine.example")
    for name in ("fay", "gus", made("info@engine.example")):
        ids[name] = lead("1north", name, email="info@engine.example")
    ids["hal"] = lead("1north", made("old@engine.example"), email="hal@engine.example")
    ids["ivy"] = lead("1north", made("ivy@engine.example"))
    ids["member"] = lead("1north", MEMBER, email="ann@gmail.com")
    ids["odd"] = lead("1north", "odd", public_id="Odd", email="two@at@engine.example")
    ids["many tags"] = lead("1north", "tagged", tags=[f"a{number}" for number in range(40)])
    lead("1south", "tagged", tags=[f"b{number}" for number in range(40)])


def who_was_erased(filling: Filling, ids: dict[str, int]) -> None:
    """Erased people, and what was done for people who are on no list."""
    add, lead = filling.add, filling.lead
    for name in ("erased", "erased too"):
        ids[name] = lead("1-", ERASED, deleted_at=AT)
        filling.enrolled(ids["campaign"], ids[name], state="excluded")
    done = {"workspace_id": 1, "sender_id": ids["sender"], "kind": "message", "budget": "message", "state": "sent"}
    persons = [(ERASED, ids["erased"]), (ERASED, None), (ERASED, None), ("zed", None), ("zed", None), ("ada", None)]
    persons += [("ada", ids["ada again"]), ("fred@engine.example", None), ("eve@engine.example", None)]
    persons += [(made("lost@engine.example"), None), (made("ann@gmail.com"), None), (ERASED, ids["eve"])]
    for number, (person, lead_id) in enumerate(persons):
        ids[f"action {number}"] = add("action", **done, person=person, lead_id=lead_id, token=str(number), at=AT)
    for kind, value in (
        *(
            ("person", made("eve@engine.example")),
            ("person", made("bob@engine.example")),
            ("email", "bob@engine.example"),
        ),
        *(("person", made("nobody@engine.example")), ("person", "zed")),
    ):
        add("never_contact", workspace_id=1, kind=kind, value=value, label=value, created_at=AT)
    for person in (made("eve@engine.example"), made("bob@engine.example"), "ada"):
        act = {
            "workspace_id": 1,
            "account_id": ids["sender"],
            "kind": "email",
            "ref": person,
            "token": person,
            "at": AT,
        }
        add("sandbox_act", person=person, **act)
    crowd(filling)


def crowd(filling: Filling) -> None:
    """Add many leads with few values, so that all that can meet does meet."""
    rng = random.Random(15)
    seen: set[tuple[str, str]] = set()
    for number in range(400):
        address = rng.choice(["", *(f"{one}@crowd.example" for one in range(40))])
        person = made(address) if address and rng.random() < 0.3 else f"one-{rng.randrange(60)}"
        place = f"{rng.choice('12')}{rng.choice(['a', 'b', 'c', '-'])}"
        if (place, person) in seen and not place.endswith("-"):
            continue
        seen.add((place, person))
        texts = {name: rng.choice(["", "", f"{name} {rng.randrange(3)}"]) for name in TEXTS} | {"email": address}
        custom = {f"field {rng.randrange(4)}": rng.choice(["", None, 1, True, "1", [1], {"a": 1}]) for _ in range(3)}
        tags = rng.sample(["red", "Red", "blue", "BLUE", "green"], 2)
        gone = AT if place.endswith("-") and rng.random() < 0.5 else None
        fields = {"tags": tags, "custom_fields": custom, "deleted_at": gone}
        filling.lead(place, person, day=rng.randrange(30), **texts, **fields)
        if number % 7 == 0:
            place, person = "2", rng.choice([person, f"stranger-{number}"])


def rows(url: str) -> Rows:
    """Everything that is in the tables with people."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    meta = sa.MetaData()
    with engine.connect() as connection:
        meta.reflect(connection)
        found = {
            name: [dict(row) for row in connection.execute(sa.select(table)).mappings()]
            for name, table in meta.tables.items()
            if not name.startswith(("procrastinate_", "fulltext_"))
        }
    for each in found.values():
        each.sort(key=lambda row: (row.get("id") or 0, str(row)))
    return found


@dataclass
class Moved:
    """What there was before and after."""

    url: str
    ids: dict[str, int]
    before: Rows
    after: Rows

    def one(self, table: str, **known: Any) -> dict[str, Any]:
        """The only row of that kind there is now."""
        (found,) = self.all(table, **known)
        return found

    def all(self, table: str, **known: Any) -> list[dict[str, Any]]:
        """The rows of that kind there are now."""
        return [row for row in self.after[table] if all(row[name] == value for name, value in known.items())]

    def person_of(self, lead: str) -> dict[str, Any]:
        """The person of that lead."""
        return self.one("person", id=self.one("lead", id=self.ids[lead])["person_id"])

    def history(self, person: dict[str, Any]) -> list[tuple[str, Any]]:
        """The values that stand in the person's history."""
        return [(row["field"], row["value"]) for row in self.all("person_value", person_id=person["id"])]


@pytest.fixture(scope="module")
def moved(empty: str) -> Moved:
    """A database with people in all ways, moved."""
    migrations.upgrade(empty, BEFORE)
    engine = sa.create_engine(empty, poolclass=sa.NullPool)
    with engine.begin() as connection:
        ids = fill(Filling(connection))
    before = rows(empty)
    migrations.upgrade(empty, AFTER)
    return Moved(empty, ids, before, rows(empty))


def mark(value: Any) -> str:
    """The value as text, so that 1 and true are two."""
    return json.dumps(value, sort_keys=True)


def values(lead: dict[str, Any]) -> set[tuple[str, str]]:
    """Every value of a lead that says something."""
    named = {name: lead[name] for name in ("public_id", *TEXTS)}
    named |= {f"custom.{name}": value for name, value in lead["custom_fields"].items()}
    told = {(name, mark(value)) for name, value in named.items() if value not in ("", None)}
    return {one for one in told if not (one[0] == "public_id" and "address-" in one[1])} | {
        ("tags", mark(tag.casefold())) for tag in lead["tags"]
    }


def missing(before: Rows, after: Rows) -> list[Any]:
    """The values of leads that neither their person has nor the history."""
    kept: dict[int, set[tuple[str, str]]] = {person["id"]: values(person) for person in after["person"]}
    for row in after["person_value"]:
        told = row["value"] if row["field"] == "tags" else [row["value"]]
        for value in told:
            kept[row["person_id"]].add((row["field"], mark(value.casefold() if row["field"] == "tags" else value)))
    whose = {lead["id"]: lead["person_id"] for lead in after["lead"]}
    profiles = {(one["workspace_id"], one["public_id"]): one["id"] for one in after["person"]}
    lost = []
    for lead in before["lead"]:
        if lead["id"] not in whose:
            whose[lead["id"]] = profiles[lead["workspace_id"], profile_of(lead, before)]
        lost += [(lead["id"], one) for one in values(lead) - kept[whose[lead["id"]]]]
    return lost


def profile_of(lead: dict[str, Any], before: Rows) -> str:
    """The public id of the person of a lead, that of the one profile with the address if it has none itself."""
    if not lead["person"].startswith("address-"):
        return str(lead["person"])
    mine = (lead["workspace_id"], lead["email"])
    same = {one["person"] for one in before["lead"] if (one["workspace_id"], one["email"]) == mine}
    (found,) = {person for person in same if not person.startswith("address-")}
    return found


def test_no_value_and_no_row_of_a_lead_is_lost(moved: Moved) -> None:
    """But a lead whose person had another in the list, and what two conversations both had; every number is right."""
    assert len(moved.before["lead"]) > 250
    assert missing(moved.before, moved.after) == []
    assert missing(moved.before, moved.after | {"person_value": []}), "This check would see what is lost."
    left = {lead["id"] for lead in moved.before["lead"]} - {lead["id"] for lead in moved.after["lead"]}
    for lead in moved.before["lead"]:
        if lead["id"] in left:  # one of the two is known by an address alone: nothing else joins two of a list
            public_id = profile_of(lead, moved.before)
            person = moved.one("person", workspace_id=lead["workspace_id"], public_id=public_id)
            assert moved.all("lead", list_id=lead["list_id"], person_id=person["id"])
    gone = {"lead": len(left), **dict.fromkeys(("conversation", "conversation_words", "message", "typed"), 1)}
    gone["never_contact"] = 1
    now = {name: len(moved.after[name]) for name in moved.before}
    assert now == {name: len(each) - gone.get(name, 0) for name, each in moved.before.items()}
    lengths = Counter(lead["list_id"] for lead in moved.after["lead"])
    assert [one for one in moved.after["lead_list"] if one["lead_count"] != lengths[one["id"]]] == []
    (stats,) = moved.after["campaign_stats"]
    states = Counter(row["state"] for row in moved.after["campaign_lead"])
    assert {name: stats[name] for name in COUNTED} == {name: states[name] for name in COUNTED}
    assert stats["leads"] == len(moved.after["campaign_lead"])


def test_the_newest_visible_value_stands_and_the_others_are_history(moved: Moved) -> None:
    """A deleted lead gives what no other has; history has the time at which a value was known."""
    ada = moved.person_of("ada")
    stands = {"first_name": "Ada Augusta", "headline": "Countess", "phone": "1", "position": "Analyst"}
    assert {name: ada[name] for name in stands} == stands
    assert (ada["company_domain"], ada["company_key"]) == ("engine.example", "engine")
    assert ada["tags"] == ["vip", "north", "south"]
    assert ada["custom_fields"] == {"tier": "B", "met": "May", "score": 1, "none": ""}
    assert type(ada["custom_fields"]["score"]) is int
    history = [("custom.score", True), ("custom.tier", "A"), ("first_name", "Ada"), ("first_name", "Gone")]
    assert sorted(moved.history(ada), key=str) == history
    source = moved.one("data_source", workspace_id=1)
    later = AT + timedelta(days=2)
    assert (source["kind"], source["name"], ada["source_id"]) == ("earlier", "", source["id"])
    assert ada["origins"]["first_name"] == {"source": source["id"], "at": later.isoformat(), "typed": False}
    old = moved.one("person_value", person_id=ada["id"], value="Ada")
    assert [naive(old["known_at"]), naive(old["ended_at"])] == [naive(AT), naive(later)]
    tagged = moved.person_of("many tags")  # more than a person can have
    assert tagged["tags"] == [f"a{number}" for number in range(40)] + [f"b{number}" for number in range(10)]
    assert moved.history(tagged) == [("tags", [f"b{number}"]) for number in range(10, 40)]


def naive(moment: datetime) -> datetime:
    """The moment as SQLite has it."""
    return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment


def test_one_profile_is_one_person_and_an_address_joins_only_where_it_is_certain(moved: Moved) -> None:
    """Within a workspace; what cannot be read is kept in the history, and people are found by what they have."""
    texts = {(lead["workspace_id"], lead["person"]) for lead in moved.before["lead"]}
    profiles = {one for one in texts if one[1] != ERASED and not one[1].startswith("address-")}
    people = Counter((one["workspace_id"], one["public_id"]) for one in moved.after["person"] if one["public_id"])
    assert people == Counter(profiles | {(1, "zed")})
    theirs = moved.person_of("other ada")
    assert (theirs["workspace_id"], theirs["first_name"]) == (2, "Another Ada")
    bob = moved.person_of("bob")
    assert (moved.person_of("bob by address"), bob["public_id"], bob["first_name"]) == (bob, "bob", "Bob")
    several = [moved.person_of(name)["id"] for name in ("fay", "gus", made("info@engine.example"))]
    assert len(set(several)) == 3
    assert moved.one("person_identity", value="info@engine.example")["person_id"] == several[0]
    former = {"bob": [("first_name", "B.")], "eve": [], "odd": [("public_id", "Odd")]}
    former |= {name: [("public_id", made(f"{old}@engine.example"))] for name, old in (("hal", "old"), ("ivy", "ivy"))}
    assert {name: moved.history(moved.person_of(name)) for name in former} == former
    known = {
        "ada": {("profile", "ada")},
        "bob": {("profile", "bob"), ("email", "bob@engine.example")},
        "eve": {("email", "eve@engine.example")},
        "member": {("member", MEMBER), ("email", "ann@gmail.com")},
        "ivy": set(),
        "erased": set(),
    }
    for name, expected in known.items():
        found = moved.all("person_identity", person_id=moved.person_of(name)["id"])
        assert {(one["kind"], one["value"]) for one in found} == expected, name
    owners = {(one["workspace_id"], one["value"]) for one in moved.after["person_identity"]}
    assert all((lead["workspace_id"], lead["email"]) in owners for lead in moved.before["lead"] if lead["email"])


def test_erased_people_stay_erased_and_apart(moved: Moved) -> None:
    first, second = moved.person_of("erased"), moved.person_of("erased too")
    for person in (first, second):
        assert person["erased_at"]
        assert values(person) == set()
    assert moved.one("action", id=moved.ids["action 0"])["person_id"] == first["id"]
    # Without a lead, or with a lead that was not erased, nothing says which of them it was.
    nameless = [moved.one("action", id=moved.ids[f"action {number}"])["person_id"] for number in (1, 2, 11)]
    assert len({first["id"], second["id"], *nameless}) == 5
    assert all(moved.one("person", id=one)["erased_at"] for one in nameless)
    texts = [lead["person"] for lead in moved.before["lead"]]
    assert len([one for one in moved.after["person"] if one["erased_at"]]) == texts.count(ERASED) + 3


def test_actions_conversations_and_exclusions_are_their_persons(moved: Moved) -> None:
    """Two conversations of one person become one; who is not to be contacted is named by the address."""
    whose = [moved.one("action", id=moved.ids[f"action {number}"])["person_id"] for number in range(11)]
    assert whose[3] == whose[4] == moved.one("person", public_id="zed")["id"]
    assert whose[5] == whose[6] == moved.person_of("ada")["id"]
    assert moved.one("person", id=whose[7])["email"] == "fred@engine.example"
    assert (whose[8], whose[10]) == (moved.person_of("eve")["id"], moved.person_of("member")["id"])
    talk = moved.one("conversation", id=moved.ids["talk bob"])
    assert not moved.all("conversation", id=moved.ids["talk bob by address"])
    assert (talk["person_id"], talk["unread"], talk["sentiment"]) == (moved.person_of("bob")["id"], 8, "positive")
    assert naive(talk["last_message_at"]) == naive(AT + timedelta(hours=1))
    messages = [(one["provider_id"], one["text"]) for one in moved.all("message", conversation_id=talk["id"])]
    named = f"other#{moved.ids['other bob by address']}"
    said = [("answer", ""), ("other", "bob"), (named, "bob by address"), ("own bob", "Bye.")]
    assert sorted(messages) == [*said, ("own bob by address", "Bye."), ("same", "Hello.")]
    assert moved.one("message", provider_id="answer")["seen_id"] == moved.ids["same bob"]
    typed, words = moved.one("typed"), moved.one("conversation_words")
    assert (typed["text"], typed["conversation_id"]) == ("typed bob by address", talk["id"])
    assert words["names"].split()[:3] == ["w:1", "w:1:answered", "w:1:positive"]
    assert set(words["names"].split()[3:]) == {"bob", made("bob@engine.example")}
    assert words["said"] == "said1 said0"
    entries = sorted((one["kind"], one["value"]) for one in moved.after["never_contact"])
    kept = [("person", made("nobody@engine.example")), ("person", "zed")]
    assert entries == [("email", "bob@engine.example"), ("email", "eve@engine.example"), *kept]
    assert [act["person"] for act in moved.after["sandbox_act"]] == ["eve@engine.example", "bob", "ada"]


def test_a_list_has_one_lead_of_a_person_and_a_campaign_goes_on_with_one(moved: Moved) -> None:
    """What was told of the newer one is told of the older one; both ways in a campaign stay in its history."""
    listed = Counter((lead["list_id"], lead["person_id"]) for lead in moved.after["lead"] if lead["list_id"])
    assert set(listed.values()) == {1}
    assert not moved.all("lead", id=moved.ids["carol by address"])
    assert moved.one("campaign_lead", id=moved.ids["way carol"])["lead_id"] == moved.ids["carol"]
    assert moved.one("event", id=moved.ids["told carol"])["lead_id"] == moved.ids["carol"]
    assert (moved.person_of("carol")["phone"], moved.history(moved.person_of("carol"))) == ("8", [("phone", "7")])
    first, second = (moved.one("campaign_lead", id=moved.ids[name]) for name in ("way dan", "second way dan"))
    assert first["person_id"] == second["person_id"]
    assert (first["state"], second["state"], second["reason"]) == ("pending", "stopped", "same_person")
    assert (second["due_at"], second["next_budget"], second["approval_id"]) == (None, "", None)
    assert second["finished_at"]
    assert moved.one("approval", id=moved.ids["draft dan"])["status"] == "skipped"
    assert moved.one("lead", id=moved.ids["dan by address"])["list_id"] is None


def test_the_migration_can_be_taken_back_and_done_again(moved: Moved) -> None:
    """Leads have the values of their people then; done again, every person has the same values as before."""
    migrations.downgrade(moved.url, BEFORE)
    back = rows(moved.url)
    people = {person["id"]: person for person in moved.after["person"]}
    whose = {lead["id"]: people[lead["person_id"]] for lead in moved.after["lead"]}
    assert back.keys() == moved.before.keys()
    assert [lead["id"] for lead in back["lead"] if values(lead) != values(whose[lead["id"]])] == []
    migrations.upgrade(moved.url, AFTER)
    again = rows(moved.url)
    assert missing(back, again) == []
    for table in (*STANDING, "message"):
        assert len(back[table]) == len(again[table]) == len(moved.after[table])
    people = {person["id"]: person for person in again["person"]}
    now = {lead["id"]: people[lead["person_id"]] for lead in again["lead"]}
    assert [name for name in STAY if values(now[moved.ids[name]]) != values(whose[moved.ids[name]])] == []


def test_no_value_of_an_installation_that_was_used_is_lost(kind: str, templates: Templates, tmp_path: Path) -> None:
    """In one that was filled by an older version."""

    def check(url: str) -> None:
        load(kind, url)
        migrations.upgrade(url, BEFORE)
        before = rows(url)
        migrations.upgrade(url, AFTER)
        after = rows(url)
        assert len(before["lead"]) > 100
        assert missing(before, after) == []
        assert {name: len(after[name]) for name in before} == {name: len(each) for name, each in before.items()}
        owners = {person["id"]: (person["workspace_id"], person["public_id"]) for person in after["person"]}
        for table in STANDING:
            named = {row["id"]: (row["workspace_id"], row["person"]) for row in before[table]}
            assert {row["id"]: owners[row["person_id"]] for row in after[table]} == named

    if kind == "sqlite":
        check(f"sqlite:///{tmp_path / 'old.db'}")
    else:
        with empty_postgres(templates) as url:
            check(url)
