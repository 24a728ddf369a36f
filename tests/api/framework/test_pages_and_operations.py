"""What a page can change, `/v1` can: by which operation, or why not. A new button needs a line here."""

from flask import Flask

from app.api.framework.declarations import ENDPOINTS

SCREEN = "it is about what a member's screen shows, or what they have typed so far"
WAY_IN = "it decides who and what may get in, which no program should widen for itself"
ADMIN = "it is the server admin's, and a key belongs to one workspace"
PERSON = "it is for the person who got the email, not for the workspace"
SANDBOX = "it plays with the sandbox"
CHECKOUT = "it leads to a payment page"
YET = "`/v1` does not have it yet"

BY_OPERATION = {
    "approvals.decide": "approvals.decide",
    "approvals.many": "approvals.bulk",
    "approvals.rewrite": "approvals.rewrite",
    "approvals.skip": "approvals.skip",
    "approvals.switch": "campaigns.change",
    "approvals.take_back": "approvals.take_back",
    "approvals.undo": "approvals.undo",
    "autopilot.aim": "autopilot.save",
    "autopilot.analyze": "autopilot.analyze",
    "autopilot.choose": "autopilot.save",
    "autopilot.correct": "autopilot.save",
    "autopilot.answer_reach": "autopilot.save",
    "autopilot.connect": "sources.connect_analytics sources.connect_payments",
    "autopilot.design": "plays.design",
    "autopilot.disconnect": "sources.disconnect_analytics sources.disconnect_payments",
    "autopilot.put": "sources.set_alerts sources.change_alerts sources.test_alert",
    "autopilot.go_on": "autopilot.save",
    "autopilot.read_now": "sources.refresh",
    "autopilot.retry": "plays.retry",
    "autopilot.start": "plays.launch",
    "autopilot.stop": "autopilot.stop",
    "autopilot.verify": "sources.verify_site",
    "autopilot.undo_correction": "autopilot.undo_correction",
    "blackouts.add": "me.replace_blackouts",
    "blackouts.remove": "me.replace_blackouts",
    "campaigns.act": "campaigns.start campaigns.pause campaigns.resume campaigns.cancel",
    "campaigns.act_on": "campaign_leads.pause campaign_leads.resume campaign_leads.stop campaign_leads.exclude",
    "campaigns.choose_variant": "campaign_statistics.choose_variant",
    "campaigns.create": "campaigns.create",
    "campaigns.delete": "campaigns.delete",
    "campaigns.duplicate": "campaigns.duplicate",
    "campaigns.join": "campaign_leads.enrol",
    "campaigns.let_in": "campaign_leads.let_in",
    "campaigns.preview": "campaign_statistics.preview",
    "campaigns.pick_winner": "campaigns.change",
    "campaigns.rename": "campaigns.change",
    "campaigns.save": "campaigns.change",
    "campaigns.save_change": "campaigns.change",
    "campaigns.save_exclusions": "campaigns.change",
    "campaigns.save_reply_rules": "campaigns.change",
    "campaigns.save_revision": "campaigns.change",
    "campaigns.change_effect": "campaign_statistics.preview_changes",
    "campaigns.revision_effect": "campaign_statistics.preview_changes",
    "campaigns.undo_change": "campaign_statistics.undo_revision",
    "campaigns.undo_variant": "campaign_statistics.undo_variant",
    "company_holds.decide": "campaign_leads.decide_company_hold",
    "company_holds.undo": "campaign_leads.undo_company_decision",
    "crm.follow": "crm.follow",
    "crm.read": "crm.sync",
    "crm.retry": "crm.retry",
    "crm.save": "crm.change",
    "crm.unfollow": "crm.unfollow",
    "conversations.assign": "conversations.assign",
    "conversations.delete_note": "conversations.delete_note",
    "conversations.done": "conversations.mark_done",
    "conversations.meeting": "conversations.book conversations.unbook",
    "conversations.mute": "conversations.mute conversations.unmute",
    "conversations.never_contact": "never_contact.add",
    "conversations.note": "conversations.add_note",
    "conversations.remind": "conversations.remind",
    "conversations.reopen": "conversations.reopen",
    "conversations.retry": "conversations.retry conversations.discard",
    "conversations.send": "conversations.send",
    "conversations.stop": "campaign_leads.stop",
    "conversations.tags": "leads.set_tags",
    "conversations.tone": "conversations.classify",
    "conversations.unread": "conversations.unread",
    "developers.webhooks.create": "webhooks.create",
    "developers.webhooks.delete": "webhooks.delete",
    "developers.webhooks.redeliver": "webhooks.redeliver",
    "developers.webhooks.replay": "webhooks.replay",
    "developers.webhooks.resend_failed": "webhooks.gaps_page webhooks.redeliver",
    "developers.webhooks.rotate": "webhooks.rotate_secret",
    "developers.webhooks.send_test": "webhooks.send_test",
    "developers.webhooks.switch": "webhooks.update",
    "developers.webhooks.update": "webhooks.update",
    "documents.restore": "docs.restore",
    "documents.rules": "autopilot.set_rules",
    "documents.save": "docs.save",
    "enriching.cancel": "enrichment.cancel",
    "enriching.start": "enrichment.start",
    "inbox_settings.add": "conversations.add_snippet",
    "inbox_settings.change": "conversations.change_snippet",
    "inbox_settings.remove": "conversations.delete_snippet",
    "learnt.decide": "autopilot.accept autopilot.put_off autopilot.decline",
    "learnt.take_back": "autopilot.take_back",
    "learnt.take_ranking_back": "autopilot.take_ranking_back",
    "lists.add_person.add": "lists.add_leads",
    "lists.change": "list_leads.tag list_leads.remove list_leads.block_leads",
    "lists.changes.undo": "list_leads.tag list_leads.restore list_leads.unblock campaign_leads.exclude",
    "lists.companies.find": "lists.find_people",
    "lists.companies.paste": "lists.add_companies",
    "lists.companies.remove": "lists.remove_companies",
    "lists.companies.restore": "lists.restore_companies",
    "lists.create": "lists.create",
    "lists.delete": "lists.delete",
    "lists.imports.cancel": "imports.cancel",
    "lists.imports.paste": "lists.add_leads",
    "lists.imports.start": "imports.start",
    "lists.imports.upload": "imports.start",
    "lists.merging.apart": "people.tell_apart",
    "lists.merging.merge": "people.merge_other",
    "lists.merging.together": "people.suggest_again",
    "lists.merging.undo": "people.unmerge",
    "lists.people.change": "leads.change",
    "lists.people.company": "people.set_company",
    "lists.people.erase": "leads.erase",
    "lists.people.never_contact": "never_contact.add",
    "lists.people.tags": "leads.set_tags",
    "lists.save": "lists.rename",
    "lists.searches.cancel": "imports.cancel_search",
    "lists.searches.start": "imports.start_search",
    "lists.undo": "list_leads.restore list_leads.unblock",
    "marked_answers.mark": "people.mark",
    "marked_answers.undo": "people.mark",
    "meetings.assign": "meetings.assign",
    "meetings.dismiss": "meetings.dismiss",
    "monitors.automatic": "monitors.change",
    "monitors.create": "monitors.create",
    "monitors.decide": "monitors.decide",
    "monitors.delete": "monitors.delete",
    "monitors.move": "monitors.pause monitors.resume monitors.run",
    "monitors.save": "monitors.change",
    "never_contact.add": "never_contact.add",
    "never_contact.remove": "never_contact.remove",
    "never_contact.restore": "never_contact.add",
    "plays.act": "plays.build plays.retry plays.stop plays.skip",
    "plays.approve": "plays.approve",
    "plays.ask": "plays.ask",
    "plays.design": "plays.design",
    "plays.forget": "plays.delete_template",
    "plays.launch": "plays.launch",
    "plays.put": "plays.edit",
    "plays.save_template": "plays.save_template",
    "plays.use": "plays.apply_template",
    "plays.vote": "plays.vote",
    "plays.whole": "autopilot.pause autopilot.resume",
    "reading.approve": "approvals.bulk",
    "senders.add_absence": "accounts.change accounts.mailbox_change",
    "senders.remove_absence": "accounts.change accounts.mailbox_change",
    "senders.save": "accounts.change accounts.mailbox_change",
    "senders.switch": "accounts.change accounts.mailbox_change",
    "services.check": "services.check",
    "services.connect": "services.connect",
    "services.disconnect": "services.disconnect",
    "settings.credits.cancel": "billing.cancel",
    "settings.credits.extend": "billing.extend_trial",
    "settings.credits.renew": "billing.renew",
    "settings.credits.undo": "billing.undo_cancel",
    "signals.look_up": "signals.look_up",
    "tasks.add": "tasks.add_referral",
    "tasks.done": "tasks.finish",
    "tasks.later": "tasks.put_off",
    "tasks.remove": "tasks.delete",
    "tasks.reopen": "tasks.reopen",
}
LEFT_OUT = {
    SCREEN: """approvals.keep approvals.reset autopilot.dismiss_model conversations.keep home.dismiss home.theme
        inbox_settings.save_mine lists.companies.chosen settings.show_like settings.switch views.delete views.save""",
    WAY_IN: """auth.create auth.logout auth.prove auth.send_link auth.sign_in developers.create_key
        developers.revoke_key
        developers.roll_key developers.take_over_key invitations.join invitations.set_password profile.change_password
        profile.end profile.renew_codes profile.save profile.sign_out_everywhere profile.turn_off profile.turn_on
        team.change team.grant team.invite team.leave team.password team.remove team.resend team.two_factor
        team.withdraw""",
    ADMIN: """settings.release writer.measure writer.measure_fixed writer.price writer.remove writer.set_up
        writer.switch writer.test""",
    PERSON: "unsubscribing.come_back unsubscribing.leave",
    SANDBOX: """go_live.copy go_live.create go_live.decide go_live.finish go_live.first go_live.limits go_live.skip
        sandbox.approve sandbox.skip sandbox.stop sandbox.watch""",
    CHECKOUT: "settings.credits.buy settings.credits.manage",
    YET: """consents.begin contact_rules.reset contact_rules.save inbox_settings.save mailboxes.records
        mailboxes.renew people_defaults.save senders.create senders.put_away senders.read senders.reconnect
        services.ask_model services.move settings.workspace sign_ins.begin sign_ins.cancel trust.save""",
}


def test_every_change_of_a_page_has_an_operation_or_a_reason(app: Flask) -> None:
    rules = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    pages = {rule.endpoint.removeprefix("pages.") for rule in rules if rule.endpoint.startswith("pages.")}
    left_out = [name for names in LEFT_OUT.values() for name in names.split()]
    assert sorted({*BY_OPERATION, *left_out} - pages) == []
    assert sorted(pages - {*BY_OPERATION, *left_out}) == []
    assert len(left_out) == len(set(left_out)) == len(set(left_out) - BY_OPERATION.keys())


def test_the_operations_that_are_named_exist() -> None:
    known = {one.name for one in ENDPOINTS}
    named = {name for names in BY_OPERATION.values() for name in names.split()}
    assert sorted(named - known) == []
