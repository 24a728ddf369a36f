"""Settings and contact rules in `/v1`."""

import sqlalchemy as sa

from app.core.db import session
from app.domain.people.exclusions import contact_settings
from app.domain.platform import retention
from app.models.platform.audit import AuditEntry
from app.models.workspaces import Workspace
from tests.support.clients import Api, paths

NEW = {
    "contactedDays": 90, "replied": True, "saidNo": True, "colleagueTalks": True, "customers": True, "companyDays": 0,
    "tags": [], "touches": 4, "days": 14, "perDay": 1, "companyPeople": 5, "companyStop": True,
    "optOutHoldsCompany": False,
}  # fmt: skip


def test_settings_that_are_left_out_stay(api: Api, acme: Workspace, rival_api: Api) -> None:
    theirs = rival_api.get("settings").json
    body = {
        "name": "Acme Ltd", "timezone": "Europe/Berlin", "merge": "fill", "lawfulBasis": "Consent", "undoSeconds": 0,
        "meetingLink": "cal.example/ada", "retention": {"requests": 30},
    }  # fmt: skip
    changed = api.patch("settings", body).json
    assert changed == body | {
        "lawfulBasis": "consent",
        "meetingLink": "https://cal.example/ada",
        "retention": {"requests": 30, "deliveries": 30, "payloads": 0},
    }
    assert api.get("settings").json == changed
    assert api.patch("settings", {"undoSeconds": 20}).json == changed | {"undoSeconds": 20}
    assert api.patch("settings", {"meetingLink": "", "merge": "", "lawfulBasis": ""}).json["merge"] == ""
    assert retention.days(acme, "requests") == 30
    assert rival_api.get("settings").json == theirs


def test_every_wrong_setting_is_named_and_none_is_changed(api: Api) -> None:
    before = api.get("settings").json
    wrong = {
        "name": " ", "timezone": "Mars/Olympus", "undoSeconds": 500, "meetingLink": "no link",
        "retention": {"requests": 2, "payloads": 30}, "lawfulBasis": "consent",
    }  # fmt: skip
    refused = api.patch("settings", wrong)
    assert set(paths(refused)) == {
        "name", "timezone", "undoSeconds", "meetingLink", "retention.requests", "retention.payloads",
    }  # fmt: skip
    assert set(paths(api.patch("settings", {"merge": "mix", "colour": "red"}))) == {"merge", "colour"}
    assert api.get("settings").json == before


def test_contact_rules_that_are_left_out_stay_and_can_be_reset(api: Api, acme: Workspace, rival: Workspace) -> None:
    assert api.post("settings/contact-rules/reset").json == NEW
    body = {"contactedDays": 30, "tags": ["Partner", "partner"], "perDay": 0, "companyStop": False}
    changed = api.patch("settings/contact-rules", body).json
    assert changed == NEW | body | {"tags": ["partner"]}
    more = api.patch("settings/contact-rules", {"optOutHoldsCompany": True}).json
    assert more == changed | {"optOutHoldsCompany": True}
    assert (contact_settings.rules(acme).contacted_days, contact_settings.rules(rival).contacted_days) == (30, 0)
    noted = sa.select(AuditEntry.kind).where(AuditEntry.workspace_id == acme.id)
    assert session().scalars(noted).all().count("workspace.contact_rules") == 3
    assert api.post("settings/contact-rules/reset").json == NEW
    assert api.get("settings/contact-rules").json == NEW


def test_wrong_contact_rules_are_named_and_none_is_changed(api: Api) -> None:
    before = api.get("settings/contact-rules").json
    wrong = {"contactedDays": 9999, "days": 0, "perDay": -1, "tags": ["x" * 101], "replied": False}
    assert set(paths(api.patch("settings/contact-rules", wrong))) >= {"contactedDays", "days", "perDay"}
    assert set(paths(api.patch("settings/contact-rules", {"listIds": [1], "replied": "no"}))) == {"listIds", "replied"}
    assert api.get("settings/contact-rules").json == before
