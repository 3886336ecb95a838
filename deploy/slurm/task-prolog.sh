#!/bin/sh
# TaskProlog of slurm.conf: leads the programs of a job to its IPUs.
PATH=/opt/copse/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec copse-slurm task-prolog --directory "${COPSE_SLURM_DIRECTORY:-/shared/copse}"
