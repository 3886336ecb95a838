"""poprun and mpirun with programs that need no IPUs: what instances are told, what comes of their output and of their ends."""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import launch_case
from launch_case import BIN, Running, environment, run
from copse_launch import mpirun
from copse_launch.layout import lay_out

SCRIPT = ["--offline-mode", "yes", "--num-replicas", "4", "--num-instances", "4", "sh", "-c"]


class Instances(unittest.TestCase):
    def test_output_is_prefixed_with_the_instance(self):
        done = run("poprun", *SCRIPT, "echo out; echo err >&2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), [f"[1,{i}]<stdout>:out" for i in range(4)])
        self.assertEqual(sorted(done.stderr.splitlines()), [f"[1,{i}]<stderr>:err" for i in range(4)])

    def test_each_one_has_its_variables(self):
        done = run("poprun", "--mpi-local-args", "-x HERE=there", *SCRIPT, 'echo "$POPDIST_REPLICA_INDEX_OFFSET $POPDIST_LOCAL_INSTANCE_INDEX $HERE"')
        self.assertEqual(sorted(done.stdout.splitlines()), [f"[1,{i}]<stdout>:{i} {i} there" for i in range(4)])

    def test_values_of_variables_may_hold_anything(self):
        value = '{"a": "b, c; d=e : f"}'
        done = run("poprun", "--offline-mode", "sh", "-c", 'echo "$POPLAR_ENGINE_OPTIONS"', POPLAR_ENGINE_OPTIONS=value)
        self.assertEqual(done.stdout, f"[1,0]<stdout>:{value}\n")

    def test_only_one_may_be_shown(self):
        done = run("poprun", "--only-output-from-instance", "2", *SCRIPT, "echo out; echo err >&2")
        self.assertEqual((done.stdout, done.stderr), ("[1,2]<stdout>:out\n", "[1,2]<stderr>:err\n"))

    def test_what_a_hidden_one_said_before_it_failed_is_shown(self):
        done = run("poprun", "--only-output-from-instance", "2", *SCRIPT,
                   'if [ $POPDIST_REPLICA_INDEX_OFFSET = 1 ]; then echo why >&2; exit 3; fi; sleep 60')
        self.assertEqual(done.returncode, 3)
        self.assertIn("[1,1]<stderr>:why\n", done.stderr)

    def test_the_topology_is_printed_when_asked_for(self):
        self.assertIn("| replicas  | 0 | 1 | 2 | 3 |", run("poprun", "--print-topology=yes", *SCRIPT, "true").stdout)
        self.assertEqual(run("poprun", *SCRIPT, "true").stdout, "")

    def test_verbose_output_has_the_command_line_of_mpirun(self):
        done = run("poprun", "-v", *SCRIPT, "true")
        self.assertRegex(done.stderr, r"POPRUN \[I\] Running \S*mpirun .*-np 1 .*POPDIST_NUM_TOTAL_REPLICAS=4")


class Ends(unittest.TestCase):
    def test_the_first_failure_ends_the_others_and_is_named(self):
        before = time.monotonic()
        done = run("poprun", *SCRIPT, "[ $POPDIST_REPLICA_INDEX_OFFSET = 2 ] && exit 7; sleep 100")
        self.assertEqual(done.returncode, 7)
        self.assertIn("poprun: instance 2 on localhost ended with exit code 7; the other instances were ended", done.stderr)
        self.assertLess(time.monotonic() - before, 60)  # and not when the others end by themselves

    def test_a_killed_one_ends_the_job_and_is_named(self):
        with Running("poprun", *SCRIPT, "echo $POPDIST_REPLICA_INDEX_OFFSET is $$; exec sleep 100") as job:
            job.wait_for("1 is ")
            pid = int(job.out.split("1 is ")[1].split()[0])
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(job.wait(60), 128 + signal.SIGKILL)
            self.assertIn("poprun: instance 1 on localhost was killed by signal 9 (Killed); the other instances were ended", job.err)

    def test_a_job_whose_instances_do_not_begin_ends(self):
        layout = lay_out(2, 1, 2, ["here", "there"])
        said = io.TextIOWrapper(io.BytesIO(), write_through=True)
        with unittest.mock.patch.object(mpirun, "LONGEST_START", 0.2), contextlib.redirect_stderr(said):
            begin = "[1,0]<stderr>:the-mark"
            code = mpirun.Job(["sh", "-c", f"echo '{begin}' >&2; exec sleep 100"], layout, "the-mark").run()
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertIn("poprun: instance 1 on there has not begun within 0.2 s", said.buffer.getvalue().decode())

    def test_a_signal_to_poprun_ends_all_instances(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Running("poprun", *SCRIPT, "echo pid $$; exec sleep 100") as job:
                pids = self.pids(job)
                job.process.send_signal(number)
                self.assertNotEqual(job.wait(60), 0)
                self.await_end(pids)

    def test_a_killed_poprun_takes_all_instances_and_their_ipus_with_it(self):
        with tempfile.TemporaryDirectory() as folder, Running("poprun", *SCRIPT[2:], "echo pid $$; exec sleep 100", XDG_RUNTIME_DIR=folder,
                                                              IPUOF_VIPU_API_PORT="1") as job:
            pids = self.pids(job)
            status = run("copse", "status", "--json", "--cluster", os.path.join(folder, os.listdir(folder)[0], "cluster.json"))
            pids += [ipu["pid"] for ipu in json.loads(status.stdout)["ipus"]]
            job.process.kill()
            job.wait(60)
            self.await_end(pids)
            deadline = time.monotonic() + 30
            while os.listdir(folder):
                self.assertLess(time.monotonic(), deadline, "the daemons of the job have left files")
                time.sleep(0.05)

    def pids(self, job):
        while job.out.count("pid ") < 4:
            job.wait_for("pid ")
            time.sleep(0.02)
        return [int(line.split()[-1]) for line in job.out.splitlines()]

    def await_end(self, pids):
        deadline = time.monotonic() + 30
        while any(os.path.exists(f"/proc/{pid}") for pid in pids):
            self.assertLess(time.monotonic(), deadline, "an instance has outlived poprun")
            time.sleep(0.05)

    def test_a_program_that_is_not_there_is_named(self):
        done = run("poprun", "--offline-mode", "yes", "no_such_program")
        self.assertEqual(done.returncode, 127)
        self.assertIn("there is no program no_such_program on this host", done.stderr)


class Mistakes(unittest.TestCase):
    def test_are_told_with_exit_code_2(self):
        for words, text in (([], "name the program"), (["--num-replicas", "3", "--num-instances", "2", "p"], "cannot be divided evenly"),
                            (["--only-output-from-instance", "4", "p"], "there are instances 0 to 0"), (["--frob", "p"], "--frob"),
                            (["--host", "h[", "p"], "brackets"), (["--remove-partition=maybe", "p"], "neither yes nor no"),
                            (["--mpi-global-args", "'", "--offline-mode", "yes", "true"], "quotation")):
            with self.subTest(words):
                done = run("poprun", *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr.lower())

    def test_without_mpirun_it_says_what_to_install(self):
        done = subprocess.run([sys.executable, str(BIN / "poprun"), "--offline-mode", "yes", "p"], capture_output=True, text=True, timeout=60,
                              check=False, env=environment(PATH="/nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("apt-get install openmpi-bin", done.stderr)

    def test_a_host_that_cannot_be_reached_is_named(self):
        done = run("poprun", "--host", "no-such-host.invalid", "--offline-mode", "yes", "true")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ssh no-such-host.invalid true must succeed without a password", done.stderr)

    def test_instances_on_other_hosts_need_a_cluster(self):
        done = run("poprun", "--host", "elsewhere", "p", IPUOF_VIPU_API_PORT="1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("set COPSE_CLUSTER", done.stderr)


if __name__ == "__main__":
    launch_case.main(lambda: launch_case.require("mpirun"))
