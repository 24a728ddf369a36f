"""Buying signals: look up one about a company or a person; pay only if it is found."""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import sqlalchemy as sa

from app import ports
from app.core import domains, text
from app.core.db import get_owned, has_every_word, session, transaction
from app.core.errors import InvalidRequest, NotSupported, PlanLimitExceeded, Unavailable
from app.core.paging import Sorts
from app.domain.billing import credits, subscriptions
from app.domain.leads import profiles
from app.domain.platform import services
from app.domain.platform.services import ServiceCredentials
from app.models.signals import Signal
from app.models.workspaces import Workspace
from app.ports import ProviderError, Refused, SignalQuestion, SignalResult, SignalService, SignalSource, Throttled

LOG = logging.getLogger(__name__)
REPEAT = timedelta(days=7)  # within which repeating a lookup is free
LONGEST = 200


@dataclass(frozen=True)
class SignalKind:
    """One kind: its name for people, what it finds, and which of the fields it needs."""

    label: str
    finds: str
    needs: tuple[str, ...] = ("domain",)

    @property
    def of_person(self) -> bool:
        """Return whether it is about a person."""
        return "full_name" in self.needs


SIGNALS = {
    "hiring": SignalKind("Hiring", "Open positions, with department and location."),
    "funding": SignalKind("Funding", "Rounds, amounts and investors."),
    "techStack": SignalKind("Tech stack", "Technologies the company uses."),
    "news": SignalKind("News", "Recent news about the company."),
    "headcount": SignalKind("Headcount", "Number of employees and growth."),
    "jobChange": SignalKind("Job change", "Where a person works now.", ("full_name", "company_name")),
}
FIELDS = {"domain": "domain", "full_name": "fullName", "company_name": "companyName", "job_title": "jobTitle"}
_MISSING = {
    "domain": "Enter the company's website domain, such as acme.com.",
    "full_name": "Enter the person's full name.",
    "company_name": "Enter the person's last known company.",
}


@dataclass(frozen=True)
class Answered:
    """The answer of a lookup, its id in the history, what it cost, and whether it repeats one of the last week."""

    id: int
    signal: str
    found: bool
    credits: int
    answer: Mapping[str, Any]
    repeat: bool = False


def registered_domain(given: str) -> str:
    """Return the registered domain of a domain, an address or a URL; '' when there is none."""
    host = text.domain(given)
    if not host:
        return ""
    parts = domains.split(host)
    if parts.suffix:
        return f"{parts.domain}.{parts.suffix}" if parts.domain else ""
    return ".".join(host.split(".")[-2:])  # a suffix without registrations, such as .example


def look_up(workspace: Workspace, kind: str, *, max_credits: int | None = None, **given: str) -> Answered:
    """Look up a signal and charge a hit once; the same lookup within a week is free."""
    question = _question(workspace, kind, given)
    subscriptions.require(workspace)
    if (again := _earlier(workspace, _fingerprint(question))) is not None:
        return _free(again)
    source, price = _source(workspace, kind), credits.SIGNAL_PRICES[kind]
    if max_credits is not None and price > max_credits:
        raise PlanLimitExceeded(
            f"This lookup costs {price} credits, more than maxCredits ({max_credits}).",
            recovery="Raise maxCredits, or leave it out.",
        )
    ref = f"signal:{uuid4().hex}"
    about = question.domain or f"{question.full_name}, {question.company_name}"
    credits.hold(workspace, price, ref=ref, purpose="signals", note=f"{SIGNALS[kind].label}: {about}")
    try:
        finding = source.look_up(question)
    except Exception as failure:
        credits.release_rest(workspace, ref)
        if isinstance(failure, ProviderError):
            raise _unavailable(failure) from failure
        raise
    return _record(workspace, question, ref, price, finding)


def _question(workspace: Workspace, kind: str, given: Mapping[str, str]) -> SignalQuestion:
    """Return the normalized question, or raise every problem at once."""
    found = SIGNALS.get(kind)
    problems = [] if found else [("kind", f"Use one of {', '.join(SIGNALS)}.")]
    fields = {name: text.squeeze(given.get(name) or "") for name in FIELDS}
    for name, value in fields.items():
        if len(value) > LONGEST or not profiles.is_single_line(value):
            problems.append((FIELDS[name], f"Use at most {LONGEST} characters, without control characters."))
        elif found and name in found.needs and not value:
            problems.append((FIELDS[name], _MISSING[name]))
    if found and not found.of_person and fields["domain"] and not problems:
        fields["domain"] = registered_domain(fields["domain"])
        if not fields["domain"]:
            problems.append(("domain", "Enter a website domain such as acme.com."))
    if problems or found is None:
        raise InvalidRequest.of(*problems)
    kept = ("full_name", "company_name", "job_title") if found.of_person else ("domain",)
    return SignalQuestion(kind, workspace.now(), seed=workspace.sandbox_seed, **{name: fields[name] for name in kept})


def _fingerprint(question: SignalQuestion) -> str:
    """Return a hash of the question, equal for equal questions; it does not cover the title."""
    asked = [question.kind, question.domain, question.full_name.casefold(), text.company(question.company_name)]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def _earlier(workspace: Workspace, fingerprint: str) -> Signal | None:
    """Return last week's hit for the same question, if any."""
    query = sa.select(Signal).where(
        Signal.workspace_id == workspace.id,
        Signal.fingerprint == fingerprint,
        Signal.found.is_(True),
        Signal.created_at > workspace.now() - REPEAT,
    )
    return session().scalars(query.order_by(Signal.id.desc()).limit(1)).first()


def _free(earlier: Signal) -> Answered:
    return Answered(earlier.id, earlier.kind, True, 0, earlier.answer, repeat=True)


def _source(workspace: Workspace, kind: str) -> SignalSource:
    source = source_for(workspace)
    if kind not in source.kinds:
        raise NotSupported(
            f"No connected service looks up {kind}.",
            recovery=f"Connect a service for this signal, or use: {', '.join(sorted(source.kinds))}.",
        )
    return source


def _unavailable(failure: ProviderError) -> Unavailable:
    LOG.warning("A signal could not be looked up", extra={"fields": {"why": failure.sentence}})
    return Unavailable(
        f"{failure.sentence} You were not charged.",
        recovery="Try again in a minute.",
        retry_after=failure.retry_after if isinstance(failure, Throttled) else 30,
    )


def _record(
    workspace: Workspace, question: SignalQuestion, ref: str, price: int, finding: SignalResult | None
) -> Answered:
    """Store the answer and its charge in one transaction."""
    fingerprint = _fingerprint(question)
    with transaction() as current:
        credits.lock(workspace)  # so that of two equal lookups at once only one is charged
        earlier = _earlier(workspace, fingerprint)
        if earlier is not None or finding is None:
            credits.release_rest(workspace, ref)
        if earlier is not None:
            return _free(earlier)
        # If the credit hold has expired meanwhile, the answer is free.
        paid = price if finding is not None and credits.capture(workspace, ref, price) else 0
        made = Signal(
            workspace_id=workspace.id,
            kind=question.kind,
            domain=question.domain,
            full_name=question.full_name,
            company_name=question.company_name,
            job_title=question.job_title,
            fingerprint=fingerprint,
            found=finding is not None,
            credits=paid,
            answer=dict(finding.answer) if finding else {},
            source=finding.source if finding else "",
            created_at=workspace.now(),
        )
        current.add(made)
        current.flush()
        return Answered(made.id, made.kind, made.found, paid, made.answer)


def page(workspace: Workspace, kind: str = "", words: str = "") -> sa.Select[Any]:
    """Select the lookups that found something, all or of one kind; `words` are of what was asked."""
    query = sa.select(Signal).where(Signal.workspace_id == workspace.id)
    query = query.where(*has_every_word([Signal.domain, Signal.full_name, Signal.company_name], words))
    return query.where(Signal.kind == kind) if kind else query


SORTS: Sorts = {  # by what lookups are sorted: (value, condition that one has none)
    "asked": (sa.func.lower(Signal.domain + Signal.full_name), sa.false()),
    "kind": (Signal.kind, sa.false()),
    "credits": (Signal.credits, Signal.credits == 0),
    "source": (sa.func.lower(Signal.source), Signal.source == ""),
    "at": (Signal.created_at, sa.false()),
}


def get(workspace: Workspace, signal_id: int) -> Signal:
    """Return the lookup, or raise NotFound."""
    return get_owned(Signal, workspace, signal_id)


BUDGET_LATER = 3600  # seconds until a used-up budget is checked again


class Sources:
    """A `ports.SignalSource` over the connected services of a workspace and the public sources."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        adapters = [ports.service(login.service) for login in services.connected(workspace)]
        self._of_services = {kind for one in adapters if isinstance(one, SignalService) for kind in one.signals}
        self._public = ports.public_signals() if ports.public_signals.connected else None
        self.kinds = {*self._of_services, *(self._public.kinds if self._public else ())}

    def look_up(self, question: SignalQuestion) -> SignalResult | None:
        """Return the answer of the first source that has one; a failing source leaves it to the next.

        Raise its failure when no source could answer, and Throttled when all budgets are used up.
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
            raise Throttled("Today's budget for these services is used up.", BUDGET_LATER)
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
    """Return the sandbox's samples or the workspace's real sources."""
    return ports.sandbox_signals() if workspace.sandbox else Sources(workspace)
