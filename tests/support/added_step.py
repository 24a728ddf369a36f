"""Run a campaign with a step of the type `endorse`, and print what each part of the product says of it.

`python -m tests.support.added_step FOLDER DATABASE`, on a copy of the application whose STEPS has that entry.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.core import clock as time
from tests.support.movable import Movable


def main(folder: Path, url: str) -> dict[str, Any]:
    """What is said of a campaign that has such a step."""
    from app.domain.campaigns import campaigns, preview, statistics
    from app.domain.campaigns.forecasts import forecast
    from app.domain.ledger import activity
    from app.domain.ledger.activity import Filter
    from app.domain.senders import accounts
    from app.domain.workspace import api_keys, workspaces
    from tests.conftest import PASSWORD, build
    from tests.domain.outreach import a_list, everyone, forward, message
    from tests.pages.conftest import signed_in
    from tests.support.clients import Api

    app = build(url, folder)
    time.use(Movable(datetime(2026, 3, 2, 9, tzinfo=UTC)))
    with app.app_context():
        acme = workspaces.create("Acme", "ada@acme.example", PASSWORD, sandbox=True)
        api = Api(app.test_client(), api_keys.create(acme, "Tests", ["all"])[1])  # type: ignore[arg-type]
        body = {
            "name": "First",
            "listId": a_list(acme, ["accepts-ada", "ignores-bob"]),
            "accountIds": [accounts.every(acme)[0].id],
            "sequence": [{"type": "endorse"}, {"type": "connection_request"}, message(days=1)],
        }
        with_text = [{"type": "endorse", "message": "Hi"}]
        made = api.post("campaigns", body)
        campaign = campaigns.get(acme, made.json["id"])
        foreseen = api.post(f"campaigns/{campaign.id}/forecast").json
        web = signed_in(app, "ada@acme.example")
        builder = web.get(f"/campaigns/{campaign.id}/edit").text
        started = api.post(f"campaigns/{campaign.id}/start")
        forward(acme, days=2)
        lead = int(everyone(campaign)["accepts-ada"].lead_id)
        entries = activity.page(acme, campaign, Filter("reactions"))[0]
        numbers = api.get(f"campaigns/{campaign.id}/stats", by="step").json["parts"]
        pages = {name: web.get(f"/campaigns/{campaign.id}/{name}").text for name in ("sequence", "activity")}
        document = app.test_client().get("/v1/openapi.json").json
        assert document is not None
        return {
            "created": made.status_code,
            "with text": api.post("campaigns", {**body, "sequence": with_text}).status_code,
            "started": started.status_code,
            "openapi": '"endorse"' in json.dumps(document),
            "builder": "Endorse a skill" in builder,
            "forecast": sum(day["likes"] for day in foreseen["days"]),
            "preview": [step.problems for step in preview.preview_for(acme, campaign.id, lead, None)][:1],
            "activity": [(entry.kind, entry.state) for entry in entries],
            "statistics": [(part["type"], part["done"], part["failed"]) for part in numbers[:1]],
            "page": [(row.type, row.sent) for row in statistics.steps(acme, campaign)][:1],
            "sequence page": "Endorse a skill" in pages["sequence"],
            "activity page": "endorsed a skill of" in pages["activity"],
            "events": [event["type"] for event in api.get("events").json["data"] if event["type"] == "post_liked"],
            "people": forecast.forecast(acme, campaign.id).people,
        }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), sys.argv[2])) + "\n")
