"""The gate under any history and any rules: what it says at enrolment, at the draft and at the send agrees.

Between two moments an answer may become stricter. It becomes milder only through what stands in `MILDER`: an owner or
a member decided so, something was undone, time passed, or a newer answer of the person took the place of an older.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from itertools import count
from typing import Any, NamedTuple

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from app.core.db import end_read, fetch, session, transaction
from app.core.errors import Conflict
from app.domain.approvals import approvals
from app.domain.campaigns import campaigns, exclusion_preview, let_in, workspace_rules
from app.domain.campaigns.exclusion_preview import Asking
from app.domain.engine import lifecycle, turns
from app.domain.engine.inbound import poll
from app.domain.engine.outbound import reconcile
from app.domain.leads import leads, merge_people, tags
from app.domain.leads.campaign_leads import campaign_leads, company_decisions
from app.domain.people.exclusions import gate, never_contact
from app.domain.rules.contact_rules import ContactRules, Verdict
from app.domain.rules.step_kinds import STEPS
from app.domain.senders import accounts
from app.domain.tasks import marked_answers
from app.domain.workspace import workspaces
from app.models.approvals import Approval
from app.models.campaigns import ENDED_STATES, OPEN_STATES, Campaign, CampaignLead
from app.models.exclusions import CompanyHold, HoldDecision
from app.models.leads import Lead
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.engine.test_engine_properties import STORIES
from tests.domain.outreach import INVITE, VIEW, a_campaign, a_list, email, message, takes_in
from tests.simulation.witness import SPEAKS
from tests.support.movable import Movable

HOST = {"Acorn": "acorn.example", "Birch": "birch.example", "Cedar": "cedar.example"}
# By last name: the company, and whether its domain is known. None of them answers by themselves.
PEOPLE = {
    "ada": ("Acorn", True),
    "bob": ("Acorn", True),
    "adele": ("Acorn", False),
    "dan": ("Birch", True),
    "eve": ("Birch", True),
    "dean": ("", False),
    "finn": ("", False),
    "hal": ("", False),
    "ida": ("Cedar", True),
    "joe": ("Cedar", True),
}
TWINS = (("ada", "adele"), ("dan", "dean"), ("dean", "dan"), ("adele", "ada"))
SEQUENCES = (
    [email(), email("Again", days=2)],
    [VIEW, INVITE, email(days=1)],
    [INVITE, email(), email("Again", days=3)],
    [email(), INVITE, message(days=1)],
)
SAID = {
    "positive": "Yes please, send me the details",
    "negative": "No thanks, not interested.",
    "not_now": "Not now, ask me again in May.",
    "generic": "Who are you?",
    "opt_out": "Please unsubscribe me.",
    "away": "I am out of the office until 10 March.",
}
OFF: dict[str, Any] = {"contacted_days": 0, "replied": False, "said_no": False, "colleague_talks": False}
RULES: tuple[dict[str, Any], ...] = (
    {},
    OFF,
    OFF | {"said_no": True},
    OFF | {"replied": True, "company_stop": False},
    OFF | {"contacted_days": 3, "tags": ["VIP"]},
    OFF | {"named_list": True, "company_days": 5},
    {"contacted_days": 0, "replied": False, "named_campaign": True},
)
TOUCHES, DAYS, PER_DAY, AT_ONCE = 2, 7, 1, 2
CAPS = {"touches": TOUCHES, "days": DAYS, "per_day": PER_DAY, "company_people": AT_ONCE}
DAY = timedelta(days=1)
MOST = 3  # who answered, and who is blocked: more would leave no one to be contacted
ALL = ("all",)
TIMED = (
    *("asked_to_wait", "contacted_lately", "company_contacted", "touch_cap_day", "touch_cap", "company_full"),
    "active_elsewhere",  # the other campaign ended
)
# What each event may make milder: the reasons that may go. What ends a campaign for one person frees their colleagues.
MILDER: Mapping[str, tuple[str, ...]] = defaultdict(
    lambda: ("active_elsewhere", "company_full"),
    {
        "time": TIMED,
        "newer answer": ("said_no", "asked_to_wait", "active_elsewhere", "company_full"),
        "decision": ("company_held", "active_elsewhere", "company_full"),
        "untag": ("has_excluded_tag",),
        "unlist": ("in_excluded_list",),
        "undo": ALL,
    },
)
# In the order in which they are asked, those that the model below knows.
KNOWN = (
    *("never_contact", "said_no", "replied_before", "contacted_lately", "in_excluded_list", "has_excluded_tag"),
    "company_held",
)
ORDER = (
    *("never_contact", "said_no", "asked_to_wait", "replied_before", "other_conversation", "active_elsewhere"),
    *("contacted_lately", "in_excluded_list", "in_excluded_campaign", "has_excluded_tag", "company_contacted"),
    *("company_held", "touch_cap_day", "touch_cap", "company_full"),
)
FIRST = {"contacted_lately", "in_excluded_list", "has_excluded_tag"}  # not asked once the campaign has begun
# What a contact is a reason for: of two senders in one round, what the first does counts for the second.
BY_A_CONTACT = {*TIMED} - {"asked_to_wait"}
NUMBERS = count()
EXAMPLES = int(os.environ.get("FUZZ_STORIES", "2"))
LENGTH = 20 if EXAMPLES == 2 else 40
Key = tuple[str, int, int]  # a saved campaign or one that is only asked about, its number, the person


def strictness(verdict: Verdict | None) -> int:
    """How much an answer holds back."""
    return 0 if verdict is None else {"wait": 1, "hold": 2, "exclude": 3}[verdict.effect]


class Hold(NamedTuple):
    """An answer that holds its company."""

    person: str
    conversation: tuple[str, int] | None


class Merged(NamedTuple):
    """Two people who became one: what each had said before and is said since, and who had the tag."""

    keep: str
    gone: str
    undo: str
    refused: tuple[str, str]
    since: str
    tagged: set[str]


class Gated(RuleBasedStateMachine):
    """A workspace with campaigns over the same people. What must be known of them is kept here once more."""

    clock: Movable

    def __init__(self) -> None:
        super().__init__()
        name = f"gate-{next(NUMBERS)}@example.com"
        self.workspace = workspaces.create("Gate", name, "four unrelated quiet words", sandbox=True)
        workspace_rules.change(self.workspace, rules={}, caps=CAPS)
        self.named = a_list(self.workspace, [profile("gus")], "Customers")
        a_list(self.workspace, [profile(name) for name in PEOPLE], "All")
        query = sa.select(Person.public_id, Person.id).where(Person.workspace_id == self.workspace.id)
        ids = dict(session().execute(query).all())
        self.ids = {name: ids[f"ignores-{name}"] for name in PEOPLE}
        self.into: dict[str, str] = {}  # who was merged into whom
        self.undo: list[Merged] = []
        self.silent: set[str] = set()
        self.blocked: set[str] = set()  # companies: who leaves one, because a merge is undone, is free again
        self.replied: set[str] = set()
        self.refused: dict[str, str] = dict.fromkeys(PEOPLE, "")
        self.tagged: set[str] = set()
        self.listed: set[str] = set()
        self.holds: dict[str, Hold] = {}  # by company
        self.went_on: set[tuple[str, int]] = set()  # conversations
        self.drafts: set[int] = set()
        self.given: dict[str, Any] = {}  # the workspace's rules
        self.before = self.answers()
        end_read()

    # --- what happens

    @precondition(lambda self: len(self.live()) < 3)
    @rule(
        who=st.sets(st.sampled_from(sorted(PEOPLE)), min_size=4, max_size=10),
        steps=st.sampled_from(SEQUENCES),
        rules=st.sampled_from(RULES),
        approval=st.booleans(),
    )
    def start_a_campaign(self, who: set[str], steps: Sequence[Any], rules: Mapping[str, Any], approval: bool) -> None:
        name = f"Campaign {next(NUMBERS)}"
        if not who - self.unreachable():
            return  # lists do not take them in
        with self.event():
            people, more = [profile(one) for one in sorted(who)], {"approval": approval, "exclude": self.exclude(rules)}
            campaign = a_campaign(self.workspace, people, steps, start=False, senders=3, name=name, **more)
            previewed = exclusion_preview.of_campaign(self.workspace, campaign.id, most=100)
            assert previewed is not None
            foreseen = {named.lead.person_id: reason.code for reason in previewed[1] for named in reason.named}
            asked = gate.ask(campaign, sorted(set(self.ids.values())), self.workspace.now())
            end_read()
            campaigns.start(self.workspace, campaign.id)
            for lead in self.leads():
                if lead.campaign_id == campaign.id:
                    self.stands_as_said(lead, foreseen.get(lead.person_id, ""), asked[lead.person_id].verdict)

    def stands_as_said(self, lead: CampaignLead, foreseen: str, verdict: Verdict | None) -> None:
        """Assert that enrolment did what the preview showed, and what the gate says at that moment."""
        expected = verdict.code if strictness(verdict) > 1 and verdict else ""
        assert foreseen == expected
        if expected == "company_held":
            assert (lead.state, lead.reason) == ("paused", expected)
        elif expected:
            assert (lead.state, lead.reason) == ("excluded", expected)
        else:
            assert lead.state in OPEN_STATES, (lead.state, lead.reason)

    @precondition(lambda self: len(self.replied) < MOST)
    @rule(who=st.sampled_from(sorted(PEOPLE)), number=st.integers(0, 2), said=st.sampled_from(sorted(SAID)))
    def someone_answers(self, who: str, number: int, said: str) -> None:
        who, at = self.now_called(who), self.workspace.now()
        sender = accounts.every(self.workspace)[number]
        handle = f"ignores-{who}"
        with self.event("newer answer" if said in ("positive", "not_now") else "answer"):
            takes_in(
                self.workspace,
                sender,
                Received(handle, "email" if number == 2 else "message", SAID[said], at, f"word-{next(NUMBERS)}"),
            )
            if said == "away":
                return
            self.replied.add(who)
            if said != "generic":
                self.refused[who] = "negative" if said in ("negative", "opt_out") else ""
            if said == "opt_out":
                self.silent.add(who)
            else:
                self.hold(who, (who, sender.id))

    @precondition(lambda self: len(self.replied) < MOST)
    @rule(who=st.sampled_from(sorted(PEOPLE)), answer=st.sampled_from(["met", "replied_elsewhere", "not_now"]))
    def someone_is_marked(self, who: str, answer: str) -> None:
        who = self.now_called(who)
        with self.event("newer answer"):
            former = marked_answers.standing(self.workspace, self.ids[who])
            marked_answers.mark(self.workspace, self.ids[who], answer)
            self.replied.add(who)
            self.refused[who] = ""
            if marked_answers.standing(self.workspace, self.ids[who]) is not former:
                self.hold(who, None)

    @precondition(lambda self: len(self.unreachable()) < MOST)
    @rule(who=st.sampled_from(sorted(PEOPLE)), whole_company=st.booleans())
    def someone_is_blocked(self, who: str, whole_company: bool) -> None:
        who = self.now_called(who)
        company = self.company_of(who)
        with self.event():
            if whole_company and company:
                never_contact.add(self.workspace, [("company", company)])
                self.blocked.add(company)
            else:
                never_contact.add(self.workspace, [("person", f"ignores-{who}")])
                self.silent.add(who)

    @rule(who=st.sampled_from(sorted(PEOPLE)), on=st.booleans())
    def someone_is_tagged(self, who: str, on: bool) -> None:
        who = self.now_called(who)
        lead_id = session().scalar(sa.select(Lead.id).where(Lead.person_id == self.ids[who]).order_by(Lead.id).limit(1))
        with self.event("tag" if on else "untag"):
            tags.set_tags(self.workspace, lead_id or 0, ["vip"] if on else [])
            self.tagged = {one for one in self.tagged if self.now_called(one) != who} | ({who} if on else set())

    @rule(who=st.sampled_from(sorted(PEOPLE)), on=st.booleans())
    def someone_is_a_customer(self, who: str, on: bool) -> None:
        who = self.now_called(who)
        with self.event("list" if on else "unlist"):
            if on:
                leads.add(self.workspace, self.named, [profile(who)])
                if who not in {*map(self.now_called, self.listed), *self.unreachable()}:  # no list takes in the blocked
                    self.listed.add(who)
            else:
                theirs = (Lead.list_id == self.named, Lead.person_id == self.ids[who])
                found = session().scalars(sa.select(Lead.id).where(*theirs)).all()
                leads.remove(self.workspace, self.named, found)
                self.listed = {one for one in self.listed if self.now_called(one) != who}

    @rule(draw=st.integers(0, 99), rules=st.sampled_from(RULES))
    def a_campaigns_rules_change(self, draw: int, rules: Mapping[str, Any]) -> None:
        if found := self.live():
            with self.event("undo"):
                campaigns.change_exclusions(self.workspace, found[draw % len(found)].id, self.exclude(rules))

    @rule(rules=st.sampled_from(RULES))
    def the_workspaces_rules_change(self, rules: Mapping[str, Any]) -> None:
        given = {name: value for name, value in self.exclude(rules).items() if name != "company_stop"}
        with self.event("undo"):
            workspace_rules.change(self.workspace, rules=given, caps=CAPS)
            self.given = {name: value for name, value in given.items() if not name.endswith("_ids")}

    @precondition(lambda self: self.holds)
    @rule(draw=st.integers(0, 99), decision=st.sampled_from(["go_on", "end"]), take_back=st.booleans())
    def a_member_decides_about_a_company(self, draw: int, decision: str, take_back: bool) -> None:
        query = sa.select(CompanyHold).where(
            CompanyHold.workspace_id == self.workspace.id, CompanyHold.decision == HoldDecision.OPEN
        )
        found = session().scalars(query.order_by(CompanyHold.id)).all()
        assert {hold.name for hold in found} == set(self.holds)
        hold = found[draw % len(found)]
        with self.event("decision"):
            company_decisions.decide(self.workspace, hold.id, decision)
            gone = self.holds.pop(hold.name)
            if decision == "go_on" and gone.conversation:
                self.went_on.add(gone.conversation)
        if take_back and decision == "go_on":
            with self.event():
                company_decisions.undo(self.workspace, hold.id)
                self.holds[hold.name] = gone
                self.went_on.discard(gone.conversation or ("", 0))

    @rule(draw=st.integers(0, 99))
    def an_owner_lets_someone_in(self, draw: int) -> None:
        live = {campaign.id for campaign in self.live()}
        found = [lead for lead in self.leads() if lead.state == "excluded" and lead.campaign_id in live]
        if found:
            lead = found[draw % len(found)]
            with self.event(), suppress(Conflict):
                let_in.let_in(self.workspace, lead.campaign_id, lead.id)

    @rule(draw=st.integers(0, 99), whole=st.booleans())
    def a_campaign_ends(self, draw: int, whole: bool) -> None:
        live = {campaign.id for campaign in self.live()}
        found = [lead for lead in self.leads() if lead.state not in ENDED_STATES and lead.campaign_id in live]
        if found:
            lead = found[draw % len(found)]
            with self.event():
                if whole:
                    campaigns.cancel(self.workspace, lead.campaign_id)
                else:
                    campaign_leads.stop(self.workspace, lead.campaign_id, lead.id)

    @rule(twins=st.sampled_from(TWINS))
    def two_turn_out_to_be_one(self, twins: tuple[str, str]) -> None:
        keep, gone = twins
        if keep in self.into or gone in self.into or {keep, gone} & set(self.into.values()):
            return
        companies = self.company_of(keep), self.company_of(gone)
        answered = any(self.now_called(hold.person) == gone for hold in self.holds.values())
        held = ("company_held",) if answered or companies[0] != companies[1] else ()
        with self.event("merge", ("company_contacted", *held)):  # the contacted colleague may be the same person
            name = merge_people.merge_people(self.workspace, self.ids[keep], self.ids[gone])
            was = self.refused[keep], self.refused[gone]
            self.refused[keep] = "negative" if "negative" in was else ""
            self.into[gone] = keep
            self.undo.append(Merged(keep, gone, name, was, self.refused[keep], self.tagged & {keep, gone}))

    @precondition(lambda self: self.undo)
    @rule()
    def they_are_two_after_all(self) -> None:
        keep, gone, name, was, then, tagged = self.undo.pop()
        with self.event("undo"):
            try:
                merge_people.MERGED.undo(self.workspace, name, keep=self.ids[keep])
            except Conflict:
                return
            del self.into[gone]
            if self.refused[keep] == then:
                self.refused[keep] = was[0]
            if gone in tagged:  # the tag is theirs again, and no longer of one who had it from them
                self.tagged = self.tagged - ({keep} - tagged) | {gone}

    @rule()
    def everything_is_approved(self) -> None:
        query = sa.select(Approval).where(Approval.workspace_id == self.workspace.id, Approval.status == "pending")
        with self.event():
            for one in session().scalars(query.order_by(Approval.id)).all():
                with suppress(Conflict):
                    approvals.edit(self.workspace, one.id, text=one.text, subject=one.subject, approve=True)

    @rule()
    def a_day_passes(self) -> None:
        self.time_passes(26)

    @rule(hours=st.sampled_from([0.2, 5, 75, 200]))
    def time_passes(self, hours: float) -> None:
        goal = self.workspace.now() + timedelta(hours=hours)
        for _ in range(200):
            moments = [one.turn_at for one in accounts.every(self.workspace) if one.turn_at]
            timer = lifecycle.next_moment(self.workspace.id)
            due = [one for one in (*moments, timer) if one and one <= goal]
            if not due:
                break
            self.to(min(due))
            self.take_turns()
        self.to(goal)
        with self.event("time"):
            pass  # what everyone would be told under each of the rules is asked once, not at each turn

    # --- what must hold

    def take_turns(self) -> None:
        """Let every sender that is due act; assert that each step agrees with the gate at that moment."""
        at = self.workspace.now()
        poll.poll(accounts.every(self.workspace), at)
        said, ledger = self.answers(asking=False), Ledger(self)
        before = {lead.id: (lead.state, lead.reason, lead.campaign_id, lead.person_id) for lead in self.leads()}
        contacted: set[int | str] = set()
        with self.event("time", asking=False):
            with transaction():
                found = turns.begin_round(self.workspace.id, at)
            for intent in found.intended:
                _, _, campaign_id, person_id = before[intent.campaign_lead_id]
                verdict, step = said["campaign", campaign_id, person_id], STEPS.get(intent.action.kind)
                if step is None:  # an invitation is taken back
                    assert verdict is None or verdict.code != "never_contact"
                    continue
                reaches = step.reaches and intent.part == 0
                assert strictness(verdict) < (1 if reaches else 2), (intent.action, verdict)
                if reaches:
                    ledger.add(campaign_id, person_id, at)
                    contacted |= {person_id, ledger.companies[person_id]} - {""}
            for lead in self.leads():
                state, reason, campaign_id, person_id = before[lead.id]
                if lead.reason in BY_A_CONTACT and contacted & {person_id, ledger.companies[person_id]}:
                    continue
                if (lead.state, lead.reason) != (state, reason) and lead.reason in ORDER:
                    verdict = said["campaign", campaign_id, person_id]
                    assert verdict is not None
                    assert verdict.code == lead.reason
            turns.finish_round(found)
            reconcile.run_due()
            lifecycle.run(self.workspace)

    @contextmanager
    def event(self, kind: str = "", may: Sequence[str] = (), *, asking: bool = True) -> Iterator[None]:
        """Assert that answers did not become milder through what happens, but by what may."""
        yield
        session().expire_all()
        now, drafts = self.answers(asking=asking), self.new_drafts()
        let_in_codes = {("campaign", lead.campaign_id, lead.person_id): lead.let_in for lead in self.not_over()}
        for key, verdict in now.items():
            former = self.before.get(key)
            if former is None or strictness(verdict) >= strictness(former):
                continue
            allowed = {*MILDER[kind], *may, *(let_in_codes.get(key) or {}).get("codes", ())}
            if former.code == "in_excluded_campaign":
                assert key[2] not in self.reached(self.first_campaign()), key
            else:
                assert former.code in allowed or allowed >= set(ALL), (kind, key, former, verdict)
        for key in drafts:
            answers = [table[key] for table in (self.before, now) if key in table]
            assert not answers or min(map(strictness, answers)) < 2, (key, answers)
        self.before = now if asking else now | {key: one for key, one in self.before.items() if key[0] == "asked"}
        self.knows_what_happened(now)
        end_read()

    def knows_what_happened(self, answers: Mapping[Key, Verdict | None]) -> None:
        """Assert that the gate sees what the history, kept here once more, says of each person."""
        names = {self.ids[name]: name for name in PEOPLE if name not in self.into}
        touches, leads_now = self.touches(), {(lead.campaign_id, lead.person_id): lead for lead in self.not_over()}
        for key, verdict in answers.items():
            place, number, person_id = key
            who, rules, stop = names[person_id], *self.rules_of(key)
            by_others = [
                one.at
                for one in touches
                if one.person_id == person_id and (place == "asked" or one.campaign_id != number)
            ]
            expected = self.left_out(who, rules, max(by_others, default=None), self.workspace.now())
            if stop and self.is_held(who):
                expected.append("company_held")
            if place == "campaign":
                lead = leads_now[number, person_id]
                set_aside = {*(lead.let_in or {}).get("codes", ())} - {"never_contact"}
                set_aside |= FIRST if lead.contacted else set()
                expected = [code for code in expected if code not in set_aside]
            if expected:
                assert verdict is not None, (who, expected)
                assert ORDER.index(verdict.code) <= ORDER.index(expected[0]), (who, verdict, expected)
            assert verdict is None or verdict.code not in KNOWN or verdict.code in expected[:1], (
                who,
                verdict,
                expected,
            )

    def rules_of(self, key: Key) -> tuple[ContactRules, bool]:
        place, number, _ = key
        if place == "asked":
            own = self.exclude(RULES[number])
        else:
            campaign = session().get_one(Campaign, number)
            own = {**(campaign.contact_rules or {}), "company_stop": campaign.stop_company_on_reply}
        return ContactRules.of({**self.given, **own}), bool(own["company_stop"])

    def left_out(self, who: str, rules: ContactRules, lately: datetime | None, at: datetime) -> list[str]:
        all_of = {name for name in PEOPLE if self.now_called(name) == who}
        found = {
            "never_contact": all_of & self.unreachable(),
            "said_no": rules.said_no and self.refused[who] == "negative",
            "replied_before": rules.replied and all_of & self.replied,
            "contacted_lately": lately and lately > at - timedelta(days=rules.contacted_days),
            "in_excluded_list": rules.list_ids and all_of & self.listed,
            "has_excluded_tag": rules.tags and all_of & self.tagged,
        }
        return [code for code in KNOWN if found.get(code)]

    def unreachable(self) -> set[str]:
        silent = {self.now_called(one) for one in self.silent}
        people = {one: self.now_called(one) for one in PEOPLE}
        return {one for one, who in people.items() if who in silent or self.company_of(who) in self.blocked}

    def is_held(self, who: str) -> bool:
        hold = self.holds.get(self.company_of(who))
        return hold is not None and self.now_called(hold.person) != who

    # --- looking

    def answers(self, *, asking: bool = True) -> dict[Key, Verdict | None]:
        at, leads_now, found = self.workspace.now(), self.not_over(), {}
        for campaign in self.live():
            mine = [one for one in leads_now if one.campaign_id == campaign.id]
            asked = gate.ask(
                campaign,
                [one.person_id for one in mine],
                at,
                reached={one.person_id: one.contacted for one in mine},
                let_in={one.person_id: one.let_in for one in mine},
            )
            found.update({("campaign", campaign.id, person): answer.verdict for person, answer in asked.items()})
        everyone = [self.ids[name] for name in PEOPLE if name not in self.into]
        sender = accounts.every(self.workspace)[0].id
        for number, rules in enumerate(RULES if asking else ()):
            own = self.exclude(rules)
            wanted = Asking(self.workspace.id, None, [sender], (), own, bool(own.pop("company_stop")))
            asked = gate.ask(wanted, everyone, at)  # type: ignore[arg-type]
            found.update({("asked", number, person): answer.verdict for person, answer in asked.items()})
        return found

    def exclude(self, rules: Mapping[str, Any]) -> dict[str, Any]:
        own = {"company_stop": True, **rules}
        if own.pop("named_list", False):
            own["list_ids"] = [self.named]
        if own.pop("named_campaign", False):
            own["campaign_ids"] = [one for one in [self.first_campaign()] if one]
        return own

    def first_campaign(self) -> int:
        first = sa.select(sa.func.min(Campaign.id)).where(Campaign.workspace_id == self.workspace.id)
        return session().scalar(first) or 0

    def live(self) -> list[Campaign]:
        query = sa.select(Campaign).where(
            Campaign.workspace_id == self.workspace.id, Campaign.status.in_(["running", "starting", "paused"])
        )
        return list(session().scalars(query.order_by(Campaign.id)))

    def leads(self) -> list[CampaignLead]:
        query = sa.select(CampaignLead).where(CampaignLead.workspace_id == self.workspace.id)
        return list(session().scalars(query.order_by(CampaignLead.id).execution_options(populate_existing=True)))

    def not_over(self) -> list[CampaignLead]:
        """Return those for whom the gate is asked; two people who became one can have another that is over."""
        return [lead for lead in self.leads() if lead.state not in ENDED_STATES]

    def touches(self) -> list[Any]:
        return fetch(
            sa.select(Action.person_id, Action.campaign_id, Action.at)
            .where(Action.workspace_id == self.workspace.id, Action.part == 0, Action.step >= 0)
            .where(Action.kind.in_(SPEAKS), Action.state.in_(["sending", "sent", "unknown"]))
            .order_by(Action.at)
        )

    def reached(self, campaign_id: int) -> set[int]:
        """Return whom the campaign contacted."""
        return {touch.person_id for touch in self.touches() if touch.campaign_id == campaign_id}

    def new_drafts(self) -> set[Key]:
        query = sa.select(Approval.id, CampaignLead.campaign_id, CampaignLead.person_id).where(
            Approval.workspace_id == self.workspace.id, CampaignLead.id == Approval.campaign_lead_id
        )
        rows = [row for row in session().execute(query) if row.id not in self.drafts]
        self.drafts |= {row.id for row in rows}
        return {("campaign", row.campaign_id, row.person_id) for row in rows}

    def now_called(self, name: str) -> str:
        while name in self.into:
            name = self.into[name]
        return name

    def company_of(self, name: str) -> str:
        merged = [one for one in PEOPLE if self.into.get(one) == name]
        return next((PEOPLE[one][0] for one in (name, *merged) if PEOPLE[one][0]), "")

    def hold(self, who: str, conversation: tuple[str, int] | None) -> None:
        company = self.company_of(who)
        if company and conversation not in self.went_on:
            self.holds.setdefault(company, Hold(who, conversation))

    def to(self, moment: datetime) -> None:
        ahead = (moment - self.workspace.now()).total_seconds()
        if ahead > 0:
            with self.event("time", asking=False), transaction() as current:
                current.get_one(Workspace, self.workspace.id).clock_offset += int(ahead) + 1
            session().refresh(self.workspace)


class Ledger:
    """What the ledger says when a turn begins, and each contact of the turn: none is one too many."""

    def __init__(self, story: Gated) -> None:
        self.touches: defaultdict[int, list[datetime]] = defaultdict(list)
        self.companies = {story.ids[name]: story.company_of(name) for name in PEOPLE if name not in story.into}
        self.under_way: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
        on_their_way = {(one.campaign_id, one.person_id) for one in story.leads() if one.state in OPEN_STATES}
        for touch in story.touches():
            self.touches[touch.person_id].append(touch.at)
            if (touch.campaign_id, touch.person_id) in on_their_way:
                self.under_way[self.companies[touch.person_id]].add((touch.campaign_id, touch.person_id))

    def add(self, campaign_id: int, person_id: int, at: datetime) -> None:
        theirs, company = self.touches[person_id], self.companies[person_id]
        assert len([one for one in theirs if one > at - DAY]) < PER_DAY
        assert len([one for one in theirs if one > at - DAYS * DAY]) < TOUCHES
        theirs.append(at)
        if company and (campaign_id, person_id) not in self.under_way[company]:
            others = {one for _, one in self.under_way[company]} - {person_id}
            assert len(others) < AT_ONCE, company
            self.under_way[company].add((campaign_id, person_id))


def profile(name: str) -> dict[str, Any]:
    company, known = PEOPLE.get(name, ("", False))
    host = HOST[company] if known else "gmail.com"
    found = {"publicId": f"ignores-{name}", "firstName": name.title(), "email": f"{name}@{host}"}
    found |= {"companyName": company} if company else {}
    return found | ({"companyUrl": f"https://{host}"} if known else {})


@pytest.fixture
def gated(acme: Workspace, clock: Movable) -> type[Gated]:
    """The machine, in this test's database and on its clock."""
    Gated.clock = clock
    return Gated


def test_the_gate_agrees_at_every_moment_and_only_becomes_stricter(gated: type[Gated]) -> None:
    """The same stories every time; a longer search finds more of them."""
    run_state_machine_as_test(gated, settings=settings(STORIES, max_examples=EXAMPLES, stateful_step_count=LENGTH))


def test_who_was_left_out_is_not_contacted_as_the_other_of_two(gated: type[Gated]) -> None:
    """One of them has the tag, the other was contacted: what is under way for the one person stops."""
    story = gated()
    story.someone_is_tagged(who="dean", on=True)
    story.start_a_campaign(who={"dan", "dean"}, steps=SEQUENCES[0], rules=RULES[4], approval=False)
    story.a_day_passes()
    story.two_turn_out_to_be_one(twins=("dean", "dan"))
    contacts = len(story.touches())
    story.time_passes(hours=200)
    stand = {(lead.state, lead.reason) for lead in story.leads()}
    assert stand == {("excluded", "has_excluded_tag"), ("paused", "same_person")}
    assert len(story.touches()) == contacts == 1
