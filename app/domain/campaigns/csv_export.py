"""Export campaign leads as CSV, as a stream: who they are, their state and reason."""

from collections.abc import Iterator
from datetime import datetime

from app.core import text
from app.core.db import end_read, in_pages
from app.domain.campaigns import campaigns
from app.domain.leads.campaign_leads import filters, why_waiting
from app.domain.leads.campaign_leads.filters import LeadFilter
from app.domain.platform import audit_log
from app.domain.senders import accounts
from app.models.campaigns import CampaignLead
from app.models.workspaces import Workspace

BATCH = 1000
HEADER = (
    "id leadId publicId profileUrl firstName lastName headline position companyName email state connection replied"
    " sentiment messagesSent step account waiting waitingUntil error invitedAt acceptedAt repliedAt lastActionAt"
    " finishedAt"
).split()


def rows(workspace: Workspace, campaign_id: int, choice: LeadFilter | None = None) -> Iterator[list[str]]:
    """Yield the header and one row per matching person, in the order of enrolment."""
    campaign = campaigns.get(workspace, campaign_id)
    audit_log.record(workspace, "export.campaign", campaign.name)
    names = {account.id: account.name for account in accounts.every(workspace)}
    query = filters.select(workspace, campaign, choice or LeadFilter())
    yield list(HEADER)
    for batch in in_pages(query, CampaignLead.id, BATCH):
        whys = why_waiting.of_people(workspace, campaign, [person for person, _ in batch])
        made = []
        for person, lead in batch:
            why = whys[person.id]
            who = [lead.public_id, lead.profile_url, lead.first_name, lead.last_name, lead.headline, lead.position]
            stands = [person.state, person.connection, "yes" if person.replied else "no", person.sentiment]
            sender = names.get(person.account_id or person.mailbox_id or 0, "")
            moments = (
                person.invited_at,
                person.accepted_at,
                person.replied_at,
                person.last_action_at,
                person.finished_at,
            )
            made.append(
                [
                    *(person.id, person.lead_id, *who, lead.company_name, lead.email, *stands),
                    *(person.messages_sent, person.step + 1, sender, why.sentence, _moment(why.until), person.error),
                    *map(_moment, moments),
                ]
            )
        end_read()
        yield from ([text.csv_cell(str(cell)) for cell in cells] for cells in made)


def _moment(moment: datetime | None) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else ""
