"""Where the signals of a workspace come from: its connected services first, then what anybody may read."""

from collections.abc import Callable, Iterator
from functools import partial

from app import ports
from app.domain.platform import services
from app.domain.platform.services import ServiceCredentials
from app.models.workspaces import Workspace
from app.ports import ProviderError, Refused, SignalQuestion, SignalResult, SignalService, SignalSource, Throttled

BUDGET_LATER = 3600  # seconds, after which a budget is looked at again


class Sources:
    """A `ports.SignalSource` over the connected services of a workspace and the public sources."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        adapters = [ports.service(login.service) for login in services.connected(workspace)]
        self._of_services = {kind for one in adapters if isinstance(one, SignalService) for kind in one.signals}
        self._public = ports.public_signals() if ports.public_signals.connected else None
        self.kinds = {*self._of_services, *(self._public.kinds if self._public else ())}

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """What the first source knows that knows something; one that fails leaves it to the next.

        The failure goes on when nobody could answer; Throttled when the budgets of all are used up.
        """
        asked, failed = 0, list[ProviderError]()
        for ask in self._sources(question):
            asked += 1
            try:
                if (found := ask()) is not None:
                    return found
            except Refused:
                return None
            except ProviderError as failure:
                failed.append(failure)
        if not asked:
            raise Throttled("Today's budget of the services that know this is used up.", BUDGET_LATER)
        if len(failed) == asked:
            raise failed[0]
        return None

    def _sources(self, question: SignalQuestion) -> Iterator[Callable[[], SignalResult | None]]:
        for one in services.credentials_for(self._workspace, "signals"):
            if isinstance(one.adapter, SignalService) and question.kind in one.adapter.signals:
                yield partial(self._ask, one, one.adapter, question)
        if self._public and question.kind in self._public.kinds:
            yield partial(self._public.look_up, question)

    def _ask(self, one: ServiceCredentials, service: SignalService, question: SignalQuestion) -> SignalResult | None:
        with services.call(self._workspace, one) as asked:
            found = service.look_up(one.credentials, question)
            asked.answers = 0 if found is None else 1
        return found


def source_for(workspace: Workspace) -> SignalSource:
    """The samples of the sandbox, or the real sources of a workspace."""
    return ports.sandbox_signals() if workspace.sandbox else Sources(workspace)
