"""What comes in: replies, acceptances, bounces, provider webhooks."""
