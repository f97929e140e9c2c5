"""Proxar and its peers on the same pairs of tool lists: time, and how far their verdicts agree."""
