"""Campaign leads: one lead in one campaign."""
