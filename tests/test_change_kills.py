"""`kill -9` of the process that changes a running campaign, and of the one that carries the change out."""

import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import end_read, session, transaction
from app.domain.campaign_leads import campaign_leads
from app.domain.campaigns import change_exclusions, enrolment
from app.domain.leads import leads, lists
from app.domain.operations import sandbox_clock
from app.domain.rules.sequences.step_keys import keys
from app.domain.workspace import workspaces
from app.models.campaigns import Campaign, CampaignLead, CampaignRevision, LeadState, ReplyAction
from app.models.conversations import Message
from app.models.people import Person
from tests.bench.stock import profile
from tests.chaos import made_changes
from tests.chaos.kills import Ordeal

PATIENCE = 60.0
EXCLUDED = change_exclusions.CHUNK + 100
PEOPLE, MORE = EXCLUDED + 300, enrolment.CHUNK + 200


class Change:
    """A campaign whose people are on their way when it is changed."""

    def __init__(self, ordeal: Ordeal, kind: str) -> None:
        self.ordeal, self.kind = ordeal, kind

    def begin(self) -> None:
        """Some have had steps; for exclusions, most were left out."""
        self.ordeal.begin(PEOPLE)
        with self.ordeal.application().app_context():
            workspace = workspaces.get(self.ordeal.workspace)
            sandbox_clock.advance(workspace, 12)
            if self.kind == "lists":
                more = lists.create_list(workspace, made_changes.MORE).id
                everyone = [profile(number) for number in range(PEOPLE, PEOPLE + MORE)]
                for first in range(0, MORE, leads.MOST_PROFILES):
                    leads.add(workspace, more, everyone[first : first + leads.MOST_PROFILES])
            if self.kind == "exclusions":
                with transaction():
                    new = sa.select(CampaignLead).where(CampaignLead.last_action_at.is_(None)).limit(EXCLUDED)
                    for person in session().scalars(new).all():
                        campaign_leads.finish(person, "exclude", "contacted_lately", workspace.now())
            end_read()

    def seen(self) -> tuple[Any, ...]:
        """The campaign and its people, as a change finds them and leaves them."""
        with self.ordeal.application().app_context():
            campaign = session().scalars(sa.select(Campaign)).one()
            people = sa.select(CampaignLead.id, CampaignLead.state, CampaignLead.step, CampaignLead.due_at)
            found = (
                list(campaign.sequence),
                (campaign.revision, campaign.contact_rules, campaign.end_time),
                [tuple(row) for row in session().execute(people.order_by(CampaignLead.id))],
            )
            end_read()
            return found

    def noted(self) -> CampaignRevision | None:
        """The change, when it was made."""
        with self.ordeal.application().app_context():
            found = session().scalars(sa.select(CampaignRevision)).one_or_none()
            end_read()
            session().expunge_all()
            return found

    def run(self, what: str, kill_after: float | None) -> None:
        """A process makes the change or carries it out, until it has or is killed."""
        with self.ordeal.start(what) as process:
            if kill_after is not None:
                time.sleep(kill_after)
                process.signal(signal.SIGKILL)
                process.ended()
            elif what == "advance":
                end = time.monotonic() + PATIENCE
                while (noted := self.noted()) and noted.is_open and time.monotonic() < end:
                    time.sleep(0.05)
            else:
                assert process.ended() == 0, process.output


@pytest.mark.parametrize("kind", made_changes.MAKE)
def test_a_killed_change_is_made_whole_or_not_at_all_and_goes_on(kind: str, migrated: str, tmp_path: Path) -> None:
    """Nothing is half-changed, everyone is looked at once, and no action is lost or repeated."""
    chance = random.Random()
    trial = Change(Ordeal(migrated, tmp_path, chance), kind)
    trial.begin()
    before = trial.seen()
    trial.run(kind, chance.uniform(0, 0.2))
    if trial.noted() is None:
        assert trial.seen() == before
        trial.run(kind, None)
    trial.run("advance", chance.uniform(0, 0.1))
    trial.run("advance", None)
    noted, (steps, (_, rules, ends), people) = trial.noted(), trial.seen()
    assert noted is not None
    assert (noted.number, noted.is_open) == (1, False)
    match kind:
        case "hours":
            assert ends == "22:00"
        case "lists":
            assert noted.effect["added"] == noted.people == noted.looked == MORE
            assert len(people) == PEOPLE + MORE
        case "exclusions":
            assert noted.effect["let_in"] == noted.people == noted.looked == EXCLUDED
            assert rules == made_changes.RULES
            assert not any(state == LeadState.EXCLUDED for _, state, *_ in people)
        case "steps":
            assert keys(steps) != keys(before[0])
            assert [step["type"] for step in steps] == [step["type"] for step in made_changes.AFTER]
            assert all(step <= len(steps) for _, _, step, _ in people)
    trial.ordeal.verdict(days=1).hold()


def test_a_reply_is_tagged_once_by_its_tone_through_kills(migrated: str, tmp_path: Path) -> None:
    """Each reply of the tone has one row that says so, and its person the tag."""
    ordeal = Ordeal(migrated, tmp_path, random.Random())
    tones = ("positive", "negative", "generic", "not_now")
    ordeal.begin(people=40, on_reply=[{"sentiment": tone, "do": "tag", "value": tone} for tone in tones])
    ordeal.kill(3)
    ordeal.verdict(days=4).hold()
    with ordeal.application().app_context():
        toned = sa.select(Message).where(Message.direction == "in", Message.sentiment.in_(tones))
        replies = {message.id: message.sentiment for message in session().scalars(toned)}
        acted = session().scalars(sa.select(ReplyAction)).all()
        assert replies
        assert {one.message_id: one.value for one in acted} == replies
        assert len(acted) == len(replies)
        for one in acted:
            assert one.value in session().get_one(Person, one.person_id).tags
        end_read()
