"""`kill -9` of a campaign over the network and real mail servers, with troubles on both: no one contacted twice."""

import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mail import daemons
from tests.mail.neighbours import residents
from tests.mail.network_mail import MixedOrdeal, mailboxes
from tests.support.processes import free_port
from tests.support.size import sized

KILLS = sized(16)  # and as many people who are written to

MISSING = ", ".join(daemons.missing()) or ("root" if os.geteuid() else "")


@pytest.fixture
def ordeal(url: str, tmp_path: Path, chance: random.Random, monkeypatch: pytest.MonkeyPatch) -> Iterator[MixedOrdeal]:
    """The network, the mail servers, and a database."""
    running = daemons.Daemons(free_port, *residents(mailboxes(KILLS)))
    monkeypatch.setenv("SSL_CERT_FILE", str(running.folder / "cert.pem"))
    made = MixedOrdeal(url, tmp_path, chance, daemons=running)
    yield made
    made.stop()
    running.close()


@pytest.mark.skipif(bool(MISSING), reason=f"Real mail servers need {MISSING}: run `make verify ARGS=mail` as root.")
def test_campaigns_over_network_and_mail_survive_kills(ordeal: MixedOrdeal) -> None:
    """Between an order and its answer, between a copy and the message, and anywhere else."""
    ordeal.begin(KILLS)
    died = ordeal.run(KILLS, days=max(6.0, KILLS / 10))
    books = ordeal.books()
    sys.stdout.write(f"killed {KILLS} times, after {dict(died)}, {ordeal.challenges} challenges; {books}\n")
    books.hold()
    assert min(died["action"], died["taken"]) > 0
