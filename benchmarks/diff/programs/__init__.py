"""What runs in the measured processes. These are scripts: see loop.py for what they speak."""
