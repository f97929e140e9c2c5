"""End-to-end tests: pods that run on a real node, and Proxar as its users get it."""
