"""Sources: checked, sealed, never shown again, and gone when they are disconnected."""

from collections.abc import Iterator, Sequence

import pytest
import sqlalchemy as sa
from pytest_httpserver import HTTPServer

from app import ports
from app.core.db import session, transaction
from app.core.errors import AppError, Conflict, InvalidRequest
from app.domain.autopilot import play_design, setup_state, source_sync, sources
from app.domain.leads import lists
from app.models.autopilot import SourceConnection
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from app.ports import Refused, SourceRefused, Throttled, Unreachable


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    """A website on this machine."""
    server = HTTPServer()
    server.start()
    yield server
    server.stop()


def kept(workspace: Workspace) -> list[SourceConnection]:
    """What is stored of the workspace's sources."""
    query = sa.select(SourceConnection).where(SourceConnection.workspace_id == workspace.id)
    return list(session().scalars(query.order_by(SourceConnection.id).execution_options(populate_existing=True)))


def test_analytics_and_payments_are_connected_per_workspace_and_their_secrets_sealed(
    acme: Workspace, rival: Workspace
) -> None:
    """They open only in their own row, and are gone when the source is disconnected; the stranger's are not touched."""
    sources.connect_analytics(acme, " phx_secret ", "eu", "42")
    found = sources.connect_payments(acme, "rk_test_secret")
    assert found.analytics
    assert (found.analytics.region, found.analytics.project_id) == ("eu", "42")
    assert found.payments
    assert (found.payments.former_customers or 0) > 0
    theirs = sources.get(rival)
    assert (theirs.site, theirs.analytics, theirs.payments) == (None, None, None)
    assert {angle.needs for angle in play_design.angles(acme)} == {"", "analytics", "payments"}
    assert {angle.needs for angle in play_design.angles(rival)} == {""}
    first, second = kept(acme)
    assert b"secret" not in (first.sealed or b"") + (second.sealed or b"")
    assert [source_sync.unseal(one) for one in (first, second)] == ["phx_secret", "rk_test_secret"]
    first.sealed, second.sealed = second.sealed, first.sealed
    with pytest.raises(ValueError):
        source_sync.unseal(first)
    session().rollback()
    sources.connect_analytics(rival, "phx_key")
    for kind in ("payments", "analytics", "analytics"):
        sources.disconnect(acme, kind)
    assert (kept(acme), len(kept(rival))) == ([], 1)
    assert session().scalars(lists.lists(acme)).one().lead_count > 0


def test_a_refused_key_connects_nothing_and_leaves_the_former_one(acme: Workspace) -> None:
    """The sentence is on its field; a region has to exist."""
    for key in ("", "  ", "two words", "x" * 501, "schlüssel", "an-invalid-key"):
        with pytest.raises(InvalidRequest) as refusal:
            sources.connect_analytics(acme, key)
        assert refusal.value.fields[0].path == "apiKey"
        with pytest.raises(InvalidRequest) as refusal:
            sources.connect_payments(acme, key)
        assert refusal.value.fields[0].path == "restrictedKey"
    assert kept(acme) == []
    assert session().scalar(sa.select(sa.func.count()).select_from(LeadList)) == 0
    sources.connect_analytics(acme, "phx_good", "us")
    for key, region in (("phx_invalid", "us"), ("phx_good", "mars"), ("phc_token", "us"), ("rk_live_good", "eu")):
        with pytest.raises(InvalidRequest):
            sources.connect_analytics(acme, key, region)
    assert [source_sync.unseal(one) for one in kept(acme)] == ["phx_good"]


def test_former_customers_are_leads_of_one_list(acme: Workspace) -> None:
    """Connected again, no one is there twice; a list that was deleted is made anew."""
    found = sources.connect_payments(acme, "rk_test_one").payments
    assert found
    (listed,) = session().scalars(lists.lists(acme)).all()
    assert (listed.name, listed.lead_count) == ("Former customers", found.former_customers)
    sources.connect_payments(acme, "rk_test_two")
    assert session().scalars(lists.lists(acme)).one().lead_count == found.former_customers
    lists.delete_list(acme, listed.id)
    again = sources.connect_payments(acme, "rk_test_three").payments
    assert again
    assert session().scalars(lists.lists(acme)).one().id == again.list_id


def test_a_site_is_ours_when_it_carries_the_mark(acme: Workspace, server: HTTPServer) -> None:
    """Redirects are followed; another address has to prove itself again."""
    with pytest.raises(Conflict):
        sources.verify_site(acme)
    with transaction():
        setup_state.locked(acme).website = server.url_for("/")
    site = sources.get(acme).site
    assert site
    server.expect_ordered_request("/").respond_with_data("<html>nothing</html>")
    with pytest.raises(Conflict) as refusal:
        sources.verify_site(acme)
    assert site.snippet in refusal.value.recovery
    server.expect_ordered_request("/").respond_with_data("", 302, {"Location": "/home"})
    server.expect_ordered_request("/home").respond_with_data(f"<head>{site.snippet}</head>")
    proven = sources.verify_site(acme).site
    assert proven
    assert proven.verified_at
    server.expect_ordered_request("/").respond_with_data("gone", 500)
    with pytest.raises(Conflict):
        sources.verify_site(acme)


class Records:
    """A DNS that knows one domain; `down` when no one answers."""

    def __init__(self, domain: str, *texts: str) -> None:
        self.known, self.down = {domain: texts}, False

    def texts(self, name: str) -> Sequence[str]:
        """Its records."""
        if self.down:
            raise Unreachable("Nobody answers.")
        return self.known.get(name, ())


def test_a_domain_proves_its_site_as_well(acme: Workspace) -> None:
    """By a TXT record with exactly our mark, also while the website is away."""
    with transaction():
        setup_state.locked(acme).website = "http://www.shop.localhost:9/"
    site = sources.get(acme).site
    assert site
    ports.site_proof.connect(Away())
    records = Records("shop.localhost", "v=spf1 -all", site.record + "x")
    ports.domain_records.connect(records)  # type: ignore[arg-type]
    with pytest.raises(Conflict, match="read your website"):
        sources.verify_site(acme)
    records.known["shop.localhost"] = ("v=spf1 -all", f" {site.record} ")
    records.down = True
    with pytest.raises(Conflict, match="read your website"):
        sources.verify_site(acme)
    records.down = False
    proven = sources.verify_site(acme).site
    assert proven
    assert proven.verified_at


class Away:
    """A website that no one reaches."""

    def holds(self, address: str, mark: str) -> bool:
        """Never known."""
        raise Unreachable("No connection.")


def test_a_source_that_does_not_open_connects_nothing(acme: Workspace) -> None:
    """A refusal is at the field it is about; what can be tried again says so."""

    class Closed:
        def __init__(self, failure: Exception) -> None:
            self.failure = failure

        def check(self, key: str, region: str, project_id: str) -> str:
            raise self.failure

    for failure, refusal in [
        (SourceRefused("Choose one of two.", "project"), "projectId"),
        (SourceRefused("It belongs to the other.", "region"), "region"),
        (Refused("No."), "apiKey"),
        (Throttled("Too much.", 5), "unavailable"),
        (Unreachable("Gone."), "unavailable"),
    ]:
        ports.sandbox_analytics.connect(Closed(failure))  # type: ignore[arg-type]
        with pytest.raises(AppError) as said:
            sources.connect_analytics(acme, "phx_key")
        told = said.value.fields[0].path if said.value.fields else said.value.code
        assert (told, kept(acme)) == (refusal, [])
