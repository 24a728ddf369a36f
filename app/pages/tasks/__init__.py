"""Tasks as pages: what is due, contacts that people named, and answers marked by hand."""
