"""A node for the control plane: pods that really run, Services and names that really route.

Linux and root. Everything runs in namespaces of its own (network, mounts, processes) that end with
their first process, and that one ends with its owner: so nothing outlives a killed test run, and no
packet finds a way out. ``node.py`` is what tests use; ``warden.py`` is where it begins and ends.
"""
