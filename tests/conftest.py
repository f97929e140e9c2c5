"""The fixtures of tests with a cluster, and how many examples a property is tried on: few at each
change, many in `make fuzz`.

Without deadlines: these are promises about answers, and a busy machine is no counterexample. CI
tries the same examples each time, so that a change is judged by what it changed; every other run
looks further.
"""

import os

from hypothesis import settings

pytest_plugins = ["tests.support.clusterfixtures"]

settings.register_profile("quick", max_examples=40, deadline=None, derandomize="CI" in os.environ)
settings.register_profile("thorough", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("PROXAR_HYPOTHESIS_PROFILE", "quick"))
