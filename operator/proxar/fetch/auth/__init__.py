"""Tokens by OAuth 2.0 client credentials (RFC 6749, section 4.4), and nothing else of OAuth.

The token endpoint, scopes, resource and audience are those that a person configured. Nothing that
the MCP server says in its challenges is followed: it could name any host to fetch from, and any
scope to ask for. Here belong the request, the proof of who asks, the answer, and the tokens kept.
"""
