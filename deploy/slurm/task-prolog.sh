#!/bin/sh
# TaskProlog of slurm.conf: sets the variables by which the programs of a job find its IPUs.
PATH=/opt/copse/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec copse-slurm task-prolog --directory "${COPSE_SLURM_DIRECTORY:-/shared/copse}"
