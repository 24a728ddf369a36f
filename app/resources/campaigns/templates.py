"""Templates of campaigns as API resources."""

from datetime import datetime
from typing import Any

from app.resources.base import Json, Resource
from app.resources.campaigns.campaigns import Branch, Step


class CampaignTemplate(Resource):
    """A campaign's saved steps. To use them in a campaign, send `sequence` and `branches` to `POST /v1/campaigns`."""

    id: int
    """The id of the template."""
    name: str
    """The name of the template."""
    sequence: list[Step]
    """The steps, in order."""
    branches: list[Branch]
    """The points where the sequence splits."""
    created_at: datetime
    """When the template was saved."""

    @classmethod
    def of(cls, template: Any) -> Json:
        return cls.filled(template, branches=template.branches or [])
