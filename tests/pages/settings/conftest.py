"""A workspace that reaches the outside, which a sandbox does not."""

import pytest
from flask import Flask

from app.domain.workspace import workspaces
from app.models.workspaces import Workspace
from tests.conftest import PASSWORD
from tests.pages.conftest import Web, signed_in
from tests.support.movable import Movable


@pytest.fixture
def live(app: Flask, clock: Movable) -> Workspace:
    """A workspace that reaches the outside."""
    return workspaces.create("Live", "ada@live.example", PASSWORD)


@pytest.fixture
def ours(app: Flask, live: Workspace) -> Web:
    """Its owner, signed in."""
    return signed_in(app, "ada@live.example")
