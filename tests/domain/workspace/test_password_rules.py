"""New passwords: long enough, in no list of known ones, and more than the names around them."""

import gzip

import pytest

from app.domain.workspace import password_rules
from app.domain.workspace.password_rules import password_problem

NAMES = ("ada@acme.example", "Ada Lovelace", "Acme Robotics")


def test_more_than_a_hundred_thousand_known_passwords_are_forbidden() -> None:
    known = gzip.decompress(password_rules.COMMON.read_bytes()).decode().split()
    assert len(known) > 100_000
    long_enough = [each for each in known if len(each) >= password_rules.LEAST]
    assert len(long_enough) > 40_000
    assert [each for each in long_enough[::499] if not password_problem(each)] == []


@pytest.mark.parametrize(
    "easy",
    ["password2026!!", "Dragon1234567", "iloveyou-iloveyou", "!!!Football!!!", "abcabcabcabcabc", "QWERTYUIOPASDFGH"],
)
def test_a_known_password_with_something_around_it_is_easy(easy: str) -> None:
    assert "easy to guess" in password_problem(easy)


@pytest.mark.parametrize(
    "easy",
    [
        "overture2026!",
        "OvertureOverture",
        "Acme-Overture-2026",
        "AcmeRobotics123",
        "ada@acme.example",
        "Lovelace_1234567",
    ],
)
def test_names_around_the_user_are_easy(easy: str) -> None:
    assert "easy to guess" in password_problem(easy, NAMES)


@pytest.mark.parametrize(
    "good",
    [
        "four unrelated quiet words",
        "correct horse battery staple",
        "Overture needs many quiet words",
        "7h$kQ-92!mx.4Zp",
        "x\ny" * 7,
    ],
)
def test_what_is_hard_to_guess_is_taken(good: str) -> None:
    assert password_problem(good, NAMES) == ("" if "\n" not in good else password_problem(good))


def test_no_password_takes_long_to_judge() -> None:
    """Lengths are bound before anything is compared."""
    assert password_problem("a" * 1001) == "Use at most 1,000 characters."
    assert password_problem("short") == "Use at least 12 characters."
    assert password_problem("ab" * 499 + "ac")
