"""Scripts with few rights, and an application that limits rates."""

from collections.abc import Callable

import pytest
from flask import Flask

from app.domain.platform import rate_limits
from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client
from tests.support.members import owner
from tests.support.receivers import receiver

__all__ = ["receiver"]


@pytest.fixture
def with_scopes(client: Client, acme: Workspace) -> Callable[..., Api]:
    """A script of acme's owner that may do only what is named."""

    def make(*scopes: str) -> Api:
        return Api(client, api_keys.create(acme, "Some", scopes, created_by=owner(acme))[1])

    return make


@pytest.fixture
def limited(make_app: Callable[..., Flask], app: Flask) -> Client:
    rate_limits.reset()
    client = make_app(OVERTURE_RATE_LIMIT="on").test_client()
    assert isinstance(client, Client)
    return client
