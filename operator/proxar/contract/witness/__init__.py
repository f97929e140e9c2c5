"""Witnesses: arguments that were valid before a change and are not any more.

A verdict says that calls may break; a witness is one that does. It is built from what the schemas
say around the change, small values first, and shown only after the validator has said yes on the
old side and no on the new one. So it may be missing, and it is never wrong.
"""

from proxar.contract.witness.witness import explained, with_witnesses, witness

__all__ = ["explained", "with_witnesses", "witness"]
