"""How one server is asked:

the wire, what travels on it, and the two eras' ways of asking. Nothing here decides what drift is.
"""

__all__: list[str] = []
