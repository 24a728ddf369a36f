"""Sequences that split and join: every way ends, and no person gets a step of the other side."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.campaigns.branch_validation import MAX_DEPTH, check_branches, check_paths
from app.domain.rules import next_step
from app.domain.rules.next_step import LeadStatus, Position
from app.domain.rules.sequences.branches import Flow, side_at, side_of
from app.domain.rules.sequences.conditions import NOTHING_KNOWN, PersonFacts
from app.domain.rules.step_kinds import STEPS

DAYS_20 = {"value": 20, "unit": "days"}
NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
ADA = LeadStatus(1, 2, "none", None, None, False, True, None)
INVITE, MESSAGE, VIEW = {"type": "connection_request"}, {"type": "message", "message": "Hi"}, {"type": "view_profile"}
MAIL = {"type": "email", "subject": "Hello", "message": "Hi"}
ACCEPTED_IN_7: dict[str, Any] = {"is": "accepted", "within": {"value": 7, "unit": "days"}}
HAS_EMAIL, VIP = {"is": "has_email"}, {"is": "tag", "value": "vip"}
# invite; those who accept get two messages, the others an email; then all a view
SPLIT = Flow([INVITE, MESSAGE, MESSAGE, MAIL, VIEW], [{"at": 1, "otherwise": 3, "join": 4, "when": ACCEPTED_IN_7}])
INVITED = ADA._replace(connection="sent", invited_at=NOW, contacted=True, last_action_at=NOW)


def accepted(standing: LeadStatus, at: datetime) -> LeadStatus:
    return standing._replace(connection="accepted", accepted_at=at)


def test_the_invited_wait_at_the_split_and_who_accepts_gets_the_first_side() -> None:
    place = next_step.next_place(SPLIT, 1, INVITED, NOW)
    assert (place.state, place.step, place.next_budget) == ("awaiting_accept", 1, "ask")
    assert place.due_at == NOW + timedelta(days=7)
    assert not place.route  # nothing is decided yet
    later = NOW + timedelta(days=2)
    standing = accepted(INVITED, later)
    place = next_step.next_place(SPLIT, 1, standing, later)
    assert (place.step, side_of(place.route, "1")) == (1, "when")
    standing = standing._replace(route=place.route)
    assert [next_step.next_place(SPLIT, step, standing, later).step for step in (2, 3, 4)] == [2, 4, 4]


def test_who_does_not_accept_in_time_gets_the_other_side_and_stays_there() -> None:
    later = NOW + timedelta(days=7)
    place = next_step.next_place(SPLIT, 1, INVITED, later)
    assert (place.step, place.next_budget, side_of(place.route, "1")) == (3, "email", "otherwise")
    standing = accepted(INVITED._replace(route=place.route), later + timedelta(hours=1))
    for step in (1, 2, 3):  # wherever they are asked to go on from
        assert next_step.next_place(SPLIT, step, standing, later).step == 3
    assert next_step.next_place(SPLIT, 4, standing, later).step == 4


def test_a_side_may_be_empty_and_once_taken_is_kept_when_what_decided_it_changes() -> None:
    for has_email, step, side in [(True, 2, "when"), (False, 1, "otherwise")]:
        flow = Flow([VIEW, VIEW, MAIL], [{"at": 1, "otherwise": 1, "join": 2, "when": HAS_EMAIL}])
        standing = ADA._replace(has_email=has_email)
        place = next_step.next_place(flow, 1, standing, NOW)
        assert (place.step, side_of(place.route, "1")) == (step, side), has_email
    flow = Flow([VIEW, VIEW, VIEW], [{"at": 0, "otherwise": 1, "join": 2, "when": VIP}])
    place = next_step.first_place(flow, ADA, NOW)
    assert (place.step, place.state) == (1, "pending")
    tagged = ADA._replace(route=place.route, facts=PersonFacts(tags=frozenset({"vip"})))
    assert next_step.next_place(flow, 0, tagged, NOW).step == 1


def test_a_step_whose_condition_does_not_hold_is_passed_over_and_that_is_kept() -> None:
    flow = Flow([{**VIEW, "when": VIP}, MAIL])
    place = next_step.first_place(flow, ADA, NOW)
    assert (place.step, place.state) == (1, "pending")
    assert place.route == {"passed": {"0": {"at": NOW.isoformat()}}}
    tagged = ADA._replace(facts=PersonFacts(tags=frozenset({"vip"})))
    assert next_step.first_place(flow, tagged, NOW).step == 0


def test_the_open_invitation_of_the_other_side_is_withdrawn_when_its_own_time_is_over() -> None:
    flow = Flow([{**INVITE, "withdrawAfter": {"value": 10, "unit": "days"}}, *SPLIT.sequence[1:4]], SPLIT.branches)
    route = next_step.next_place(flow, 1, INVITED, NOW + timedelta(days=7)).route
    place = next_step.next_place(flow, 4, INVITED._replace(route=route), NOW + timedelta(days=8))
    assert (place.next_budget, place.due_at) == ("withdraw", NOW + timedelta(days=10))
    withdrawn = INVITED._replace(route=route, connection="none")
    assert next_step.next_place(flow, 4, withdrawn, NOW + timedelta(days=10)).next_budget == "end"


def test_an_invitation_is_withdrawn_in_the_wait_before_a_step_and_delays_none() -> None:
    flow = Flow([{**INVITE, "withdrawAfter": {"value": 10, "unit": "days"}}, {**MAIL, "delay": DAYS_20}, MAIL])
    due, over = NOW + timedelta(days=20), NOW + timedelta(days=10)
    place = next_step.next_place(flow, 1, INVITED, NOW)
    assert (place.step, place.next_budget, place.due_at, place.step_due_at) == (1, "withdraw", over, due)
    withdrawn = INVITED._replace(connection="none")
    place = next_step.next_place(flow, 1, withdrawn, over, step_due_at=due)
    assert (place.state, place.due_at, place.step_due_at) == ("active", due, None)
    place = next_step.next_place(flow, 1, INVITED, due, step_due_at=due)  # it could not be withdrawn
    assert (place.state, place.next_budget, place.due_at) == ("active", "email", due)
    place = next_step.next_place(flow, 2, INVITED, due)  # what is due at once goes first
    assert (place.state, place.due_at) == ("active", due)


def test_each_side_may_have_an_invitation_of_its_own() -> None:
    early, late = ({**INVITE, "withdrawAfter": {"value": days, "unit": "days"}} for days in (5, 30))
    flow = Flow([early, late, MESSAGE], [{"at": 0, "otherwise": 1, "join": 2, "when": VIP}])
    for tags, days in ((frozenset({"vip"}), 5), (frozenset(), 30)):
        standing = INVITED._replace(facts=PersonFacts(tags=tags))
        route = next_step.next_place(flow, 0, standing, NOW).route
        place = next_step.next_place(flow, 2, standing._replace(route=route), NOW)
        assert (place.next_budget, place.due_at) == ("withdraw", NOW + timedelta(days=days))


CONDITIONS = st.sampled_from([ACCEPTED_IN_7, HAS_EMAIL, VIP, {"is": "connected"}, {"is": "has_profile", "not": True}])
KINDS = st.sampled_from([VIEW, MAIL, INVITE, MESSAGE, {"type": "follow"}])


@st.composite
def flows(draw: Any) -> Flow:
    """A sequence with splits one after another and inside each other, each side with steps or without."""
    sequence: list[Any] = []
    branches: list[dict[str, Any]] = []

    def part(depth: int, most: int) -> None:
        sequence.extend(draw(st.lists(KINDS, max_size=2)))
        for _ in range(draw(st.integers(0, most)) if depth < MAX_DEPTH else 0):
            branch = {"at": len(sequence), "when": draw(CONDITIONS)}
            branches.append(branch)
            for end in ("otherwise", "join"):
                part(depth + 1, 1)
                branch[end] = len(sequence)
            if branch["at"] == branch["join"]:
                branches.remove(branch)
            sequence.extend(draw(st.lists(KINDS, max_size=1)))

    part(0, 3)
    sequence = [{**step, "when": draw(CONDITIONS)} if draw(st.integers(0, 4)) == 0 else step for step in sequence]
    return Flow(sequence or [VIEW], branches if sequence else [])


def walk(
    flow: Flow, standing: LeadStatus, accepts_after: float | None, tagged_after: int
) -> tuple[list[int], Position]:
    """Take a person through; they accept so many days after the invitation and get the tag after so many steps."""
    at, got = NOW, []
    place = next_step.first_place(flow, standing, at)
    for turn in range(400):
        standing = standing._replace(route=place.route or standing.route)
        if turn >= tagged_after:
            standing = standing._replace(facts=standing.facts._replace(tags=frozenset({"vip"})))
        if place.next_budget == "end":
            return got, place
        assert place.due_at is not None
        invited = standing.invited_at
        accepts = invited + timedelta(days=accepts_after) if invited and accepts_after is not None else None
        if standing.connection == "sent" and accepts and accepts <= place.due_at:
            at = max(at, accepts)
            standing = standing._replace(connection="accepted", accepted_at=at)
            if place.state == "awaiting_accept":
                place = next_step.next_place(flow, place.step, standing, at)
            continue
        at = max(at, place.due_at)
        if place.next_budget == "withdraw":
            standing = standing._replace(connection="none")
            place = next_step.next_place(flow, place.step, standing, at)
        elif place.next_budget == "ask":
            place = next_step.next_place(flow, place.step, standing, at)
        else:
            got.append(place.step)
            kind = STEPS[flow.sequence[place.step]["type"]]
            standing = standing._replace(last_action_at=at, contacted=standing.contacted or kind.reaches)
            if kind.name == "connection_request":
                standing = standing._replace(connection="sent", invited_at=at)
            place = next_step.next_place(flow, place.step + 1, standing, at)
    raise AssertionError("The way does not end.")


@settings(max_examples=60, deadline=None)
@given(
    flow=flows(),
    has_email=st.booleans(),
    has_profile=st.booleans(),
    accepts=st.one_of(st.none(), st.floats(0, 30)),
    tagged=st.integers(0, 6),
)
def test_every_way_ends_on_one_path_and_no_step_of_the_other_side_is_taken(
    flow: Flow, has_email: bool, has_profile: bool, accepts: float | None, tagged: int
) -> None:
    standing = ADA._replace(
        has_email=has_email, account_id=1 if has_profile else None, facts=PersonFacts(has_profile=has_profile)
    )
    got, end = walk(flow, standing, accepts, tagged)
    assert all(earlier < later for earlier, later in pairwise(got))
    assert not check_branches_of(flow)
    for name, branch in flow.splits():
        sides = {side_at(branch, step) for step in got if branch["at"] <= step < branch["join"]}
        assert sides <= {side_of(end.route, name)}
    for step in got:
        assert str(step) not in (end.route or {}).get("passed", {})


@settings(max_examples=60, deadline=None)
@given(flow=flows(), accepts=st.one_of(st.none(), st.floats(0, 6)), tagged=st.integers(0, 6))
def test_what_is_valid_never_invites_twice_and_writes_only_to_connections(
    flow: Flow, accepts: float | None, tagged: int
) -> None:
    """Validation follows every path, so that no one on any of them is invited twice."""
    problems: list[tuple[str, str]] = []
    check_paths(flow, lambda path, sentence: problems.append((path, sentence)))
    got, _ = walk(flow, ADA._replace(facts=PersonFacts(has_profile=True)), accepts, tagged)
    invitations = [step for step in got if flow.sequence[step]["type"] == "connection_request"]
    if not problems:
        assert len(invitations) <= 1


def check_branches_of(flow: Flow) -> list[tuple[str, str]]:
    told: list[tuple[str, str]] = []
    assert check_branches(flow.branches[:10], len(flow.sequence), lambda *one: told.append(one)) or not flow.branches
    return told


def test_branches_lie_one_after_the_other_or_in_one_side_of_another_to_a_depth_of_three() -> None:
    def wrong(*places: tuple[int, int, int]) -> list[str]:
        told: list[str] = []
        raw = [{"at": a, "otherwise": o, "join": j, "when": VIP} for a, o, j in places]
        check_branches(raw, 6, lambda path, sentence: told.append(path))
        return told

    assert wrong((0, 1, 2), (2, 2, 4), (4, 6, 6)) == []
    assert wrong((0, 1, 3), (2, 3, 4)) == ["branches[1].at"]
    assert wrong((1, 1, 1)) == ["branches[0].otherwise"]
    assert wrong((2, 1, 3)) == ["branches[0].otherwise"]
    assert wrong((0, 3, 7)) == ["branches[0]"]
    assert wrong((3, 4, 5), (0, 1, 4)) == ["branches[0].at"]
    assert wrong((1, 2, 2), (0, 3, 6), (3, 3, 4), (4, 5, 6)) == []
    assert wrong((0, 2, 4), (1, 2, 3)) == ["branches[1].at"]
    assert wrong((0, 4, 6), (0, 3, 4), (0, 2, 3)) == []
    assert wrong((0, 0, 6), (0, 5, 6), (0, 4, 5), (1, 2, 3)) == ["branches[3].at"]


def test_splits_at_one_step_are_decided_each_by_itself_the_outer_one_first() -> None:
    """VIPs, and within them those with an address or without; everyone else likewise."""
    flow = Flow(
        [MAIL, VIEW, MAIL, VIEW, VIEW],
        [
            {"at": 0, "otherwise": 2, "join": 4, "when": VIP},
            {"at": 0, "otherwise": 1, "join": 2, "when": HAS_EMAIL},
            {"at": 2, "otherwise": 3, "join": 4, "when": HAS_EMAIL},
        ],
    )
    vip = PersonFacts(tags=frozenset({"vip"}))
    for facts, has_email, step, sides in [
        (vip, True, 0, {"0": "when", "0.1": "when"}),
        (vip, False, 1, {"0": "when", "0.1": "otherwise"}),
        (NOTHING_KNOWN, True, 2, {"0": "otherwise", "2": "when"}),
        (NOTHING_KNOWN, False, 3, {"0": "otherwise", "2": "otherwise"}),
    ]:
        standing = ADA._replace(facts=facts, has_email=has_email)
        place = next_step.first_place(flow, standing, NOW)
        assert place.step == step
        assert {name: side["side"] for name, side in (place.route or {})["splits"].items()} == sides
        assert next_step.next_place(flow, step + 1, standing._replace(route=place.route), NOW).step == 4


def test_who_did_not_accept_in_time_may_still_do_so_within_a_split_of_the_other_side() -> None:
    """Not within 7 days: an email, and after 14 days either a message or a second email."""
    in_14 = {**ACCEPTED_IN_7, "within": {"value": 14, "unit": "days"}}
    flow = Flow(
        [INVITE, MESSAGE, MAIL, MESSAGE, MAIL],
        [
            {"at": 1, "otherwise": 2, "join": 5, "when": ACCEPTED_IN_7},
            {"at": 3, "otherwise": 4, "join": 5, "when": in_14},
        ],
    )
    told: list[tuple[str, str]] = []
    check_paths(flow, lambda *one: told.append(one))
    assert told == []
    for accepts, got in ((3, [0, 1]), (10, [0, 2, 3]), (20, [0, 2, 4])):
        assert walk(flow, ADA, accepts, 99)[0] == got


BARE = {"type": "email", "message": "Hi"}
SHORT = {**INVITE, "withdrawAfter": {"value": 5, "unit": "days"}}


def split(when: Any, *places: int) -> list[dict[str, Any]]:
    return [{"at": places[0], "otherwise": places[1], "join": places[2], "when": when}]


def test_each_path_is_checked_by_itself() -> None:
    for flow, paths in [
        (SPLIT, []),
        (Flow([MESSAGE]), ["sequence[0].type"]),
        (Flow([{**MESSAGE, "when": {"is": "connected"}}]), []),
        (Flow([INVITE, INVITE]), ["sequence[1].type"]),
        # one invitation on each side is one a person, and after the join all were invited
        (Flow([INVITE, INVITE, MESSAGE], split(VIP, 0, 1, 2)), []),
        (Flow([INVITE, VIEW, INVITE], split(VIP, 0, 1, 2)), ["sequence[2].type"]),
        (Flow([INVITE, VIEW, MESSAGE], split(VIP, 0, 1, 2)), ["sequence[2].type"]),
        # who is connected already is written to, the others are invited first
        (Flow([MESSAGE, INVITE, MESSAGE], split({"is": "connected"}, 0, 1, 3)), []),
        # who has not accepted can't be written to there, but after the join, where it is waited for
        (Flow([INVITE, MESSAGE, MESSAGE], split(ACCEPTED_IN_7, 1, 2, 3)), ["sequence[2].type"]),
        (Flow([INVITE, VIEW, MAIL, MESSAGE], split(ACCEPTED_IN_7, 1, 2, 3)), []),
        (Flow([VIEW, MAIL], split(ACCEPTED_IN_7, 0, 1, 2)), ["branches[0].when"]),
        (Flow([SHORT, *SPLIT.sequence[1:]], SPLIT.branches), ["branches[0].when"]),
        # nor can they behind a split within their side
        (
            Flow([INVITE, VIEW, MAIL, MESSAGE], [*split(ACCEPTED_IN_7, 1, 2, 4), *split(VIP, 2, 3, 3)]),
            ["sequence[3].type"],
        ),
        # who is connected already is written to within the side of those who have not accepted
        (Flow([INVITE, MESSAGE], [*split(ACCEPTED_IN_7, 1, 1, 2), *split({"is": "connected"}, 1, 2, 2)]), []),
        # a follow-up needs an email with a subject before it on every path
        (Flow([MAIL, VIEW, BARE], split(VIP, 0, 1, 2)), ["sequence[2].subject"]),
        (Flow([{**MAIL, "when": VIP}, BARE]), ["sequence[1].subject"]),
        (Flow([MAIL, BARE]), []),
    ]:
        told: list[tuple[str, str]] = []
        check_paths(flow, lambda path, sentence, told=told: told.append((path, sentence)))  # type: ignore[misc]
        assert [path for path, _ in told] == paths, flow
