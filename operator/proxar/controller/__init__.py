"""The level-triggered reconcile of MCPServers.

    watch -> `queue` -> `reconcile`: observe (fetch) -> gather (stored lists) -> `plan` (pure) ->
    `apply` (write)

All decisions are in `plan` and the modules that it uses (`baseline`, `confirm`, `conditions`,
`events`): functions of gathered data and a `now`, without I/O or a clock. kopf is imported by
`operator` alone; it is the informer and the life cycle, nothing else.
"""
