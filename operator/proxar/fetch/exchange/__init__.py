"""How one server is asked: the wire, what travels on it, and the two eras' ways of asking.

`sse` and `messages` are pure; only `http` touches a transport.
"""

__all__: list[str] = []
