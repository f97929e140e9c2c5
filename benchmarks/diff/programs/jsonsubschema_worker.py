"""IBM's jsonsubschema: a proof that one schema is within another, without paths."""

import loop  # type: ignore[import-not-found]
from jsonsubschema import isSubschema  # type: ignore[import-not-found]

loop.run(loop.by_name, loop.by_containment(isSubschema))
