"""A short version of tests/chaos/test_crm.py: some hundreds of contacts both ways, with kills in between."""

import random
from pathlib import Path

from tests.kills.crm_flows import Flows
from tests.providers.crm.hubspot_server import HubSpotServer, Limits


def test_contacts_go_both_ways_through_kills(migrated: str, tmp_path: Path) -> None:
    """Under the CRM's limits, with answers that are lost: no one lost, nothing doubled, no typed value replaced."""
    server = HubSpotServer(limits=Limits(burst=40, searches=4, window=4.0))
    try:
        flows = Flows(migrated, tmp_path, server, random.Random(), contacts=400, own=150)
        flows.prepare()
        flows.kill(4, 0.5, 3.0)
        flows.finish(120)
        flows.hold()
        assert server.answered[429] < sum(server.answered.values()) / 2
    finally:
        server.stop()
