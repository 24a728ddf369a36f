"""The page of the contact rules: what is saved differs from our defaults, is written down, and is an owner's."""

from typing import Any

from app.core.db import session
from app.domain.exclusions import contact_settings
from app.domain.rules.contact_rules import Caps, ContactRules
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.pages.conftest import Web

OURS = {
    "contactedDays": "90",
    "replied": "1",
    "saidNo": "1",
    "colleagueTalks": "1",
    "customers": "1",
    "companyDays": "0",
    "tags": "",
    "companyStop": "1",
    "perDay": "1",
    "touches": "4",
    "days": "14",
    "companyPeople": "5",
}
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
    assert row.contact_rules == {"contacted_days": 30, "tags": ["VIP", "Customer"]} or row.contact_rules == {
        "contacted_days": 30,
        "tags": ["vip", "Customer"],
    }
    assert row.contact_caps == {"per_day": 0}
    web.post(PATH, OURS)
    assert (stored(acme).contact_rules, stored(acme).contact_caps) == (None, None)


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
        assert answer.status_code == 422
        assert "Use a number from" in answer.text
        assert next(iter(wrong.values())) in answer.text
        assert stored(acme).contact_rules == before


def test_reset_goes_back_to_our_defaults(web: Web, acme: Workspace) -> None:
    assert stored(acme).contact_rules
    web.post(f"{PATH}/reset", {})
    row = stored(acme)
    assert contact_settings.rules(row) == ContactRules()
    assert contact_settings.caps(row) == Caps()
    assert contact_settings.company_stop(row)
    assert 'value="90"' in web.get(PATH).text
