"""Mailboxes of any provider, over SMTP and IMAP."""

from app.providers.mail.system import MailSystem

__all__ = ["MailSystem"]
