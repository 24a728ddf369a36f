"""Tasks: what follows an answer, such as a date to come back, a contact that was named, an answer marked by hand."""
