"""A server of ours, and the locks of the FastMCP versions that run it."""
