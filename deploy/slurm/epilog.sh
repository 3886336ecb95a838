#!/bin/sh
# Epilog of slurm.conf: ends the ipuds of a job on this node, however the job ended.
PATH=/opt/copse/bin:/usr/sbin:/usr/bin:/sbin:/bin
exec copse-slurm epilog --directory "${COPSE_SLURM_DIRECTORY:-/shared/copse}"
