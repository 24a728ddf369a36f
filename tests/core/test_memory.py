"""Searching for garbage: seldom, and never among what every request needs."""

import gc

import pytest
from flask import Flask

pytestmark = pytest.mark.databases("both")


def test_what_was_loaded_at_the_start_is_never_collected(app: Flask) -> None:
    assert gc.get_freeze_count() > 100_000
    assert gc.get_threshold()[0] == 20_000
    assert gc.isenabled()
