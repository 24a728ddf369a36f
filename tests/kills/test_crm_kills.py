"""Contacts go both ways with a CRM through a worker that is killed again and again."""

import random
from pathlib import Path

from tests.kills.crm_flows import Flows
from tests.providers.crm.hubspot_server import HubSpotServer, Limits
from tests.support.size import sized


def test_contacts_go_both_ways_through_kills(url: str, tmp_path: Path, chance: random.Random) -> None:
    """Under the CRM's limits, with answers that are lost: no one lost, nothing doubled, no typed value replaced."""
    server = HubSpotServer(limits=Limits(burst=40, searches=4, window=4.0))
    try:
        flows = Flows(url, tmp_path, server, chance, contacts=sized(400), own=150)
        flows.prepare()
        flows.kill(sized(6), 0.5, 3.0)
        flows.finish(120 + sized(400) / 5)
        flows.hold()
        assert server.answered[429] < sum(server.answered.values()) / 2
    finally:
        server.stop()
