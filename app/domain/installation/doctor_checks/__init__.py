"""What the doctor looks at, beside the checks of its own module."""
