"""Alerts, notifications and dashboards, on the real Prometheus and Alertmanager."""
