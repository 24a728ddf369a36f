"""Which area of the roles' table every page belongs to, and which pages want the password once more.

A page belongs to the area of its blueprint, EXCEPTIONS aside. It changes things when it is no GET, or when it is
the form of something that only some roles may do. A page without an area is refused, and a test names it. A page is
for members alone unless PUBLIC names it: whoever writes one can't forget to close it.
"""

from app.domain.workspace import roles

PUBLIC = (
    "pages.auth.",
    "pages.assets.",
    "pages.home.theme",
    "pages.invitations.",
    "pages.unsubscribing.",
)
UNASKED = ("pages.unsubscribing.",)  # forms that may come from anywhere: their secret address is the permission
AREA_OF = {
    "home": "home",
    "statistics": "home",
    "approvals": "approvals",
    "reading": "approvals",
    "conversations": "conversations",
    "files": "conversations",
    "inbox_settings": "conversations",
    "meetings": "conversations",
    "tasks": "conversations",
    "marked_answers": "conversations",
    "campaigns": "campaigns",
    "calendar": "campaigns",
    "templates": "campaigns",
    "company_holds": "campaigns",
    "blackouts": "campaigns",
    "sandbox": "campaigns",
    "lists": "lists",
    "undo": "lists",
    "monitors": "monitors",
    "enriching": "lists",
    "autopilot": "autopilot",
    "plays": "autopilot",
    "signals": "signals",
    "senders": "senders",
    "mailboxes": "senders",
    "sign_ins": "senders",
    "consents": "senders",
    "documents": "documents",
    "never_contact": "never contact",
    "contact_rules": "contact rules",
    "developers": "developers",
    "reference": "developers",
    "requests": "developers",
    "components": "own account",
    "search": "own account",
    "views": "own account",
    "notifications": "own account",
    "settings": "own account",
    "profile": "own account",
    "services": "sources",
    "crm": "sources",
    "team": "members",
    "audit": "audit log",
    "trust": "own account",
    "go_live": "workspace",
    "people_defaults": "workspace",
    "writer": "own account",  # what changes it is for server admins only
    "email_sign_in": "own account",  # for server admins only
    "system": "own account",  # and to server admins only, which is no role in a workspace
}
EXCEPTIONS = {
    "pages.approvals.switch": "campaigns",
    "pages.autopilot.connect": "sources",
    "pages.campaigns.let_in": "contact rules",
    "pages.monitors.automatic": "contact rules",
    "pages.monitors.decide": "approvals",
    "pages.autopilot.disconnect": "sources",
    "pages.sign_ins.connect": "sources",
    "pages.home.dismiss": "workspace",
    "pages.settings.release": "workspace",
    "pages.settings.place": "workspace",
    "pages.settings.workspace": "workspace",
    "pages.developers.take_over_key": "members",
    "pages.trust.save": "workspace",
    "pages.trust.export": "workspace",
    "pages.team.leave": "own account",
}
BILLING = "pages.settings.credits."
FRESH = {
    "pages.developers.create_key",
    "pages.developers.roll_key",
    "pages.developers.take_over_key",
    "pages.developers.webhooks.create",
    "pages.developers.webhooks.rotate",
    "pages.consents.begin",
    "pages.mailboxes.renew",
    "pages.autopilot.connect",
    "pages.services.connect",
    "pages.writer.set_up",
    "pages.email_sign_in.save",
    "pages.sign_ins.connect",
    "pages.settings.credits.cancel",
    "pages.settings.credits.buy",
    "pages.settings.credits.manage",
    "pages.team.invite",
    "pages.team.resend",
    "pages.team.change",
    "pages.team.grant",
    "pages.team.remove",
    "pages.team.password",
    "pages.team.two_factor",
    "pages.team.require_two_factor",
}
# What a member may open before they set up the second factor that their workspace requires.
WITHOUT_FACTOR = ("pages.profile.", "pages.settings.switch", "pages.team.leave", "pages.sandbox.card")


def public(endpoint: str) -> bool:
    """Return whether the page is public."""
    return endpoint.startswith(PUBLIC)


def area_of(endpoint: str) -> str:
    """Return the area of a page, or '' if undecided."""
    if endpoint in EXCEPTIONS:
        return EXCEPTIONS[endpoint]
    if endpoint.startswith(BILLING):
        return "billing"
    return AREA_OF.get(endpoint.split(".")[1], "")


def may(role: str, endpoint: str, change: bool = False) -> bool:
    """Return whether a role may open, or send, a page."""
    area = area_of(endpoint)
    return bool(area) and roles.may(role, area, change)
