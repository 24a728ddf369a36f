"""General helpers for all other packages, without outreach logic; it imports none of those packages."""
