"""Proxar's main job, end to end, on a Kubernetes of its own: `make demo`.

It doubles as a tutorial: what it prints behind a `$` is what runs. Nothing here is used by Proxar
itself, and nothing outlives the demo.
"""
