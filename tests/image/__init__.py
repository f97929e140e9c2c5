"""The image: built from the Dockerfile without a network, and held to what it promises.

Linux and root, and nowhere else: conftest.py keeps pytest from looking into this folder where an
image can be neither built nor run, and ``python -m tests.image`` says why.
"""
