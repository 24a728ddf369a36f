"""A network that shows what a test puts there, and the reading of its searches."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from app import ports
from app.core.db import end_read, session
from app.domain.platform import jobs
from app.models.leads import SearchImport, SearchImportState
from app.models.workspaces import Workspace
from app.ports import AccountRef, FoundPerson, SearchAddress, SearchPage
from app.providers.sandbox.network_search import SandboxNetworkSearch
from tests.support.movable import Movable

ADDRESS = "https://www.linkedin.com/search/results/people/?keywords=founder"
OTHER = "https://www.linkedin.com/search/results/people/?keywords=baker"
SALES = "https://www.linkedin.com/sales/search/people?savedSearchId=17"


def person(number: int) -> FoundPerson:
    public_id = f"ada-{number}"
    return FoundPerson(
        public_id, f"https://www.linkedin.com/in/{public_id}", "Ada", f"Number{number}", "Founder", "Engine"
    )


@dataclass
class Shown:
    """A search of so many people, of whom each `hidden`th is not shown. `before` is called ahead of every answer."""

    people: int = 1000
    hidden: int = 0
    before: Callable[[], None] = lambda: None
    after: Callable[[], None] = lambda: None
    asked: list[tuple[int, str]] = field(default_factory=list)

    def read(self, account: AccountRef, search: SearchAddress, limit: int, cursor: str = "") -> SearchPage:
        end_read()
        self.asked.append((account.id, cursor))
        self.before()
        first = int(cursor or 0)
        numbers = range(first, min(first + limit, self.people))
        shown = [person(one) for one in numbers if not self.hidden or one % self.hidden]
        self.after()
        following = str(numbers.stop) if numbers.stop < self.people else ""
        return SearchPage(shown, following, self.people, len(numbers) - len(shown))


@contextmanager
def showing(shown: Shown) -> Iterator[Shown]:
    ports.connect_network_searches({"sandbox": shown})
    yield shown
    ports.connect_network_searches({"sandbox": SandboxNetworkSearch()})


def again(found: SearchImport) -> SearchImport:
    session().expire_all()
    return session().get_one(SearchImport, found.id)


def turn(clock: Movable) -> None:
    """The jobs that are due have a turn, a minute later."""
    clock.forward(minutes=1)
    jobs.run_due()
    end_read()


def read_out(workspace: Workspace, clock: Movable, *imports: SearchImport, most: int = 2000) -> None:
    """Every import has ended; the clock goes to what each waits for."""
    for _ in range(most):
        running = [one for one in map(again, imports) if one.state == SearchImportState.RUNNING]
        if not running:
            return
        moments = [one.waits_until for one in running if one.waits_until]
        if len(moments) == len(running) and (soonest := min(moments)) > clock.at:
            clock.to(soonest)
        clock.forward(seconds=5)  # a sandbox looks again so often
        jobs.run_due()
        end_read()
    raise AssertionError([(one.state, one.waits_for, one.read) for one in map(again, imports)])


def counts(found: SearchImport) -> tuple[int, int, int, int]:
    return found.added, found.updated, found.skipped, found.invalid
