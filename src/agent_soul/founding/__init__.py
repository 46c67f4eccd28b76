"""The beginning of a hub: a new one, one taken over from elsewhere, or a copy of the template made one's own."""
