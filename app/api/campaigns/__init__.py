"""`/v1` of campaigns: their leads, changes and statistics."""
