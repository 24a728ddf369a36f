"""What tests begin with is made once: nobody notices when it is made each time, but for the minutes that it takes."""

import sqlalchemy as sa
from flask import Flask

from app.core.db import session, transaction
from app.domain.leads import lists
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.cast import Scenes
from tests.pages.conftest import Web


def test_a_scene_is_played_once_however_often_someone_signs_in(app: Flask, acme: Workspace) -> None:
    """The second time its rows are there without it."""
    scenes, played = Scenes(), []

    def act() -> None:
        played.append(lists.create_list(acme, "Founders").id)

    for _ in range(2):
        assert Web(app.test_client()).sign_in("ada@acme.example").status_code == 303
        scenes.play("a list", act)
        found = list(session().scalars(sa.select(LeadList.id).where(LeadList.name == "Founders")))
        assert found == played
        with transaction() as current:
            current.execute(sa.delete(LeadList))
