"""The command line of poprun, and the file that keeps one for the next time."""
import argparse
import json
import os
import re
import shlex

from .errors import UsageError

# Not kept in a file of options: what handles that file, and what asks for something else than a
# job.
NOT_KEPT = {"import_config", "export_config", "overwrite_config", "help", "version", "version_format", "program"}


EPILOG = """\
Examples:
  four instances, each of which runs four of sixteen replicas:
  poprun --num-replicas 16 --num-instances 4 python3 train.py --epochs 2

The IPUs come from the V-IPU server, else from the cluster $COPSE_CLUSTER; else
poprun starts as many on this machine. docs/launching.md describes all of this.
"""


def boolean(text):
    """Accepts 1, yes, true, on and their opposites, as poprun writes them."""
    word = text.lower()
    if word in ("1", "yes", "true", "on", "y"):
        return True
    if word in ("0", "no", "false", "off", "n"):
        return False
    raise argparse.ArgumentTypeError(f"'{text}' is neither yes nor no")


def parser():
    p = argparse.ArgumentParser(prog="poprun", allow_abbrev=False, usage="poprun [options] program [arguments]",
                                description="Starts a program as several instances, each of which runs some of its replicas.",
                                epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--version", action="store_true", help="print the version")
    p.add_argument("--version-format", choices=["text", "json", "full-text", "full-json"], default="text",
                   help="form of --version")
    p.add_argument("--import-config", metavar="FILE", help="read options from this file; those of the command line count more")
    p.add_argument("--export-config", metavar="FILE", help="write the options to this file")
    flag(p, "--overwrite-config", False, "let --export-config replace a file")

    job = p.add_argument_group("the job")
    job.add_argument("-H", "--host", metavar="LIST", help="hosts of the instances: host0,host1 or host[0-2,4]")
    job.add_argument("--hostfile", metavar="FILE", help="file of the hosts, one a line ($OMPI_MCA_orte_default_hostfile)")
    job.add_argument("--num-replicas", type=int, default=1, metavar="N", help="replicas of all instances (1)")
    job.add_argument("--ipus-per-replica", type=int, default=1, metavar="N", help="IPUs of a replica (1)")
    job.add_argument("--num-instances", type=int, default=1, metavar="N", help="instances, among which replicas are divided (1)")
    job.add_argument("--num-ilds", type=int, metavar="N", help="IPU-Link domains (as many as the IPUs need)")

    vipu = p.add_argument_group("V-IPU")
    vipu.add_argument("--vipu-server-host", metavar="HOST", help="host of the V-IPU server (localhost)")
    vipu.add_argument("--vipu-server-port", type=int, metavar="PORT", help="port of the V-IPU server (8090)")
    vipu.add_argument("--vipu-server-timeout", type=float, metavar="SECONDS", help="longest wait for the V-IPU server (120)")
    vipu.add_argument("--vipu-partition", metavar="NAME", help="use this partition, or create it")
    vipu.add_argument("--vipu-partition-attempts", type=int, default=1, metavar="N", help="attempts to get the partition (1)")
    vipu.add_argument("--vipu-allocation", metavar="NAME", help="create the partition in this allocation")
    vipu.add_argument("--vipu-cluster", metavar="NAME", help="create the partition in this cluster (use --vipu-allocation)")
    flag(vipu, "--update-partition", False, "replace a partition that does not fit the job")
    flag(vipu, "--reset-partition", None, "reset the partition first (by default, those that are not reconfigurable)")
    flag(vipu, "--remove-partition", True, "remove a partition that poprun has created")

    how = p.add_argument_group("how instances are started")
    how.add_argument("--executable-cache-path", metavar="DIRECTORY", help="directory of caches of compiled programs")
    how.add_argument("--mpi-global-args", metavar="WORDS", default="", help="options of mpirun for the whole job")
    how.add_argument("--mpi-local-args", metavar="WORDS", default="", help="options of mpirun for each instance: -x NAME=VALUE")
    flag(how, "--numa-aware", False, "bind instances to NUMA nodes, round robin")
    how.add_argument("--host-subnet", metavar="NETWORK", help="network between hosts, such as 10.1.0.0/16")
    flag(how, "--offline-mode", False, "start instances without IPUs")
    flag(how, "--allow-run-as-root", False, "let root start instances")

    out = p.add_argument_group("output")
    flag(out, "--print-topology", False, "print where replicas and instances are")
    out.add_argument("--only-output-from-instance", type=int, metavar="N", help="print what this instance prints only")
    out.add_argument("-v", "--verbose", action="count", default=0, help="print what is done")
    out.add_argument("--vv", dest="very_verbose", action="store_true", help="print it in detail")
    p.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return p


def flag(group, name, default, text):
    word = {True: " (yes)", False: " (no)", None: ""}[default]
    group.add_argument(name, type=boolean, nargs="?", const=True, default=default, metavar="yes|no", help=text + word)


def parse(arguments):
    """Returns the options of a command line; they override the options of --import-config's file."""
    p = parser()
    options = p.parse_args(_with_values(arguments))
    if options.import_config:
        kept = _read(options.import_config, p)
        p.set_defaults(**{name: value for name, value in kept.items() if name != "program"})
        options = p.parse_args(_with_values(arguments))
        options.program = options.program or kept.get("program", [])
    if options.program[:1] == ["--"]:
        options.program = options.program[1:]
    if options.very_verbose:
        options.verbose = max(options.verbose, 2)
    if options.host and options.hostfile:
        raise UsageError("--host and --hostfile exclude each other")
    if options.export_config:
        _write(options)
    return options


def _with_values(arguments):
    """Gives every switch a value of its own, since one without would take the program's name for it."""
    switches = {name for action in parser()._actions if action.type is boolean for name in action.option_strings}
    words = []
    for place, word in enumerate(arguments):
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        if word in switches and not re.fullmatch("(?i)[01yn]|yes|no|true|false|on|off", following):
            word += "=yes"
        words.append(word)
        if not word.startswith("-") and not (place and _takes_value(arguments[place - 1], switches)):
            return words + list(arguments[place + 1:])  # the program, and what is its own
    return words


def _takes_value(word, switches):
    if word in switches:
        return True
    for action in parser()._actions:
        if word in action.option_strings:
            return action.nargs is None
    return False


def _read(path, p):
    try:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
    except OSError as error:
        raise UsageError(f"--import-config {path}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"--import-config {path}: this is no file of poprun's options: {error}") from None
    types = {action.dest: action for action in p._actions}
    if not isinstance(kept, dict):
        raise UsageError(f"--import-config {path}: this is no file of poprun's options")
    for name, value in kept.items():
        if name not in types or name in NOT_KEPT - {"program"}:
            raise UsageError(f"--import-config {path}: poprun has no option '{name}'")
        wanted = {"program": list, "verbose": int, "very_verbose": bool}.get(name) or _type_of(types[name])
        if value is not None and (not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool)):
            raise UsageError(f"--import-config {path}: '{name}' is {json.dumps(value)}")
    return kept


def _type_of(action):
    return {boolean: bool, int: int, float: (int, float), None: str}[action.type]


def _write(options):
    if os.path.exists(options.export_config) and not options.overwrite_config:
        raise UsageError(f"--export-config {options.export_config}: the file is there; replace it with --overwrite-config yes")
    kept = {name: value for name, value in vars(options).items() if name not in NOT_KEPT or name == "program"}
    try:
        with open(options.export_config, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2, sort_keys=True)
            file.write("\n")
    except OSError as error:
        raise UsageError(f"--export-config {options.export_config}: {error.strerror}") from None


def words_of(text, option):
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
