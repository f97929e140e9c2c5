"""A real Kubernetes for the tests and the demo: how it is built, started, used and stopped.

Only the standard library and pip are needed, and no privilege, but for ``node``, where pods run.
What is put *into* the cluster (the CRD, the chart's RBAC, MCP servers) is no business of this
package; see ``tests.support``.
"""
