"""The CRM of a workspace: its contacts, lists and customers come in, what happened goes out."""
