"""poprun, vipu, vipu-server and their kin: what starts and manages jobs on emulated IPUs."""
