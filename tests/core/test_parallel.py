"""Several calls under way at once."""

import threading

import pytest

from app.core.parallel import made_once, run_parallel


def test_results_come_in_the_order_of_the_items() -> None:
    second_is_done = threading.Event()

    def work(item: int) -> int:
        if item == 1:
            assert second_is_done.wait(30)
        else:
            second_is_done.set()
        return item * 10

    assert run_parallel(2, work, [1, 2]) == [10, 20]


def test_one_at_a_time_stays_in_this_thread_and_a_failure_is_raised() -> None:
    """The session of this thread can be used."""
    for most, items in ((1, [1, 2, 3]), (8, [1]), (0, [1, 2])):
        found = run_parallel(most, lambda item: threading.get_ident(), items)
        assert found == [threading.get_ident()] * len(items)
    with pytest.raises(ZeroDivisionError):
        run_parallel(2, lambda item: 1 // item, [1, 0, 2])


def test_no_more_are_under_way_than_was_said() -> None:
    lock, under_way, seen = threading.Lock(), 0, 0
    both = threading.Barrier(2)

    def work(item: int) -> None:
        nonlocal under_way, seen
        with lock:
            under_way += 1
            seen = max(seen, under_way)
        both.wait(30)
        with lock:
            under_way -= 1

    run_parallel(2, work, range(8))
    assert seen == 2


def test_what_many_threads_need_at_once_is_made_once() -> None:
    """The others wait for it: with each making its own, a start with many senders due stood still for ten seconds."""
    made: list[int] = []
    all_here = threading.Barrier(4)

    @made_once
    def costly() -> int:
        made.append(len(made))
        return made[-1]

    def work(item: int) -> int:
        all_here.wait(30)
        return costly()

    assert run_parallel(4, work, range(4)) == [0, 0, 0, 0]
    assert made == [0]


def test_what_could_not_be_made_is_tried_again() -> None:
    tries: list[int] = []

    @made_once
    def costly() -> float:
        tries.append(0)
        return 1 / (len(tries) - 1)

    with pytest.raises(ZeroDivisionError):
        costly()
    assert costly() == 1
