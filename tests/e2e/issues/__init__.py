"""The MCP server that the end-to-end tests watch, and its image."""
