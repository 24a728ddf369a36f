"""One lead in one campaign: states, filters, why they wait."""
