"""Meetings that people booked: told by Cal.com or Calendly, or marked by hand, and what follows."""
