"""The ledger: nothing is spent twice, nothing below zero, and the wallet is what the entries add up to."""

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import PlanLimitExceeded
from app.domain.billing import credits
from app.domain.billing.credits import Balance
from app.domain.ledger import recount
from app.models.billing import CreditEntry, CreditHold, Wallet
from app.models.workspaces import Workspace
from tests.support.movable import Movable

pytestmark = pytest.mark.postgres

APP = Path(__file__).parents[3] / "app"


def entries(workspace: Workspace) -> Sequence[tuple[str, int, int]]:
    """Every movement but the first: kind, change of what is owned, change of what is spoken for."""
    query = credits.entries(workspace).order_by(CreditEntry.id)
    return [(one.kind, one.amount, one.held) for one in session().scalars(query)][1:]


def fits() -> bool:
    """Whether every wallet is what its entries and its open holds add up to."""
    return not list(recount.wallets())


def test_a_hold_is_captured_in_part_and_the_rest_is_released(acme: Workspace) -> None:
    """Each part once, whichever way and however often it is tried, and never more than is held."""
    credits.hold(acme, 10, ref="work", purpose="signals")
    assert credits.balance(acme) == Balance(1000, 10)
    assert credits.capture(acme, "work", 4, part="one")
    assert not credits.capture(acme, "work", 4, part="one")
    assert not credits.release(acme, "work", 4, part="one")
    assert credits.release(acme, "work", 1, part="two")
    assert not credits.capture(acme, "work", 6, part="three")
    assert not credits.capture(acme, "something else", 1)
    assert credits.release_rest(acme, "work") == 5
    assert credits.release_rest(acme, "work") == 0
    assert not credits.capture(acme, "work", 1, part="late")
    assert credits.balance(acme) == Balance(996, 0)
    assert entries(acme) == [("hold", 0, 10), ("capture", -4, -4), ("release", 0, -1), ("release", 0, -5)]
    assert fits()


def test_too_few_credits_are_refused_in_a_sentence_with_numbers(acme: Workspace, rival: Workspace) -> None:
    """What is spoken for cannot be spent; others' credits do not count. A grant and a refund count once."""
    credits.hold(acme, 990, ref="big", purpose="signals")
    with pytest.raises(PlanLimitExceeded, match=r"needs 12 credits, and you have 10\. You need 2 more") as refusal:
        credits.hold(acme, 12, ref="small", purpose="signals")
    assert refusal.value.status == 403
    credits.hold(rival, 1000, ref="big", purpose="signals")
    assert credits.balance(acme) == Balance(1000, 990)
    for first in (True, False):
        assert credits.grant(acme, 5, ref="gift") is first
        assert credits.refund(acme, 2, ref="gift", purpose="email", note="It bounced") is first
    assert credits.balance(acme) == Balance(1007, 990)
    assert fits()


def test_a_forgotten_hold_expires_after_a_day(acme: Workspace, clock: Movable) -> None:
    """And what comes for it later is too late; work that goes on keeps its hold."""
    clock.to("2026-03-02 09:00")
    for ref in ("forgotten", "kept"):
        credits.hold(acme, 6, ref=ref, purpose="signals")
    clock.forward(hours=23)
    assert credits.keep(acme, "kept")
    assert credits.expire_due() == 0
    clock.forward(hours=1)
    assert credits.expire_due() == 1
    assert not credits.capture(acme, "forgotten", 6)
    assert credits.balance(acme) == Balance(1000, 6)
    assert entries(acme)[-1] == ("expire", 0, -6)
    assert fits()


def test_a_wallet_is_never_below_zero_and_an_entry_never_changed(acme: Workspace) -> None:
    """Whatever the code does: only another entry can put right what one says."""
    for columns in ({"held": 2000}, {"posted": -1}):
        with pytest.raises(sa.exc.IntegrityError), transaction():
            session().execute(sa.update(Wallet).values(columns))
    credits.hold(acme, 1, ref="work", purpose="signals")
    with pytest.raises(sa.exc.IntegrityError), transaction():
        session().execute(sa.update(CreditHold).values(remaining=2))
    entry = session().scalars(credits.entries(acme)).first()
    with pytest.raises(TypeError, match="be changed or deleted"), transaction() as current:
        current.merge(entry).amount = 5
    with pytest.raises(TypeError, match="be changed or deleted"), transaction() as current:
        current.delete(current.merge(entry))


def test_no_code_changes_entries_in_bulk() -> None:
    """The ledger is only added to."""
    sources = {path: text for path in APP.rglob("*.py") if "CreditEntry" in (text := path.read_text())}
    assert sources
    changing = [
        f"{path.relative_to(APP)}:{node.lineno}"
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("update", "delete")
        and any("CreditEntry" in ast.unparse(argument) for argument in node.args)
    ]
    assert changing == []


def test_a_difference_is_found(acme: Workspace) -> None:
    """In what is owned, and in what is spoken for."""
    with transaction():
        session().execute(sa.update(Wallet).where(Wallet.workspace_id == acme.id).values(posted=999, held=3))
    found = {(one.column, one.kept, one.counted) for one in recount.wallets()}
    assert found == {("posted", 999, 1000), ("held", 3, 0)}
