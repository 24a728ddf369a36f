"""Plans, the subscription, credits and Stripe checkout."""
