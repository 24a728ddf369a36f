"""Scripts with few rights."""

from collections.abc import Callable

import pytest

from app.domain.workspace import api_keys
from app.models.workspaces import Workspace
from tests.support.clients import Api, Client
from tests.support.members import owner


@pytest.fixture
def with_scopes(client: Client, acme: Workspace) -> Callable[..., Api]:
    """A script of acme's owner that may do only what is named."""

    def make(*scopes: str) -> Api:
        return Api(client, api_keys.create(acme, "Some", scopes, created_by=owner(acme))[1])

    return make
