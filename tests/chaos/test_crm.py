"""Ten thousand contacts go both ways with a CRM under its limits, with a kill every 30 seconds."""

import random
from pathlib import Path

from tests.kills.crm_flows import Flows
from tests.providers.crm.hubspot_server import HubSpotServer, Limits

CONTACTS, KILLS, EVERY = 10_000, 6, 30.0


def test_ten_thousand_contacts_go_both_ways(migrated: str, tmp_path: Path) -> None:
    """Read into a list, and one activity of each written back: 0 lost, 0 doubled, 0 typed values replaced."""
    server = HubSpotServer(limits=Limits(burst=100, searches=4))
    try:
        flows = Flows(migrated, tmp_path, server, random.Random(), contacts=CONTACTS, own=500)
        flows.prepare()
        flows.kill(KILLS, EVERY, EVERY)
        flows.finish(1800)
        flows.hold()
    finally:
        server.stop()
