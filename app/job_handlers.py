"""Background job handlers: which function does the jobs of each kind, and which is called when one failed for good."""

from collections.abc import Mapping

from app.domain.autopilot import (
    launch,
    play_build,
    play_changes,
    play_design,
    setup_stages,
    source_sync,
)
from app.domain.autopilot.research import openers, reply_drafts
from app.domain.billing import stripe_checkout
from app.domain.campaigns import bulk_changes
from app.domain.campaigns.forecasts import forecast
from app.domain.campaigns.simulation import kept_forecasts
from app.domain.conversations import inbox
from app.domain.engine import test_send
from app.domain.engine.inbound import provider_webhooks
from app.domain.enrichment import address_checks, enrichment
from app.domain.installation.go_live import sandbox_copy
from app.domain.installation.sandbox import sandbox_clock
from app.domain.leads import block, csv_import, lists, merge_people, removals, search_import, tags
from app.domain.leads.campaign_leads import company_decisions
from app.domain.notifications import alerts
from app.domain.people.exclusions import never_contact
from app.domain.platform import model_choice
from app.domain.platform.jobs import Kind
from app.domain.privacy import erasure
from app.domain.senders import domain_check, hosted_sign_in
from app.domain.workspace import passwords, user_emails

UNDOABLE = (
    *(removals.PEOPLE, removals.COMPANIES, merge_people.MERGED, block.BLOCKED, tags.TAGGED),
    *(bulk_changes.MOVED, bulk_changes.JOINED, company_decisions.DECIDED, inbox.MOVED, play_changes.CHANGED),
)
HANDLERS: Mapping[str, Kind] = {
    "lead_import": Kind(csv_import.import_rows, failed=csv_import.fail_import, asked=True),
    search_import.KIND: Kind(search_import.read_next, failed=search_import.fail_import, asked=True),
    "delete_list": Kind(lists.delete_rest, asked=True),
    bulk_changes.KIND: Kind(bulk_changes.go_on, failed=bulk_changes.fail, asked=True),
    never_contact.LEAVING: Kind(block.take_out_of_campaigns),
    "erase": Kind(erasure.erase_rest),
    erasure.WIPE: Kind(erasure.wipe),
    "enrichment": Kind(enrichment.look_up, failed=enrichment.fail_run, asked=True),
    address_checks.KIND: Kind(address_checks.go_on, asked=True),
    model_choice.KIND: Kind(model_choice.run_test, failed=model_choice.fail_test),
    domain_check.KIND: Kind(domain_check.check_queued),
    "sign_in": Kind(hosted_sign_in.finish_named),
    "sender_stands": Kind(provider_webhooks.refresh_sender),
    "password_mail": Kind(passwords.mail_link),
    user_emails.LINK: Kind(user_emails.mail_link),
    user_emails.NOTICE: Kind(user_emails.mail_notice),
    stripe_checkout.KIND: Kind(stripe_checkout.sync_subscription),
    test_send.KIND: Kind(test_send.run, asked=True),
    kept_forecasts.KIND: Kind(forecast.keep),
    alerts.KIND: Kind(alerts.send_alert),
    sandbox_clock.KIND: Kind(sandbox_clock.continue_forward),
    sandbox_copy.KIND: Kind(sandbox_copy.copy_next, failed=sandbox_copy.fail),
    source_sync.KIND: Kind(source_sync.sync, failed=source_sync.fail_sync),
    "autopilot_profile": Kind(setup_stages.analyze_business, failed=setup_stages.fail_stage),
    "autopilot_targets": Kind(setup_stages.define_audience, failed=setup_stages.fail_stage),
    "autopilot_plays": Kind(play_design.design_plays, failed=setup_stages.fail_stage),
    "autopilot_build": Kind(play_build.build_play, failed=play_build.fail_build),
    "autopilot_change": Kind(play_changes.change_steps, failed=play_changes.answer),
    play_build.SHARPEN: Kind(play_build.improve_search, failed=play_build.fail_search),
    openers.KIND: Kind(openers.write),
    reply_drafts.KIND: Kind(reply_drafts.write),
    "autopilot_launch": Kind(launch.start_campaign, failed=launch.fail_launch),
    **{one.kind: Kind(one.end) for one in UNDOABLE},
}
