"""The pages of variants: the builder's fields and buttons, the comparison, the choice and its undo."""

import html
import re
from typing import Any

from app.core.db import end_read, session
from app.domain.campaigns import campaigns
from app.models.campaigns import Campaign
from app.models.workspaces import Workspace
from tests.domain.campaigns.test_variants import TWO, ended, got
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, fresh, message
from tests.pages.campaigns.test_form import form
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable


def two(**changed: Any) -> dict[str, Any]:
    """The fields of a second step with two texts."""
    fields = {
        "sequence[1].variants[0].key": "A",
        "sequence[1].variants[0].message": "Alpha",
        "sequence[1].variants[0].share": "70",
        "sequence[1].variants[1].key": "B",
        "sequence[1].variants[1].message": "Beta",
        "sequence[1].variants[1].share": "30",
    }
    return fields | changed


def texts(page: str) -> list[str]:
    """What stands in the texts of the second step."""
    found = re.findall(r'name="sequence\[1\]\.(?:variants\[\d\]\.)?message"[^>]*>\n([^<]*)</textarea>', page)
    return [text.replace("\r\n", "\n") for text in found]


def test_a_variant_begins_as_a_copy_and_the_last_one_left_is_the_text(web: Web, acme: Workspace) -> None:
    page = web.post("/campaigns/new", form(acme, 0, do="vary:2")).text
    assert texts(page) == ["Hello\n---\nAgain"] * 2
    assert re.findall(r'name="sequence\[1\]\.variants\[\d\]\.share" type="text" value="(\d+)"', page) == ["50", "50"]
    three = web.post("/campaigns/new", form(acme, 0, do="vary:2") | two()).text
    assert texts(three) == ["Alpha", "Beta", "Beta"]
    assert 'name="sequence[1].variants[2].key" value="C"' in three
    one = web.post("/campaigns/new", form(acme, 0, do="unvary:2:A") | two()).text
    assert texts(one) == ["Beta"]
    assert "variants[0]" not in one
    full = {f"sequence[1].variants[{n}].{name}": key for n, key in enumerate("ABCDE") for name in ("key", "message")}
    assert "Add a variant" not in web.post("/campaigns/new", form(acme, 0, do="vary:2") | full).text
    assert texts(web.post("/campaigns/new", form(acme, 0, do="vary:1")).text) == ["Hello\n---\nAgain"]


def test_variants_are_saved_with_their_shares_and_shown_again(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, ["ada", "bob"])
    end_read()
    answer = web.post("/campaigns/new", form(acme, list_id, pickWinner="1") | two())
    campaign = campaigns.get(acme, int(answer.location.rpartition("/")[2]))
    assert [(one["key"], one["message"], one["share"]) for one in campaign.sequence[1]["variants"]] == [
        ("A", "Alpha", 70),
        ("B", "Beta", 30),
    ]
    assert campaign.pick_winner_at is not None
    end_read()
    page = web.get(f"/campaigns/{campaign.id}/edit").text
    assert texts(page) == ["Alpha", "Beta"]
    assert 'value="70"' in page
    assert "Variant B" in web.get(f"/campaigns/{campaign.id}").text


def test_an_error_stands_at_its_variant(web: Web, acme: Workspace) -> None:
    list_id = a_list(acme, ["ada"])
    end_read()
    wrong = {"sequence[1].variants[1].message": "{{frist_name}}", "sequence[1].variants[0].share": "many"}
    answer = web.post("/campaigns/new", form(acme, list_id) | two(**wrong))
    must_have(answer, 422, "Step 2, variant B", 'href="#text-bbbbbbbb-B"', 'href="#share-bbbbbbbb-A"')


def test_a_removed_step_comes_back_with_its_variants(web: Web, acme: Workspace) -> None:
    page = web.post("/campaigns/new", form(acme, 0, do="remove:2") | two()).text
    removed = html.unescape(re.search(r'name="removed" value="([^"]+)"', page)[1])  # type: ignore[index]
    fields = {name: value for name, value in form(acme, 0).items() if not name.startswith("sequence[1]")}
    assert texts(web.post("/campaigns/new", fields | {"do": "restore", "removed": removed}).text) == ["Alpha", "Beta"]
    for odd in ("[1]", '[{"kind": 1}]', '"ab"', "3"):
        odd = f'{{"at": 1, "type": "message", "variants": {odd}}}'
        assert web.post("/campaigns/new", fields | {"do": "restore", "removed": odd}).status_code == 200


def test_whether_winners_are_taken_is_switched_where_there_are_variants(web: Web, acme: Workspace) -> None:
    plain = a_campaign(acme, ["ada"], [INVITE, message()], name="Plain")
    campaign = a_campaign(acme, ["accepts-ada"], TWO)
    assert "Choose winners" not in web.get(f"/campaigns/{plain.id}/settings").text
    assert "Choose winners automatically" in web.get(f"/campaigns/{campaign.id}/settings").text
    web.post(f"/campaigns/{campaign.id}/variants/winners", do="take")
    assert "Winners are chosen automatically" in web.get(f"/campaigns/{campaign.id}/settings").text
    web.post(f"/campaigns/{campaign.id}/variants/winners", do="ask")
    assert session().get_one(Campaign, campaign.id, populate_existing=True).pick_winner_at is None


def test_two_texts_are_compared_chosen_and_taken_back(web: Web, acme: Workspace, clock: Movable) -> None:
    campaign = a_campaign(acme, [f"accepts-{number}" for number in range(10)], TWO[:2])
    forward(acme, days=4)
    ended(fresh(campaign), {"A": (300, 30, 6), "B": (300, 66, 20)})
    before, here = got(acme), f"/campaigns/{campaign.id}"
    must_have(web.get(f"{here}/sequence"), "Winner", "22.0%", "10.0%", "Use B for everyone else")
    web.post(f"{here}/variants/1", variant="B")
    chosen = "Variant B is used for everyone else."
    must_have(web.get(f"{here}/sequence"), chosen, "Share of new people: none", f"{here}/variants/1/undo")
    web.post(f"{here}/variants/1/undo")
    must_have(web.get(f"{here}/sequence"), "Share of new people: 50%", without=chosen)
    assert got(acme) == before != {}
