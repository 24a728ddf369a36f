"""Connected accounts and mailboxes."""
