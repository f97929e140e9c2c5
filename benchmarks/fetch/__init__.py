"""What a look at a server costs: time, processor and memory, beside other clients."""
