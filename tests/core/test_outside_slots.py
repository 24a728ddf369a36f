"""Web requests that wait for the outside: few at once, another thread meanwhile, and never more of one workspace."""

from contextlib import ExitStack
from io import BytesIO

import pytest
from flask import Flask, g

from app.core import outside_slots
from app.core.errors import Unavailable
from app.domain.leads import csv_import, lists
from app.models.workspaces import Workspace
from app.providers.outbound import release_database


def wait(app: Flask, stack: ExitStack, workspace: Workspace) -> None:
    stack.enter_context(app.test_request_context("/"))
    g.workspace = workspace
    release_database()


def test_half_may_wait_and_a_workspace_gets_half_of_that(app: Flask, acme: Workspace, rival: Workspace) -> None:
    """Without a server that replaces threads; jobs wait as they like."""
    with ExitStack() as stack:
        wait(app, stack, acme)
        with app.app_context():
            for _ in range(5):
                release_database()
        with pytest.raises(Unavailable):
            wait(app, stack, acme)
        wait(app, stack, rival)
        with pytest.raises(Unavailable, match="long requests") as refused:
            wait(app, stack, rival)
        assert refused.value.retry_after == 5
    with ExitStack() as stack:
        wait(app, stack, acme)  # there is room again


def test_each_that_waits_is_replaced_and_counted_once(app: Flask, acme: Workspace, rival: Workspace) -> None:
    told: list[int] = []
    app.extensions[outside_slots.REPLACE] = told.append
    try:
        with ExitStack() as stack:
            wait(app, stack, acme)
            release_database()  # a second call of the same request
            for workspace in [acme] * (outside_slots.AT_ONCE // 2 - 1) + [rival] * (outside_slots.AT_ONCE // 2):
                wait(app, stack, workspace)
            with pytest.raises(Unavailable):
                wait(app, stack, rival)
    finally:
        del app.extensions[outside_slots.REPLACE]
    most = outside_slots.AT_ONCE
    assert told == [*range(1, most + 1), *range(most - 1, -1, -1)]


def test_a_file_that_takes_long_to_read_counts_too(app: Flask, acme: Workspace) -> None:
    people = lists.create_list(acme, "People")
    few = b"email\n" + b"ada@acme.example\n" * 10
    with ExitStack() as stack:
        wait(app, stack, acme)
        stack.enter_context(app.test_request_context("/"))
        g.workspace = acme
        assert csv_import.create(acme, people.id, "few.csv", BytesIO(few)).total == 10
        with pytest.raises(Unavailable):
            csv_import.create(acme, people.id, "many.csv", BytesIO(few + b"\n" * csv_import.LONG_TO_READ))
