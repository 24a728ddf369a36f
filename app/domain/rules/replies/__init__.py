"""Replies: their tone, absences and wishes to hear nothing more, in seven languages."""
