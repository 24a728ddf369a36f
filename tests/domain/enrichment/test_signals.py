"""Buying signals: charged once when something is found, and never otherwise."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from app import ports
from app.core.db import in_transaction, session
from app.core.errors import InvalidRequest, NotFound, NotSupported, PlanLimitExceeded, SubscriptionRequired, Unavailable
from app.domain.billing import credits
from app.domain.billing.credits import Balance
from app.domain.enrichment import signals
from app.domain.ledger import recount
from app.domain.workspace import workspaces
from app.models.workspaces import Subscription, Workspace
from app.ports import SignalQuestion, SignalResult
from app.providers.sandbox.enrichment import SandboxSignals
from tests.conftest import PASSWORD
from tests.domain.outreach import forward
from tests.support.movable import Movable


class Meanwhile(SandboxSignals):
    """The sandbox's signals, with something that happens while one is looked up."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens = happens

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """The answer, after what happens meanwhile."""
        assert not in_transaction()
        happens, self.happens = self.happens, lambda: None
        happens()
        return super().look_up(question)


def known(workspace: Workspace, kind: str = "hiring", **given: Any) -> signals.Answered:
    """A look-up that finds something."""
    person = {"full_name": "Known- Ada", "company_name": "Acme"} if kind == "jobChange" else {}
    return signals.look_up(workspace, kind, **({"domain": "known-engine.example"} | person | given))


def test_each_kind_has_its_price_and_its_shape_and_a_miss_costs_nothing(acme: Workspace, rival: Workspace) -> None:
    """The history is ours alone, holds misses, and can be narrowed to a kind."""
    kinds: dict[str, tuple[int, set[str]]] = {
        "hiring": (2, {"openings", "total"}),
        "funding": (2, {"rounds"}),
        "techStack": (2, {"technologies"}),
        "news": (2, {"articles"}),
        "headcount": (6, {"current", "growth6m", "growth12m", "byMonth"}),
        "jobChange": (3, {"person", "from", "to", "profileUrl"}),
    }
    for kind, (price, names) in kinds.items():
        before = credits.balance(acme).posted
        answered = known(acme, kind)
        assert (answered.signal, answered.found, answered.credits) == (kind, True, price)
        assert set(answered.answer) == names
        assert credits.balance(acme) == Balance(before - price, 0)
    missed = signals.look_up(acme, "news", domain="nothing-here.example")
    assert (missed.found, missed.credits, missed.answer) == (False, 0, {})
    assert credits.balance(acme) == Balance(1000 - 17, 0)
    assert list(recount.wallets()) == []
    kept = [(one.kind, one.found, one.credits) for one in session().scalars(signals.page(acme, "news"))]
    assert sorted(kept) == [("news", False, 0), ("news", True, 2)]
    assert len(list(session().scalars(signals.page(acme)))) == 7
    known(rival)
    (theirs,) = session().scalars(signals.page(rival))
    assert theirs.created_at - rival.now() < timedelta(seconds=1)
    with pytest.raises(NotFound):
        signals.get(acme, theirs.id)


def test_the_same_look_up_within_a_week_costs_nothing_more(acme: Workspace, rival: Workspace) -> None:
    """However the domain is written; after a week, and for others, it costs again."""
    first = known(acme)
    again = known(acme, domain="HTTPS://www.Known-Engine.example/jobs?x=1")
    assert (again.found, again.credits, again.answer) == (True, 0, first.answer)
    assert (first.repeat, again.repeat) == (False, True)
    assert known(acme, "funding").credits == 2
    assert known(rival).credits == 2
    forward(acme, days=8)
    assert known(acme).credits == 2


def test_what_does_not_fit_is_refused_at_once(acme: Workspace) -> None:
    """Every problem is named, and nothing is spent."""
    for given, paths in [
        ({"kind": "weather", "domain": "acme.com"}, ["kind"]),
        ({"kind": "hiring"}, ["domain"]),
        ({"kind": "hiring", "domain": "co.uk"}, ["domain"]),
        ({"kind": "hiring", "domain": "localhost"}, ["domain"]),
        ({"kind": "hiring", "domain": "10.0.0.1"}, ["domain"]),
        ({"kind": "hiring", "domain": "not a domain"}, ["domain"]),
        ({"kind": "jobChange", "domain": "acme.com"}, ["fullName", "companyName"]),
        ({"kind": "jobChange", "full_name": "Ada", "company_name": "x" * 201}, ["companyName"]),
    ]:
        with pytest.raises(InvalidRequest) as refusal:
            signals.look_up(acme, **given)
        assert [field.path for field in refusal.value.fields] == paths
        assert credits.balance(acme) == Balance(1000, 0)


def test_a_domain_is_the_one_that_was_registered() -> None:
    """Whatever part of a website was pasted."""
    for given, domain in [
        ("www.acme.co.uk", "acme.co.uk"),
        ("https://jobs.acme.com/open", "acme.com"),
        ("ada@mail.acme.com", "acme.com"),
        ("acme.github.io", "acme.github.io"),
        ("a.b.engine.example", "engine.example"),
        ("bücher.de", "xn--bcher-kva.de"),
        ("co.uk", ""),
    ]:
        assert signals.registered_domain(given) == domain, given


def test_a_failing_source_costs_nothing(acme: Workspace) -> None:
    """It can be tried again later; nothing of it stays."""
    with pytest.raises(Unavailable, match="You were not charged"):
        signals.look_up(acme, "hiring", domain="unreachable-acme.com")
    with pytest.raises(Unavailable) as refusal:
        signals.look_up(acme, "hiring", domain="throttled-acme.com")
    assert refusal.value.retry_after == 60

    def broken() -> None:
        raise ZeroDivisionError

    ports.sandbox_signals.connect(Meanwhile(broken))
    with pytest.raises(ZeroDivisionError):
        known(acme)
    assert credits.balance(acme) == Balance(1000, 0)
    assert list(session().scalars(signals.page(acme))) == []


def test_of_two_at_once_one_pays_and_what_was_lost_on_the_way_is_free_again_after_a_day(
    acme: Workspace, clock: Movable
) -> None:
    """As when the machine stops during the look-up; the late answer is given for nothing."""
    clock.to(acme.now())

    def a_day_passes() -> None:
        clock.forward(hours=24)
        assert credits.balance(acme) == Balance(1000, 2)
        assert credits.expire_due() == 1

    ports.sandbox_signals.connect(Meanwhile(a_day_passes))
    assert (known(acme).found, credits.balance(acme)) == (True, Balance(1000, 0))
    assert known(acme).credits == 0
    ports.sandbox_signals.connect(Meanwhile(lambda: known(acme, "news")))
    assert known(acme, "news").credits == 0
    assert credits.balance(acme) == Balance(998, 0)
    assert list(recount.wallets()) == []


def test_no_more_is_spent_than_allowed_or_there(acme: Workspace) -> None:
    """What costs more is refused before anything is spent. An ended subscription spends nothing; reading goes on."""
    with pytest.raises(PlanLimitExceeded, match="costs 6 credits"):
        known(acme, "headcount", max_credits=5)
    assert known(acme, "headcount", max_credits=6).credits == 6
    assert known(acme, "headcount", max_credits=0).credits == 0  # a repeat
    credits.hold(acme, 993, ref="other", purpose="signals")
    with pytest.raises(PlanLimitExceeded, match="need 1 more"):
        known(acme)
    acme.subscription = Subscription.ENDED
    with pytest.raises(SubscriptionRequired):
        known(acme, "news")
    assert len(list(session().scalars(signals.page(acme)))) == 1


def test_without_a_source_nothing_is_looked_up(acme: Workspace) -> None:
    """A kind that no connected service knows is refused, with those that can be looked up."""
    real = workspaces.create("Real", "ada@acme.example", PASSWORD)
    for kind in ("headcount", "jobChange"):
        with pytest.raises(NotSupported, match=kind):
            known(real, kind)

    class OnlyNews(SandboxSignals):
        kinds = ("news",)

    ports.sandbox_signals.connect(OnlyNews())
    with pytest.raises(NotSupported, match="hiring"):
        known(acme)
    assert known(acme, "news").found
