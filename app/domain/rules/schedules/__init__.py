"""Schedules: working hours, public holidays, blackout dates, absences, and where people are. Pure."""
