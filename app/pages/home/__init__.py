"""The home page and the search of the whole workspace."""
