"""The command line, `proxar` and `kubectl-proxar`: one module per verb, thin.

A verb reads what was typed, asks the other folders, and prints. Modules are imported when their
verb is used, and a verb imports what it needs when it needs it: `proxar diff A.json B.json` is in
every build and must not wait for Kubernetes.
"""
