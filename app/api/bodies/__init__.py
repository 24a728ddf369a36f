"""Bodies of requests that several endpoints share, or that fill a module of their own."""
