"""Messages that a person writes by hand."""
