#!/bin/sh
# Prolog of slurm.conf: starts the ipuds of a job's IPUs on this node, as the user of the job. A
# failure drains the node, and slurmd's log has the reason.
PATH=/opt/copse/bin:/usr/sbin:/usr/bin:/sbin:/bin # where Copse is installed comes first
exec copse-slurm prolog --directory "${COPSE_SLURM_DIRECTORY:-/shared/copse}"
