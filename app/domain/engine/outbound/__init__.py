"""From the next step of a lead to its result in the ledger."""
