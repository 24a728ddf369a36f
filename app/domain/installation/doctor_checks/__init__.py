"""The doctor's larger checks, which `doctor` runs beside its own."""
