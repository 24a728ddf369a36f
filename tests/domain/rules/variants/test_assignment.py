"""The assignment of variants: by shares, always the same, and kept by whoever has a text."""

import random
from collections import Counter
from typing import Any

from app.domain.rules.variants.assignment import (
    KEYS,
    draw,
    even_shares,
    kept_text,
    same_texts,
    shares_of,
    text_for,
    texts,
    with_kept,
    with_shares,
    with_variant,
)


def a_step(**shares: int) -> dict[str, Any]:
    """A step whose variants have these shares."""
    several = [{"key": key, "message": f"Text {key}", "subject": "", "share": share} for key, share in shares.items()]
    return {"type": "message", "message": "Text A", "variants": several}


def test_people_are_drawn_in_proportion_to_the_shares_and_always_the_same() -> None:
    """The draw differs between steps. Small changes of shares move few people, so that an even split stays one."""
    step = a_step(A=20, B=0, C=60, D=20)
    found = Counter(draw(step, person, 1) for person in range(20_000))
    assert found["B"] == 0
    assert [round(found[key] / 20_000, 1) for key in "ACD"] == [0.2, 0.6, 0.2]
    assert draw({"type": "message", "message": "One"}, 1, 1) == ""
    even = a_step(A=50, B=50)
    first = [draw(even, person, 0) for person in range(2000)]
    assert first == [draw(even, person, 0) for person in range(2000)]
    same = sum(one == draw(even, person, 1) for person, one in enumerate(first))
    assert 900 < same < 1100
    before, after = a_step(A=50, B=50), a_step(A=55, B=45)
    moved = sum(draw(before, one, 0) != draw(after, one, 0) for one in range(10_000))
    assert 400 < moved < 600


def test_other_shares_never_change_who_has_a_text() -> None:
    """Whatever the shares become, in whatever order, as long as the variant exists."""
    rng = random.Random(16)
    for person in range(500):
        step = a_step(**{key: rng.randint(1, 100) for key in KEYS[: rng.randint(2, 5)]})
        _, key = text_for(step, person, 2)
        had = {2: key}
        for _ in range(5):
            shares = {one: rng.choice((0, 0, 1, 50, 100)) for one in shares_of(step)}
            changed = with_shares(step, shares if any(shares.values()) else {next(iter(shares)): 1})
            theirs, again = text_for(changed, person, 2, had)
            assert (theirs["message"], again) == (f"Text {key}", key)


def test_who_has_a_text_of_a_variant_that_is_gone_is_drawn_anew_and_shares_are_no_text() -> None:
    step = a_step(A=100, B=0)
    assert text_for(step, 7, 0, {0: "E"})[1] == "A"
    assert with_variant(step, "E") == step
    assert same_texts(a_step(A=1, B=1), a_step(A=0, B=9))
    assert not same_texts(a_step(A=1, B=1), a_step(A=1, C=1))
    assert not same_texts(a_step(A=1, B=1), {"type": "message", "message": "Text A"})
    assert [even_shares(number) for number in (2, 3, 5)] == [[50, 50], [34, 33, 33], [20] * 5]


def test_a_kept_text_holds_its_variants_and_takes_the_shares_of_now() -> None:
    old = a_step(A=50, B=50)
    kept = {"step": 3, **kept_text(old)}
    new = {"type": "message", "message": "New A", "variants": [{**one, "message": "New"} for one in old["variants"]]}
    assert with_kept(new, 2, kept) == new
    theirs = with_kept(with_shares(new, {"B": 100}), 3, kept)
    assert [one["message"] for one in theirs["variants"]] == ["Text A", "Text B"]
    assert shares_of(theirs) == {"A": 0, "B": 100}
    single = {"step": 3, "message": "Plain", "subject": ""}
    assert list(texts(with_kept(new, 3, single))) == [("Plain", "")]
    unlike = {"type": "message", "message": "C", "variants": [{**old["variants"][0], "key": "C"}]}
    assert shares_of(with_kept(unlike, 3, kept)) == {"A": 50, "B": 50}
