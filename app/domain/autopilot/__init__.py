"""From a website to launched plays: setup, stages, plays, samples, documents, templates, sources and alerts."""
