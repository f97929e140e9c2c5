"""A server of ours, and the locks of the SDK versions that run it."""
