"""Lint of one tool list, module by module."""
