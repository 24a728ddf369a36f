"""The sandbox network: one row per token, nothing lost on the way in, limits, challenges and special people."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app import ports
from app.core.db import session, transaction
from app.models.workspaces import Workspace
from app.ports import AccountRef, PersonRef, SenderAction
from app.providers.sandbox import SandboxNetwork
from app.providers.sandbox.population import SPECIAL
from app.providers.sandbox.store import Act, Effect
from tests.providers.contract import SenderContract
from tests.providers.failing import failure_of

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
INVITE = "connection_request"
At = Callable[..., AccountRef]


@pytest.fixture
def network(app: Flask) -> SandboxNetwork:
    return SandboxNetwork()


@pytest.fixture
def account(acme: Workspace) -> AccountRef:
    return AccountRef(11, acme.id, "ines", "Ines Duarte", MONDAY, seed=7)


@pytest.fixture
def at(account: AccountRef) -> At:
    """The same account later: `at(hours=2)`."""
    return lambda **delta: replace(account, at=MONDAY + timedelta(**delta))


def someone(public_id: str) -> PersonRef:
    return PersonRef(public_id, first_name="Grace", email=f"{public_id}@example.com")


def invite(public_id: str, token: str = "") -> SenderAction:
    return SenderAction(INVITE, someone(public_id), token or f"invite {public_id}", text="Hello")


def acts() -> int:
    return session().scalar(sa.select(sa.func.count()).select_from(Act)) or 0


class TestContract(SenderContract):
    """The sandbox keeps what every network promises."""

    @pytest.fixture
    def willing(self) -> PersonRef:
        return someone("accepts-grace")

    @pytest.fixture
    def unwilling(self) -> PersonRef:
        return someone("refuses-grace")


def test_an_invitation_is_accepted_and_a_message_answered(network: SandboxNetwork, at: At) -> None:
    network.act(at(), invite("replies-positive-grace"))
    first = network.inbound(at(hours=2), "")
    assert [type(item) for item in first.items] == [ports.Accepted]
    network.act(at(hours=2), SenderAction("message", someone("replies-positive-grace"), "m", text="How are you?"))
    answer = network.inbound(at(hours=5), first.cursor).items[0]
    assert isinstance(answer, ports.Received)
    assert (answer.person, answer.kind, answer.at) == ("replies-positive-grace", "message", MONDAY + timedelta(hours=4))


def test_a_second_invitation_while_one_is_open_is_refused(network: SandboxNetwork, at: At) -> None:
    """Open, accepted and just withdrawn are all reasons; after three weeks it may be sent again."""
    network.act(at(), invite("ignores-grace", "1"))
    network.act(at(), invite("accepts-ada", "2"))
    with pytest.raises(ports.Refused, match="A connection request to this person is already pending"):
        network.act(at(days=1), invite("ignores-grace", "3"))
    with pytest.raises(ports.Refused, match="lready connected"):
        network.act(at(days=1), invite("accepts-ada", "4"))
    network.act(at(days=2), SenderAction("withdraw", someone("ignores-grace"), "5"))
    with pytest.raises(ports.Refused, match="three weeks"):
        network.act(at(days=3), invite("ignores-grace", "6"))
    network.act(at(days=24), invite("ignores-grace", "7"))


def test_only_an_open_invitation_can_be_withdrawn(network: SandboxNetwork, at: At) -> None:
    """Nothing to withdraw, or accepted in the meantime, is refused. Withdrawn in time it is gone; a few accept all
    the same."""
    for hours in (0, 2):
        with pytest.raises(ports.Refused, match="No pending connection request to this person"):
            network.act(at(hours=hours), SenderAction("withdraw", someone("accepts-grace"), f"{hours}"))
        network.act(at(hours=hours), invite("accepts-grace", "once"))
    for name in ("accepts-ada", "late-accepts-ada"):
        network.act(at(), invite(name))
        network.act(at(minutes=30), SenderAction("withdraw", someone(name), f"w {name}"))
    accepted = {item.person for item in network.inbound(at(days=40), "").items}
    assert accepted == {"accepts-grace", "late-accepts-ada"}


def test_only_connections_and_those_who_wrote_can_be_messaged(network: SandboxNetwork, at: At) -> None:
    message = SenderAction("message", someone("ignores-grace"), "1", text="Hello")
    with pytest.raises(ports.Refused, match="Only connections"):
        network.act(at(), message)
    network.happens(at(), ports.Received("ignores-grace", "message", "Who are you?", MONDAY, "r1"))
    network.act(at(), message)
    network.act(at(), SenderAction("message", someone("connected-ada"), "2", text="Hello"))


def test_inmail_is_refused_by_closed_profiles_and_answered_by_others(network: SandboxNetwork, at: At) -> None:
    """The answer has the subject of what it answers."""
    with pytest.raises(ports.Refused, match="InMail"):
        network.act(at(), SenderAction("inmail", someone("closed-grace"), "1", text="Hello", subject="Tests"))
    network.act(at(), SenderAction("inmail", someone("replies-question-ada"), "2", text="Hello", subject="Tests"))
    [answer] = network.inbound(at(hours=3), "").items
    assert isinstance(answer, ports.Received)
    assert (answer.kind, answer.subject) == ("inmail", "Re: Tests")


def test_absence_and_bounces_come_by_mail(network: SandboxNetwork, at: At) -> None:
    """Mail has headers for absence, which is only said on the social network. It bounces for good, or the first time
    only, and the bounce names the action."""
    network.act(at(), SenderAction("inmail", someone("away-ada"), "social", text="Hello"))
    for number, name in enumerate(("away-grace", "bounces-grace", "soft-bounces-ada", "soft-bounces-ada")):
        network.act(at(hours=number), SenderAction("email", someone(name), str(number), text="Hello"))
    items = network.inbound(at(days=3), "").items
    automatic = {one.person: one.automatic for one in items if isinstance(one, ports.Received)}
    assert (automatic["away-grace"], automatic["away-ada"]) == (True, False)
    bounces = [one for one in items if isinstance(one, ports.Bounced)]
    assert [(bounce.person, bounce.final, bounce.token, bounce.sentence[:20]) for bounce in bounces] == [
        ("bounces-grace", True, "1", "The email bounced: 5"),
        ("soft-bounces-ada", False, "2", "The email bounced: 4"),
    ]


def test_trouble_can_be_ordered(network: SandboxNetwork, at: At) -> None:
    """The first try fails in the way the name says; what is found afterwards is the truth."""
    for number, (name, kind, found, again) in enumerate(
        [
            ("lost-answer-x", ports.Unknown, True, True),
            ("lost-request-x", ports.Unknown, False, True),
            ("unreachable-x", ports.Unreachable, False, True),
            ("limits-x", ports.Throttled, False, True),
            ("weekly-limits-x", ports.Throttled, False, True),
            ("never-reachable-x", ports.Unreachable, False, False),
            ("refuses-x", ports.Refused, False, False),
        ]
    ):
        account = replace(at(), id=100 + number)
        assert isinstance(failure_of(lambda: network.act(account, invite(name))), kind), name  # noqa: B023
        assert bool(network.find(account, invite(name))) is found, name
        second = failure_of(lambda: network.act(account, invite(name)))  # noqa: B023
        assert second is None if again else isinstance(second, kind), name
        assert bool(network.find(account, invite(name))) is again, name
        rows = sa.select(sa.func.count()).where(Act.c.kind == INVITE, Act.c.account_id == account.id)
        assert session().scalar(rows) == int(again), name
    begun = acts()
    for call in (network.act, network.find):  # it happened once, and `find` says neither yes nor no
        with pytest.raises(ports.Unknown):
            call(at(), invite("cannot-tell-x"))
    assert acts() == begun + 1


def test_a_stopped_account_does_nothing_until_someone_reconnects_it(network: SandboxNetwork, at: At) -> None:
    for name, challenged in (("challenges-x", True), ("logs-out-x", False)):
        with pytest.raises(ports.LoggedOut) as stopped:
            network.act(at(), invite(name))
        assert stopped.value.challenged is challenged
        for call in (
            lambda: network.act(at(), invite("accepts-ada")),
            lambda: network.inbound(at(), ""),
            lambda: network.status(at()),
            lambda: network.find(at(), invite("accepts-ada")),
        ):
            with pytest.raises(ports.LoggedOut):
                call()
        network.reconnect(at())
        network.status(at())
        network.act(at(), invite(name))


def test_the_network_has_limits_of_its_own(network: SandboxNetwork, at: At) -> None:
    """40 invitations in 24 hours and 100 in 7 days; other actions go on. Whoever does not rest is challenged."""
    for number in range(40):
        network.act(at(minutes=number), invite(f"ignores-{number}"))
    with pytest.raises(ports.Throttled) as daily:
        network.act(at(hours=2), invite("ignores-more"))
    assert daily.value.retry_after == 86_400
    network.act(at(hours=2), SenderAction("view_profile", someone("ignores-more"), "v"))
    for number in range(40, 100):
        network.act(at(days=number // 30, minutes=number), invite(f"ignores-{number}"))
    with pytest.raises(ports.Throttled) as weekly:
        network.act(at(days=6), invite("ignores-more"))
    assert weekly.value.retry_after == 7 * 86_400
    for hours, failure in ((1, ports.Throttled), (2, ports.Throttled), (3, ports.LoggedOut)):
        with pytest.raises(failure):
            network.act(at(days=6, hours=hours), invite("ignores-more"))
    network.reconnect(at(days=13))
    network.act(at(days=13), invite("ignores-more"))


def test_an_account_within_its_limits_stays_healthy_for_a_month(network: SandboxNetwork, at: At) -> None:
    """Whatever the seed; after that trouble is rare, and there is some."""
    network.act(replace(at(), id=99), invite("ignores-first", "first"))
    troubles = []
    for seed in range(60):
        sender = replace(at(), id=100 + seed, seed=seed)
        for day in range(0, 120):
            try:
                network.act(replace(sender, at=MONDAY + timedelta(days=day)), invite(f"ignores-{day}"))
            except (ports.Throttled, ports.LoggedOut) as problem:
                troubles.append(day)
                if isinstance(problem, ports.LoggedOut):
                    network.reconnect(replace(sender, at=MONDAY + timedelta(days=day)))
        if seed > 4 and troubles:
            break
    assert troubles
    assert min(troubles) >= 30


def test_two_workspaces_do_not_see_each_other(network: SandboxNetwork, at: At, rival: Workspace) -> None:
    theirs = replace(at(), id=12, workspace_id=rival.id)
    network.act(at(), invite("accepts-grace", "t"))
    assert network.find(theirs, invite("accepts-grace", "t")) is None
    assert list(network.inbound(replace(theirs, at=MONDAY + timedelta(days=9)), "").items) == []
    network.act(theirs, invite("accepts-grace", "t"))
    assert acts() == 2


def test_what_was_done_by_hand_is_seen(network: SandboxNetwork, at: At) -> None:
    """The account's owner uses the network too, and people write first."""
    items: list[ports.Incoming] = [
        ports.ByHand("ada", "connection_request", MONDAY, "h1"),
        ports.Received("grace", "message", "Hello", MONDAY, "r1"),
        ports.Bounced("joan", MONDAY, "b1", "550 Gone.", True, "t"),
        ports.Accepted("mary", MONDAY, "a1"),
    ]
    for item in items:
        network.happens(at(), item)
    assert list(network.inbound(at(), "").items) == items


def test_the_next_moment_is_known(network: SandboxNetwork, at: At) -> None:
    """So that a clock can jump to it; None when nothing is on its way. An unreadable cursor begins again, as stable
    ids make a repetition harmless."""
    assert network.next_inbound(at(), "") is None
    network.act(at(), invite("accepts-grace"))
    network.act(at(minutes=10), invite("accepts-ada"))
    assert network.next_inbound(at(minutes=10), "") == MONDAY + timedelta(hours=1)
    seen = network.inbound(at(hours=1), "")
    assert network.next_inbound(at(hours=1), seen.cursor) == MONDAY + timedelta(hours=1, minutes=10)
    seen = network.inbound(at(hours=2), seen.cursor)
    assert network.next_inbound(at(hours=2), seen.cursor) is None
    assert network.inbound(at(hours=2), "?!").items == network.inbound(at(hours=2), "").items != []


def test_every_special_name_is_accepted_by_the_network(network: SandboxNetwork, at: At) -> None:
    """No name breaks it, whatever is done to them: it answers, or fails in one of the five ways."""
    sentences = []
    for number, prefix in enumerate(SPECIAL):
        sender = replace(at(), id=200 + number)
        for kind in (INVITE, "view_profile", "follow", "like_post", "inmail", "email", "message", "withdraw"):
            try:
                network.act(sender, SenderAction(kind, someone(f"{prefix}x"), kind, text="Hello"))
            except ports.ProviderError as problem:
                sentences.append(problem.sentence)
                network.reconnect(sender)
    assert all(sentence.endswith(".") for sentence in sentences)


moments = st.integers(min_value=0, max_value=20)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(["poll", "add"]), moments, moments), min_size=1, max_size=25))
def test_polling_loses_and_repeats_nothing(app: Flask, acme: Workspace, steps: Sequence[tuple[str, int, int]]) -> None:
    """Even when things are written down late, for moments that were read already, and clocks disagree a little."""
    network = SandboxNetwork()
    account = AccountRef(11, acme.id, "ines", "Ines", MONDAY)
    with transaction() as current:
        current.execute(sa.delete(Effect))
    cursor, got, clock = "", [], 0
    for number, (step, forward, offset) in enumerate(steps):
        clock += forward
        if step == "add":
            moment = MONDAY + timedelta(minutes=max(0, clock + offset - 10))
            network.happens(account, ports.Received("grace", "message", "Hello", moment, f"r{number}"))
        else:
            now = MONDAY + timedelta(minutes=max(0, clock - offset % 3))
            inbound = network.inbound(replace(account, at=now), cursor)
            assert [item.at for item in inbound.items] == sorted(item.at for item in inbound.items)
            assert all(item.at <= now for item in inbound.items)
            got += [item.ref for item in inbound.items]
            cursor = inbound.cursor
    got += [item.ref for item in network.inbound(replace(account, at=MONDAY + timedelta(days=9)), cursor).items]
    assert sorted(got) == sorted(f"r{number}" for number, step in enumerate(steps) if step[0] == "add")
