"""Third-party records read as the events of one hub, a function for each folder of them."""
