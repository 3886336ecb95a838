"""poprun: starts a program as several instances, each of which runs some of its replicas."""
import json
import os
import secrets
import shlex
import signal
import subprocess
import sys

from . import job_ipus, mpirun, poprun_options
from .errors import LaunchError, UsageError
from .hosts import expand_hosts, read_host_file
from .layout import IPUS_PER_LINK_DOMAIN, lay_out, topology_box
from .log import Log
from .tools import tool


def main(arguments=None):
    try:
        return run(poprun_options.parse(sys.argv[1:] if arguments is None else arguments))
    except UsageError as error:
        print(f"poprun: {error}", file=sys.stderr)
        return 2
    except LaunchError as error:
        print(f"poprun: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # before the instances run, or after
        return 128 + signal.SIGINT


def run(options):
    if options.version:
        print_version(options.version_format)
        return 0
    if not options.program:
        raise UsageError("name the program to start, after the options; poprun --help lists these")
    log = Log("POPRUN", options.verbose)
    file = options.hostfile or ("" if options.host else os.environ.get("OMPI_MCA_orte_default_hostfile"))
    hosts = read_host_file(file) if file else expand_hosts(options.host or "localhost")
    ipus = options.num_replicas * options.ipus_per_replica
    ilds = options.num_ilds or max(1, -(-ipus // IPUS_PER_LINK_DOMAIN))
    layout = lay_out(options.num_replicas, options.ipus_per_replica, options.num_instances, hosts, ilds)
    if options.only_output_from_instance is not None and not 0 <= options.only_output_from_instance < len(layout.instances):
        raise UsageError(f"--only-output-from-instance {options.only_output_from_instance}: there are instances 0 to "
                         f"{len(layout.instances) - 1}")
    program = mpirun.find_mpirun()
    if code := mpirun.check_program(layout, options.program[0]):
        return code
    if options.print_topology or options.verbose:
        print(topology_box(layout), flush=True)
    log.debug(f"Target options from environment: {os.environ.get('POPLAR_TARGET_OPTIONS', '{}')}")
    with job_ipus.ipus_for(layout, options, log) as ipus_of:
        mark = f"poprun-exit-{secrets.token_hex(8)}"
        command = mpirun.command_for(program, layout, options, ipus_of, mark)
        log.info(f"Running {shlex.join(command)}")
        return mpirun.Job(command, layout, mark, options.only_output_from_instance).run()


def print_version(form):
    try:
        copse = subprocess.run([tool("copse"), "--version"], capture_output=True, text=True, timeout=30, check=False)
        version = copse.stdout.strip()
    except LaunchError:
        version = "unknown"
    parts = {"poprun": version}
    if form.startswith("full"):
        mpi = subprocess.run([mpirun.find_mpirun(), "--version"], capture_output=True, text=True, timeout=30, check=False)
        parts.update(popdist=version, mpirun=mpi.stdout.splitlines()[0] if mpi.stdout else "unknown")
    if form.endswith("json"):
        print(json.dumps(parts))
    else:
        print("\n".join(f"{name} {value}" for name, value in parts.items()))
