"""Servers that are commands: MCP over a process's standard input and output.

For the command line only; the operator starts no process that a user names.
"""

from proxar.fetch.stdio.command import fetch_command

__all__ = ["fetch_command"]
