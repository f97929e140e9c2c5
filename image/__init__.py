"""What the Dockerfile runs in its build stage, with the Python of the base image.

Nothing of it is in the image, and nothing of Proxar is imported here.
"""
