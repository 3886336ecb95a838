"""The commands that start and manage jobs on emulated IPUs: poprun, vipu, vipu-server and others."""
