"""`kill -9` while notes of invitations wait for approval: none goes unread, and none twice."""

import random
from pathlib import Path

import sqlalchemy as sa

from app.core.db import end_read, session
from app.domain.approvals import bulk
from app.domain.operations import sandbox_clock
from app.domain.workspace import workspaces
from app.models.approvals import Approval, ApprovalStatus
from app.models.leads import Lead
from app.providers.sandbox.store import SandboxAct
from tests.kills.campaign import Ordeal

INVITATION = "connection_request"


def invited() -> dict[str, str]:
    """Who got an invitation from the network, with which note; no one gets two."""
    acts = session().scalars(sa.select(SandboxAct).where(SandboxAct.kind == INVITATION)).all()
    end_read()
    assert len({act.person for act in acts}) == len(acts)
    return {act.person: act.text for act in acts}


def notes(status: str) -> dict[str, Approval]:
    """The notes with that status, by whom they are for."""
    theirs = sa.select(Approval).where(Approval.kind == INVITATION, Approval.status == status)
    found = {session().get_one(Lead, one.lead_id).public_id: one for one in session().scalars(theirs).all()}
    end_read()
    return found


def test_a_note_that_no_one_read_survives_every_kill_unsent(url: str, tmp_path: Path, chance: random.Random) -> None:
    """Half of them are approved; they go out once, as they were approved or, without a note left, without one."""
    ordeal = Ordeal(url, tmp_path, chance)
    ordeal.begin(people=24, approval=True)
    with ordeal.inside():
        sandbox_clock.advance(workspaces.get(ordeal.workspace), 24)
        end_read()
    ordeal.kill(2)
    with ordeal.inside():
        workspace = workspaces.get(ordeal.workspace)
        waiting = notes(ApprovalStatus.PENDING)
        assert len(waiting) == 24
        assert invited() == {}
        chosen = dict(sorted(waiting.items())[::2])
        said = {person: approval.text for person, approval in chosen.items()}
        done = bulk.bulk(workspace, [approval.id for approval in chosen.values()], "approve")
        assert len(done) == len(chosen)
        end_read()
    ordeal.kill(4)
    ordeal.verdict(days=2).hold()
    with ordeal.inside():
        sent = invited()
        assert set(sent) == set(said)
        assert all(note in ("", said[person]) for person, note in sent.items())
        assert any(sent.values())
        unread = notes(ApprovalStatus.PENDING) | notes(ApprovalStatus.SKIPPED)
        assert set(waiting) - set(said) <= set(unread)
