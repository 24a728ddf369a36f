"""What holds for every campaign, on its pages: contact rules, of which only what differs is kept; blackout dates."""

from typing import Any

from app.core.db import session
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have
from tests.support.movable import Movable

ON = dict.fromkeys(("replied", "saidNo", "colleagueTalks", "customers", "companyStop"), "1")
OURS = {"contactedDays": "90", "companyDays": "0", "tags": "", "perDay": "1", "touches": "4", "days": "14"}
OURS |= ON | {"companyPeople": "5"}
PATH = "/settings/contact-rules"


def stored(workspace: Workspace) -> Any:
    """The workspace's row as it is in the database."""
    return session().get_one(Workspace, workspace.id, populate_existing=True)


def entries(workspace: Workspace) -> list[AuditEntry]:
    """What the audit log says about contact rules."""
    found = session().query(AuditEntry).filter_by(workspace_id=workspace.id, kind="workspace.contact_rules")
    return found.order_by(AuditEntry.id).all()


def test_only_what_differs_from_our_defaults_is_kept(web: Web, acme: Workspace) -> None:
    assert (
        web.post(PATH, OURS | {"contactedDays": "30", "tags": "VIP, vip, Customer", "perDay": "0"}).status_code == 303
    )
    row = stored(acme)
    assert row.contact_rules | {"tags": []} == {"contacted_days": 30, "tags": []}
    assert [tag.lower() for tag in row.contact_rules["tags"]] == ["vip", "customer"]
    assert row.contact_caps == {"per_day": 0}
    web.post(PATH, OURS)
    assert (stored(acme).contact_rules, stored(acme).contact_caps) == (None, None)
    web.post(PATH, OURS | {"contactedDays": "30"})
    web.post(f"{PATH}/reset")
    assert stored(acme).contact_rules is None


def test_a_change_is_in_the_audit_log_and_no_change_is_not(web: Web, acme: Workspace) -> None:
    web.post(PATH, OURS)
    before = len(entries(acme))
    web.post(PATH, OURS)
    assert len(entries(acme)) == before
    web.post(PATH, OURS | {"contactedDays": "0", "optOutHoldsCompany": "1"})
    entry = entries(acme)[-1]
    assert entry.before == {"contacted_days": 90, "opt_out_holds_company": False}
    assert entry.after == {"contacted_days": 0, "opt_out_holds_company": True}


def test_what_is_wrong_is_shown_at_its_field_and_nothing_is_saved(web: Web, acme: Workspace) -> None:
    for wrong in [{"contactedDays": "many"}, {"touches": "-1"}, {"days": "0"}, {"companyDays": "99999"}]:
        before = stored(acme).contact_rules
        answer = web.post(PATH, OURS | {"replied": ""} | wrong)
        must_have(answer, 422, "Use a number from")
        assert next(iter(wrong.values())) in answer.text
        assert stored(acme).contact_rules == before


def test_blackout_dates_hold_for_all_campaigns(web: Web, acme: Workspace, clock: Movable) -> None:
    page = "/settings/blackouts"
    must_have(web.post(page, name=" ", firstDay="2026-12-29"), 422, "Enter a name")
    web.post(page, name="Retreat", firstDay="2026-12-29")
    assert [one["name"] for one in stored(acme).blackouts] == ["Retreat"]
    must_have(web.get("/settings/sending"), "Retreat", "Tue 29 Dec 2026")
    web.post(f"{page}/remove", name="Retreat", firstDay="2026-12-29")
    assert not stored(acme).blackouts


def test_how_known_people_change_and_the_lawful_basis_are_kept(web: Web, acme: Workspace) -> None:
    web.post("/settings/people", merge="keep", lawfulBasis="consent")
    assert (stored(acme).merge, stored(acme).lawful_basis) == ("keep", "consent")
    must_have(web.get("/settings/people?alone=1"), 'value="keep" checked', 'value="consent"')
