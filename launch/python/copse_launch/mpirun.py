"""Starts the instances of a job through Open MPI's mpirun, passes on what they print, and says which one failed."""
import collections
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

from .errors import LaunchError, UsageError
from .layout import LOCAL
from .lifetime import ending_with_parent
from .poprun_options import words_of
from .tagged_output import TaggedOutput

INSTALL = "Open MPI's mpirun, which starts the instances, is not installed: apt-get install openmpi-bin"
# mpirun passes these to other hosts only if it is told to.
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH")
PASSED_ON_PREFIXES = ("COPSE_", "POPLAR_", "IPUOF_", "GCL_", "POPART_", "POPTORCH_", "TF_POPLAR_", "PVTI_", "VIPU_CLI_")
LINES_KEPT = 20  # lines of an instance whose output is not shown, for the case that it fails

CHUNK = 1 << 16
LONGEST_START = 120  # until all instances have begun [s]
LONGEST_END = 10  # time that mpirun gets to end after a signal [s]
# mpirun does not always say which process has failed, and with which code; and if ssh has failed,
# mpirun sometimes does not end. So a shell says that the instance has begun, waits for it, and says
# how it has failed.
WAITER = 'mark=$1; shift; echo "$mark" >&2; "$@"; code=$?; [ $code -eq 0 ] || echo "$mark $code" >&2; exit $code'
NO_SUCH_COMMAND = 127  # as shells say it


def find_mpirun():
    path = shutil.which("mpirun")
    if not path:
        raise LaunchError(INSTALL)
    try:
        says = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except subprocess.TimeoutExpired:
        raise LaunchError(f"{path} --version does not end") from None
    if "Open MPI" not in says:
        raise LaunchError(f"{path} is not Open MPI's; poprun needs that one: apt-get install openmpi-bin")
    return path


def environment_of_mpirun():
    """Returns this process's environment with defaults for ssh: mpirun waits for it without a deadline, a password cannot be typed, and
    hosts are called by the names that the user has given, unless Slurm names them."""
    defaults = {"OMPI_MCA_plm_rsh_args": "-o BatchMode=yes -o ConnectTimeout=20"}
    if "SLURM_JOB_ID" not in os.environ:
        defaults["OMPI_MCA_orte_keep_fqdn_hostnames"] = "1"
    return {**defaults, **os.environ}


def instance_environment(layout, instance, options):
    """Returns the variables of PopDist."""
    variables = {
        "POPDIST_NUM_TOTAL_REPLICAS": layout.replicas,
        "POPDIST_NUM_IPUS_PER_REPLICA": layout.ipus_per_replica,
        "POPDIST_NUM_LOCAL_REPLICAS": instance.replicas,
        "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE": 1,
        "POPDIST_REPLICA_INDEX_OFFSET": instance.first_replica,
        "POPDIST_LOCAL_INSTANCE_INDEX": instance.local_index,
        "IPUOF_LOG_LEVEL": os.environ.get("IPUOF_LOG_LEVEL", "WARN"),
    }
    if options.executable_cache_path:
        path = os.path.abspath(options.executable_cache_path)
        flags = os.environ.get("TF_POPLAR_FLAGS", "")
        variables.update(COPSE_CACHE_DIR=path, POPART_CACHE_DIR=path, POPTORCH_CACHE_DIR=path,
                         TF_POPLAR_FLAGS=f"{flags} --executable_cache_path={path}".strip())
    return {name: str(value) for name, value in variables.items()}


def command_for(mpirun, layout, options, ipus_of, mark):
    """The command line of mpirun: what counts for the job, then an application of one process for each instance, which prints
    the mark and its exit code if it fails."""
    command = [mpirun, "--tag-output", "--oversubscribe", "--bind-to", "none"]
    if os.geteuid() == 0:
        if not options.allow_run_as_root and os.environ.get("OMPI_ALLOW_RUN_AS_ROOT") != "1":
            raise UsageError("mpirun does not like to be run by root; if you must, give --allow-run-as-root yes")
        command.append("--allow-run-as-root")
    if options.host_subnet:
        command += ["--mca", "btl_tcp_if_include", options.host_subnet, "--mca", "oob_tcp_if_include", options.host_subnet]
    command += [word for word in words_of(options.mpi_global_args, "--mpi-global-args") if word != "--tag-output"]
    local = words_of(options.mpi_local_args, "--mpi-local-args")
    only_here = set(layout.hosts) <= LOCAL
    for instance in layout.instances:
        if instance.index:
            command.append(":")
        command += ["-np", "1"]
        if not only_here:
            command += ["--host", instance.host]
        variables = {**instance_environment(layout, instance, options), **ipus_of(instance)}
        for name in sorted(os.environ):
            if name not in variables and (name in PASSED_ON or name.startswith(PASSED_ON_PREFIXES)):
                command += ["-x", name]
        for name, value in variables.items():
            command += ["-x", f"{name}={value}"]
        command += local + _binding(instance, options) + _waited_for(instance, mark, options.program)
    return command


def _waited_for(instance, mark, program):
    """The program of an instance, and the shell that waits for it. On other hosts, the daemons of mpirun end both when they lose
    mpirun; here, mpirun itself starts them, and does not end them if it is killed, or if its output is no longer read."""
    def tied(command):
        return ending_with_parent("KILL", command) if instance.host in LOCAL else command
    return tied(["sh", "-c", WAITER, "sh", mark, *tied(program)])


def _binding(instance, options):
    if not options.numa_aware:
        return []
    if not shutil.which("numactl"):
        raise LaunchError("--numa-aware binds instances with numactl, which is not installed: apt-get install numactl")
    nodes = len([name for name in os.listdir("/sys/devices/system/node") if re.fullmatch(r"node\d+", name)]) or 1
    node = instance.local_index % nodes
    return ["numactl", f"--cpunodebind={node}", f"--preferred={node}"]


class Job:
    """Runs mpirun, passes on what the instances print, and keeps mpirun's own words apart: they are shown if nothing better is
    known of a failure."""

    def __init__(self, command, layout, mark, only_instance=None):
        self.layout, self.only = layout, only_instance
        self.mark = mark.encode()
        self.words = []  # mpirun's own
        self.begun = set()  # instances
        self.failed = []  # (instance, exit code), the first one first: mpirun ends the others
        self.hidden = collections.defaultdict(lambda: collections.deque(maxlen=LINES_KEPT))
        try:
            self.process = subprocess.Popen(ending_with_parent("TERM", command), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            stdin=subprocess.DEVNULL, env=environment_of_mpirun())
        except OSError as error:
            raise LaunchError(f"{command[0]}: {error.strerror}") from None

    def run(self):
        """Returns the exit code: 0, or the code of the first instance that failed, or 128 and the signal that ended it."""
        before = {number: signal.signal(number, self._pass_on) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
        try:
            readers = [threading.Thread(target=self._relay, args=pair, daemon=True) for pair in
                       ((self.process.stdout, sys.stdout.buffer, b"stdout"), (self.process.stderr, sys.stderr.buffer, b"stderr"))]
            for reader in readers:
                reader.start()
            code = self._end()
            for reader in readers:
                reader.join(5)  # a process that an instance has left behind may hold the pipe open
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return self._explain(code if code >= 0 else 128 - code)

    def _end(self):
        """Returns the exit code of mpirun, which is ended if not all instances begin in time."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self.process.wait(LONGEST_START)
        silent = [instance for instance in self.layout.instances if instance.index not in self.begun]
        if silent:
            say(f"instance {silent[0].index} on {silent[0].host} has not begun within {LONGEST_START} s")
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.process.wait(LONGEST_END)
            self.process.kill()
        return self.process.wait()

    def _pass_on(self, number, _):
        if self.process.poll() is None:
            self.process.send_signal(number)

    def _relay(self, source, sink, name):
        output = TaggedOutput()
        while chunk := os.read(source.fileno(), CHUNK):
            if not self._pass(output.feed(chunk), sink, name):
                return
        self._pass(output.end(), sink, name)

    def _pass(self, lines, sink, name):
        """Prints lines behind the number of their instance. Returns False if they are no longer read."""
        for instance, line in lines:
            if instance is None:
                self.words.append(line.decode(errors="replace"))
                continue
            if self.mark in line:
                line, _, code = line.partition(self.mark)
                if code.strip():
                    self.failed.append((instance, int(code)))
                else:
                    self.begun.add(instance)
                if not line:
                    continue
                line += b"\n"
            line = b"[1,%d]<%s>:%s" % (instance, name, line.replace(b"\r\n", b"\n"))
            if self.only is not None and instance != self.only:
                self.hidden[instance].append(line)
                continue
            try:
                sink.write(line)
                sink.flush()
            except BrokenPipeError:  # as a program of one process, end
                self.process.terminate()
                return False
        return True

    def _explain(self, code):
        """Says which instance failed, and returns the exit code of poprun."""
        if self.failed:
            instance, code = self.failed[0]
            for line in self.hidden.get(instance, ()):
                sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
            others = "; the other instances were ended" if len(self.layout.instances) > 1 else ""
            say(f"instance {instance} on {self.layout.instances[instance].host} {_how(code)}{others}")
        elif code:
            sys.stderr.write("".join(self.words))
            others = [host for host in dict.fromkeys(self.layout.hosts) if host not in LOCAL]
            say(f"mpirun ended with exit code {code}" + (f" before all instances ran on {', '.join(others)}; the reason is above. ssh {others[0]} "
                                                        "true must succeed without a password" if others else ""))
        return code


def say(text):
    print(f"poprun: {text}", file=sys.stderr, flush=True)


def _how(code):
    try:
        return f"was killed by signal {code - 128} ({signal.strsignal(code - 128)})" if code > 128 else f"ended with exit code {code}"
    except ValueError:
        return f"ended with exit code {code}"


def check_program(layout, program):
    """Instances on this host need a program that is there; other hosts tell themselves."""
    if set(layout.hosts) <= LOCAL and not shutil.which(program):
        say(f"there is no program {program} on this host")
        return NO_SUCH_COMMAND
    return 0
