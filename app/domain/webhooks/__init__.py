"""Events and their delivery: endpoints, dispatcher, retries, delivery log."""
