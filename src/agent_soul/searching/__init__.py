"""Finding events by words, by date and by meaning. `finding.find` is the way in."""
