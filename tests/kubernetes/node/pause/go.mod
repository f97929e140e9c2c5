module proxar.dev/proxar/tests/kubernetes/node/pause

go 1.26.0
