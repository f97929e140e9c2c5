"""What tests, the demo and the Makefile share. One module, one topic; nothing here is shipped."""
