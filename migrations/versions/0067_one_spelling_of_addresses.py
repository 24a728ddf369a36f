"""one spelling of addresses: do-not-contact entries of hosts that deliver several spellings to one mailbox."""

import sqlalchemy as sa
from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None

# The hosts at the time of this revision, and the one under which a mailbox is known.
SAME_HOST = {
    "googlemail.com": "gmail.com", "pm.me": "proton.me", "protonmail.com": "proton.me", "protonmail.ch": "proton.me",
    "me.com": "icloud.com", "mac.com": "icloud.com", "ya.ru": "yandex.ru", "yandex.com": "yandex.ru",
}  # fmt: skip
PLUS_HOSTS = set(
    "gmail.com outlook.com hotmail.com live.com icloud.com proton.me fastmail.com yandex.ru zoho.com msn.com hey.com "
    "tuta.com posteo.de mailbox.org".split()
)


def upgrade() -> None:
    """Give each entry the spelling under which people are looked up; the label keeps it as it was written."""
    connection = op.get_bind()
    entry = sa.table("never_contact", *map(sa.column, ("id", "workspace_id", "kind", "value")))
    query = sa.select(entry).where(entry.c.kind == "email").order_by(entry.c.id)
    rows = connection.execute(query).all()
    known = {(row.workspace_id, row.value) for row in rows}
    for row in rows:
        usual = _usual(row.value)
        if (row.workspace_id, usual) not in known:
            known.add((row.workspace_id, usual))
            connection.execute(sa.update(entry).where(entry.c.id == row.id).values(value=usual))


def downgrade() -> None:
    """Leave the entries: they block the same mailboxes."""


def _usual(address: str) -> str:
    local, _, host = address.rpartition("@")
    host = SAME_HOST.get(host, host)
    if host in PLUS_HOSTS and local.partition("+")[0]:
        local = local.partition("+")[0]
    if host == "gmail.com" and local.strip("."):
        local = local.replace(".", "")
    return f"{local}@{host}"
