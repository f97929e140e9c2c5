"""Real MCP servers from the package registries, run as processes on loopback ports.

Each is pinned with hashes, installed on first use into the user's cache, and kept apart from the
libraries of Proxar: two of them could not even share one environment. What a test expects of their
tools is no business of this package.
"""
