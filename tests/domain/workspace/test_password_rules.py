"""New passwords: long enough, in no list of known ones, and more than the names around them."""

import gzip

from app.domain.workspace import password_rules
from app.domain.workspace.password_rules import password_problem

NAMES = ("ada@acme.example", "Ada Lovelace", "Acme Robotics")


def test_known_and_easy_passwords_are_refused_and_none_takes_long_to_judge() -> None:
    """More than a hundred thousand are known; lengths are bound before anything is compared."""
    known = gzip.decompress(password_rules.COMMON.read_bytes()).decode().split()
    assert len(known) > 100_000
    long_enough = [each for each in known if len(each) >= password_rules.LEAST]
    assert len(long_enough) > 40_000
    assert [each for each in long_enough[::499] if not password_problem(each)] == []
    known = "password2026!! Dragon1234567 iloveyou-iloveyou !!!Football!!! abcabcabcabcabc QWERTYUIOPASDFGH"
    named = "overture2026! OvertureOverture Acme-Overture-2026 AcmeRobotics123 ada@acme.example Lovelace_1234567"
    assert [easy for easy in known.split() if "easy to guess" not in password_problem(easy)] == []
    assert [easy for easy in named.split() if "easy to guess" not in password_problem(easy, NAMES)] == []
    good = ["four unrelated quiet words", "correct horse battery staple", "Overture needs many quiet words"]
    assert [password_problem(one, NAMES) for one in (*good, "7h$kQ-92!mx.4Zp")] == [""] * 4
    assert password_problem("a" * 1001) == "Use at most 1,000 characters."
    assert password_problem("short") == "Use at least 12 characters."
    assert password_problem("ab" * 499 + "ac")
