module proxar.dev/proxar/tests/e2e/web

go 1.26.0
