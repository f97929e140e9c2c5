"""How Kubernetes is read and written.

Belongs here: the API client, paths and verbs, the snapshot store, Events, status apply, and the
cleaning of every server-supplied string on its way into the API. Not here: any decision about what
to write (that is `proxar.controller`), and kopf.
"""
