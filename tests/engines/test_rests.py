"""What fails rests, longer each time."""

from app.engines.rests import LONGEST, Rests


def test_what_goes_on_failing_is_tried_ever_more_slowly_until_it_works_again() -> None:
    rests = Rests()
    assert [rests.after_failure("broken", 1) for _ in range(8)] == [2, 4, 8, 16, 32, 60, 60, LONGEST]
    assert rests.has("broken")
    assert rests.resting() == ["broken"]
    rests.end("broken")
    assert not rests.has("broken")
    assert rests.after_failure("broken", 1) == 2
