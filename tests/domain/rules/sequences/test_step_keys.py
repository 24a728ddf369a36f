"""Steps that keep their names when their places change, and people who get each of them once."""

from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.campaigns.changes import hand_over, revision_effects
from app.domain.campaigns.changes.hand_over import Plan, Standing
from app.domain.campaigns.changes.revision_effects import ALL, CHOSEN, NEW, Revision
from app.domain.rules.sequences import step_keys
from tests.domain.campaigns.changes.test_revision_effects import NOW, Person, mail

TEXTS = st.lists(st.integers(0, 30).map(str), min_size=1, max_size=7, unique=True)


def steps(texts: list[str]) -> list[dict[str, Any]]:
    """Email steps with these texts."""
    return [mail(text, 1) for text in texts]


def test_a_step_keeps_its_key_and_a_new_one_never_gets_that_of_a_removed_one() -> None:
    before = steps(["a", "b", "c"])
    assert step_keys.keys(step_keys.with_keys(before, steps(["c", "a", "b"]))) == [2, 0, 1]
    assert step_keys.keys(step_keys.with_keys(before, [before[0], mail("b", 9), before[2]])) == [0, 1, 2]
    assert step_keys.keys(step_keys.with_keys(before, steps(["a", "new b", "c"]))) == [0, 1, 2]
    assert step_keys.keys(step_keys.with_keys(before, steps(["a", "c", "new"]))) == [0, 2, 3]
    two = steps(["a", "b"])
    assert step_keys.with_keys(two, two) == two  # keys that are the places are not stored
    assert step_keys.place_of(step_keys.with_keys(two, steps(["b"])), 0) is None
    shorter = step_keys.with_keys(steps(["a", "b"]), steps(["a"]))
    longer = step_keys.with_keys(shorter, [*steps(["a"]), {"type": "follow"}], given=2)
    assert step_keys.keys(longer) == [0, 2]


@settings(max_examples=80, deadline=None)
@given(TEXTS, st.data())
def test_no_step_comes_twice_and_none_that_was_ahead_is_lost(texts: list[str], data: Any) -> None:
    """Whatever the steps become, again and again, wherever people stand, and whoever gets the change."""
    sequence: list[dict[str, Any]] = steps(texts)
    given_keys, had = len(sequence), list[int]()
    person = Person(step=data.draw(st.integers(0, len(sequence))))
    had += step_keys.keys(sequence)[: person.step]
    for _ in range(data.draw(st.integers(1, 3))):
        after = step_keys.with_keys(sequence, steps(data.draw(TEXTS)), given_keys)
        given_keys = max(given_keys, step_keys.next_key(sequence), step_keys.next_key(after))
        to = data.draw(st.sampled_from([NEW, ALL, CHOSEN]))
        chosen = frozenset({person.id} if data.draw(st.booleans()) else ())
        ahead = [key for key in _ahead(sequence, person) if key in step_keys.keys(after)]
        found = revision_effects.effect_on_lead(person, Revision(sequence, after, 0, to, NOW, chosen=chosen))
        person = Person(**{**person.__dict__, **found.columns})
        sequence, left = after, _ahead(after, person)
        assert not set(left) & set(had)
        assert set(ahead) <= set(left)
        walked = data.draw(st.integers(0, len(left)))
        if walked:
            had += left[:walked]
            place = step_keys.place_of(sequence, left[walked - 1])
            assert place is not None
            person = Person(**{**person.__dict__, "step": place + 1})


def _ahead(sequence: list[dict[str, Any]], person: Person) -> list[int]:
    return [key for key in step_keys.keys(sequence)[person.step :] if key not in (person.skip_steps or ())]


@given(
    st.integers(1, 99),
    st.booleans(),
    st.sampled_from(["none", "sent", "accepted"]),
    st.booleans(),
    st.sets(st.integers(1, 4)),
    st.booleans(),
)
def test_only_who_has_no_thread_and_no_open_invitation_is_moved(
    number: int, social: bool, connection: str, busy: bool, talks: set[int], able: bool
) -> None:
    plan = Plan({1: None}, [2, 3], able=frozenset({1} if able else ()))
    person = Standing(number, 1, social, connection, busy=busy, talks=tuple(sorted(talks)))
    found = hand_over.decide(person, plan)
    assert found is not None
    if found.what == hand_over.MOVED:
        assert not busy
        assert 1 not in talks
        assert not social or connection == "none"
        assert found.sender_id in (2, 3)
        partners = talks & {2, 3}
        assert not partners or found.sender_id in partners
    elif found.what != hand_over.WITHDRAWN:
        assert found.sender_id == 1


def test_hand_over_is_even() -> None:
    plan = Plan({1: None}, [2, 3, 4])
    heirs = [plan.heir(number, 1) for number in range(30)]
    assert all(one != other for one, other in pairwise(heirs))
    assert {heirs.count(one) for one in (2, 3, 4)} == {10}
