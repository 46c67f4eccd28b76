"""One soul, many bodies: a memory that all of a person's agents share, kept in Git."""

__version__ = "0.1.0"
