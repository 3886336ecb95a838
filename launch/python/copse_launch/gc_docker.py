"""gc-docker and gc-podman: start a container whose programs find the IPUs that programs find here."""
import json
import os
import shlex
import shutil
import subprocess
import sys

from .errors import LaunchError, UsageError
from .mpirun import PASSED_ON_PREFIXES
from .tools import tool

USAGE = """\
usage: {name} [-d|--device-id ID]... [-e|--echo] -- ARGUMENTS

Starts a container as `{engine} run ARGUMENTS` does. Its programs find the IPUs that programs find here: the IPUs of the cluster
or partition that the environment names, else as many as this machine has. The image needs Copse, as copse/host has it.

  -d, --device-id ID  the IPUs of this device only, as gc-inventory prints it
  -e, --echo          print the command instead of executing it
  -h, --help          print this text
"""
# Files that variables name: the container sees their folders, for keys and sockets lie beside them.
FILES = ("COPSE_CLUSTER", "IPUOF_CONFIG_PATH")
# Variables that mean nothing in a container.
NOT_PASSED_ON = ("COPSE_CACHE_DIR", "COPSE_ROWS_DIRECTORY", *FILES)


def main(engine="docker", arguments=None):
    name = f"gc-{engine}"
    try:
        devices, echo, rest = parse(name, engine, sys.argv[1:] if arguments is None else arguments)
        if rest is None:
            return 0
        command = [engine, "run", *options_of(devices), *rest]
        if echo:
            print(shlex.join(command))
            return 0
        if not shutil.which(engine):
            raise LaunchError(f"{engine} is not installed: apt-get install {'docker.io' if engine == 'docker' else engine}")
        sys.stdout.flush()
        os.execvp(engine, command)
    except UsageError as error:
        print(f"{name}: {error}; {name} --help tells more", file=sys.stderr)
        return 2
    except (LaunchError, OSError) as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1


def parse(name, engine, words):
    """Returns the devices, whether to print the command only, and the words after `--`; None if help was printed."""
    words, devices, echo = list(words), [], False
    while words and words[0] != "--":
        word = words.pop(0)
        option, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        if option in ("-h", "--help"):
            print(USAGE.format(name=name, engine=engine), end="")
            return [], False, None
        if word in ("-e", "--echo"):
            echo = True
        elif option in ("-d", "--device-id"):
            value = value if equals else words.pop(0) if words else ""
            if not value.isdecimal():
                raise UsageError(f"'{value}' is no id of a device")
            devices.append(int(value))
        else:
            raise UsageError(f"there is no option '{word}'; arguments of {engine} follow '--'")
    if not words[1:]:
        raise UsageError(f"name the image behind '--', after the arguments of {engine} run")
    return devices, echo, words[1:]


def options_of(devices):
    """Returns the options of `docker run` that lead to the IPUs."""
    variables = {name: value for name, value in sorted(os.environ.items())
                 if name.startswith(PASSED_ON_PREFIXES) and name not in NOT_PASSED_ON}
    folders = []
    for name in FILES:
        if os.environ.get(name):
            variables[name] = path = os.path.realpath(os.environ[name])
            if not os.path.exists(path):
                raise LaunchError(f"{name} names {path}, which is not there")
            if os.path.dirname(path) not in folders:
                folders.append(os.path.dirname(path))
    partition = os.environ.get("IPUOF_CONFIG_PATH") or os.environ.get("IPUOF_VIPU_API_PARTITION_ID")
    elsewhere = partition or os.environ.get("COPSE_CLUSTER")
    if devices:
        if partition:
            raise UsageError("--device-id does not divide a partition: a container gets all IPUs of its GCD")
        ipus = ipus_of(devices)
        if elsewhere:
            variables["COPSE_CLUSTER_IPUS"] = ",".join(map(str, ipus))
        else:
            variables["COPSE_IPUS"] = str(len(ipus))
    # IPUs elsewhere are reached by this machine's names and sockets, and share memory with programs
    # of its user.
    options = ["--network=host", "--ipc=host"] if elsewhere else []
    options += [f"--volume={folder}:{folder}" for folder in folders]
    for name, value in variables.items():
        options += ["--env", f"{name}={value}"]
    return options


def ipus_of(devices):
    """Returns the numbers of the IPUs of some devices, each once."""
    listed = subprocess.run([tool("gc-info"), "--list-devices", "--json"], capture_output=True, text=True, timeout=60, check=False)
    if listed.returncode:
        raise LaunchError(listed.stderr.strip() or "gc-info has failed")
    there = {one["id"]: one["ipu_numbers"] for one in json.loads(listed.stdout)}
    for device in devices:
        if device not in there:
            raise LaunchError(f"there is no device {device}; gc-inventory lists those that there are")
    return sorted({ipu for device in devices for ipu in there[device]})
