"""Slurm on this machine for a test: a controller and several node daemons with IPUs, in a folder of its own."""
import getpass
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from launch_case import BIN, LONG, environment

DAEMONS = ("munged", "slurmctld", "slurmd")
CONFIGURATION = """\
ClusterName=copse
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=1,sched_interval=2
MpiDefault=none
ReturnToService=2
JobRequeue=0
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdTimeout=20
KillWait=2
GresTypes=ipu
PrologFlags=Alloc
Prolog={folder}/prolog.sh
Epilog={folder}/epilog.sh
TaskProlog={folder}/task-prolog.sh
{nodes}
PartitionName=ipus Nodes=ALL Default=YES MaxTime=10 State=UP
"""


class SlurmCluster:
    def __init__(self, nodes, ipus):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="copse-slurm-"))
        self.names = [f"n{i}" for i in range(nodes)]
        self.ipus = ipus
        self.daemons = {}
        self.environment = environment(SLURM_CONF=str(self.folder / "slurm.conf"), PATH=f"{BIN}:/usr/sbin:{os.environ['PATH']}")

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        sockets = [socket.socket() for _ in range(len(self.names) + 1)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        host = socket.gethostname().split(".")[0]
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=8 RealMemory=100 Gres=ipu:{self.ipus}"
                          for name, port in zip(self.names, ports[1:]))
        text = CONFIGURATION.format(host=host, ports=ports, folder=self.folder, nodes=nodes, user=getpass.getuser())
        (self.folder / "slurm.conf").write_text(text)
        (self.folder / "gres.conf").write_text(f"Name=ipu Count={self.ipus}\n")
        (self.folder / "state").mkdir()
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir()
        self.jobs.chmod(0o711)
        source = pathlib.Path(__file__).resolve().parents[2] / "deploy/slurm"
        for script in ("prolog", "epilog", "task-prolog"):  # those that users get, with this build's programs
            lines = (source / f"{script}.sh").read_text().replace("/opt/copse/bin", f"{BIN}:{os.path.dirname(sys.executable)}")
            lines = lines.replace("exec ", f"export SLURM_CONF={self.folder}/slurm.conf COPSE_SLURM_DIRECTORY={self.jobs}\nexec ", 1)
            (self.folder / f"{script}.sh").write_text(lines)
            (self.folder / f"{script}.sh").chmod(0o755)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        self._daemon("munged", "--foreground", "--force", "--key-file", key, "--socket", self.folder / "munge.socket", "--pid-file",
                     self.folder / "munge.pid", "--log-file", self.folder / "munge.log", "--seed-file", self.folder / "munge.seed")
        self._await(lambda: (self.folder / "munge.socket").exists(), "munged")
        self._daemon("slurmctld", "-D", "-c")
        for name in self.names:
            self.start_node(name)
        self._await(lambda: self.call("sinfo", "-h", "-o", "%t %D").split() == ["idle", str(len(self.names))], "the nodes")

    def start_node(self, name):
        (self.folder / f"spool-{name}").mkdir(exist_ok=True)
        self._daemon("slurmd", "-D", "-N", name, key=name)

    def _daemon(self, program, *words, key=None):
        log = open(self.folder / f"{key or program}.out", "ab")
        self.daemons[key or program] = subprocess.Popen([program, *map(str, words)], env=self.environment, stdin=subprocess.DEVNULL,
                                                        stdout=log, stderr=log, start_new_session=True)
        log.close()

    def _await(self, is_so, what):
        deadline = time.monotonic() + LONG
        while not is_so():
            if time.monotonic() > deadline:
                raise AssertionError(f"{what} of Slurm: not ready in time\n{self.logs()}")
            time.sleep(0.1)

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-2000:]}" for path in sorted(self.folder.glob("*.[lo][ou][gt]")))

    def call(self, *words):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=LONG, env=self.environment, check=False,
                              cwd=self.folder)
        return done.stdout if not done.returncode else ""

    def submit(self, text, nodes, ipus):
        script = self.folder / "job.sh"
        script.write_text("#!/bin/bash\n" + text)
        number = self.call("sbatch", "--parsable", "--nodes", nodes, f"--gres=ipu:{ipus}", "-o", self.folder / "job-%j.out", script).strip()
        if not number:
            raise AssertionError(f"sbatch has failed\n{self.logs()}")
        return number

    def output(self, number):
        path = self.folder / f"job-{number}.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def wait_for(self, number, text):
        self._await(lambda: text in self.output(number), f"'{text}' in the output of job {number}, which is\n{self.output(number)}\nand the rest")

    def wait(self, number):
        """Returns the final state of a job."""
        def state():
            return self.call("squeue", "-h", "-t", "all", "-j", number, "-o", "%T").strip()
        self._await(lambda: state() not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"), f"job {number}")
        return state()

    def kill_node(self, name):
        """Kills the node daemon and all ipuds of the node, as if the machine had lost power."""
        self.daemons[name].kill()
        self.daemons[name].wait()
        for pids in self.jobs.glob(f"job-*/{name}.pids"):
            for pid in json.loads(pids.read_text()):
                os.kill(pid, 9)

    def __exit__(self, *_):
        if "slurmctld" in self.daemons:
            self.call("scancel", "--full", "--user", str(os.getuid()))
            deadline = time.monotonic() + 20
            while self.call("squeue", "-h") and time.monotonic() < deadline:
                time.sleep(0.2)
        for daemon in reversed(list(self.daemons.values())):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
