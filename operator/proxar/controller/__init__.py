"""The level-triggered reconcile of MCPServers.

    watch -> `queue` -> `reconcile`: `looking` (fetch every endpoint) -> `shelf` (stored lists) ->
    `plan` (pure) -> `apply` (write)

All decisions are in `sightings` and `plan` and the modules that these use (`observation`,
`flapping`, `evidence`, `baseline`, `consistency`, `conditions`, `announce`): functions of gathered
data and a `now`, without I/O or a clock. kopf is imported by `informer` alone; it is the informer
and the life cycle, nothing else. `listening` only makes looks come sooner.
"""
