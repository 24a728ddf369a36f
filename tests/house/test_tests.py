"""What holds for the tests themselves."""

from pathlib import Path

from tests.house.ours import ROOT, files, functions

DISTURB_OR_MEASURE = {"bench", "chaos", "kills", "mail"}
WAIT_OR_REPLACE = ("sleep(", 'patch("app', "patch('app")


def test_tests_never_wait_for_time_to_pass_nor_replace_our_own_parts() -> None:
    """A clock that can be moved and fakes that ship with the product make both needless."""
    waiting = []
    for path in files("tests"):
        apart = path in (Path(__file__), ROOT / "tests" / "postgres.py")
        if apart or DISTURB_OR_MEASURE & {*path.relative_to(ROOT).parts}:
            continue
        text = path.read_text()
        waiting += [str(path.relative_to(ROOT)) for word in WAIT_OR_REPLACE if word in text]
    assert waiting == []


def test_the_name_of_a_test_says_its_rule() -> None:
    """A name that begins with "it" leaves open what must hold."""
    nameless = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in files("tests")
        for node in functions(path)
        if node.name.startswith("test_it_")
    ]
    assert nameless == []
