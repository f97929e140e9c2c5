"""The promise itself, tried on thousands of generated schemas against an independent validator.

Apart from the unit tests, which should take seconds; `make test` runs both, `make fuzz` many more.
"""
