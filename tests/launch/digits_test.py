"""examples/digits as several instances: the weights are those of one host program, and a job ends with the instance that ends."""
import json
import os
import re
import signal
import tempfile
import time
import unittest

import launch_case
from launch_case import BIN, LocalCluster, Running, run

FOUR = ["--num-replicas", "16", "--num-instances", "4", "--ipus-per-replica", "1"]


def results(done, file):
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    with open(file, encoding="utf-8") as text:
        found = json.load(text)
    return {key: found[key] for key in ("weights_sha256", "loss_per_epoch", "accuracy", "modelled_cycles", "replicas")}


class Digits(unittest.TestCase):
    def test_four_instances_train_as_one_host_program_does(self):
        with tempfile.TemporaryDirectory() as folder:
            one, four = os.path.join(folder, "1.json"), os.path.join(folder, "4.json")
            alone = run("digits", "--replicas", "16", "--epochs", "2", "--json", one)
            done = run("poprun", *FOUR, BIN / "digits", "--epochs", "2", "--json", four)
            self.assertEqual(results(done, four), results(alone, one))
            self.assertEqual(len(re.findall("weights", done.stdout)), 1, "one instance speaks for all")

    def test_instances_take_free_ipus_of_a_cluster_that_is_up(self):
        with LocalCluster(8) as cluster:
            done = run("poprun", "--num-replicas", "4", "--num-instances", "2", BIN / "digits", "--epochs", "1", COPSE_CLUSTER=cluster.file)
            self.assertEqual(done.returncode, 0, done.stderr)
            with Running("digits", "--replicas", "4", "--epochs", "10000", COPSE_CLUSTER=cluster.file) as other:
                other.wait_for("epoch   1/")
                beside = run("poprun", "--num-replicas", "4", "--num-instances", "2", BIN / "digits", "--epochs", "1",
                             COPSE_CLUSTER=cluster.file)
                self.assertEqual(beside.returncode, 0, beside.stderr)
                refused = run("poprun", "--num-replicas", "8", "--num-instances", "2", BIN / "digits", COPSE_CLUSTER=cluster.file)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("has 4 free IPUs of 8", refused.stderr)

    def test_a_killed_instance_ends_the_job_which_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder, Running("poprun", *FOUR, BIN / "digits", "--epochs", "10000", XDG_RUNTIME_DIR=folder) as job:
            job.wait_for("epoch   1/")
            os.kill(self.instance(job, 2), signal.SIGKILL)
            self.assertEqual(job.wait(60), 128 + signal.SIGKILL)
            self.assertIn("poprun: instance 2 on localhost was killed by signal 9 (Killed)", job.err)
            self.assertEqual(os.listdir(folder), [], "daemons of the job have left files")

    def test_what_instances_cannot_do_together_is_refused(self):
        for words, text in ((["--device", "cpu"], "several host programs share IPUs only"), ):
            done = run("poprun", "--num-replicas", "2", "--num-instances", "2", BIN / "digits", *words)
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)

    def instance(self, job, index):
        """Returns the process of an instance, which its environment names."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/environ", "rb") as file:
                        variables = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
                    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                        name = file.read().split("(")[1].split(")")[0]
                except OSError:
                    continue
                if name == "digits" and variables.get(b"POPDIST_LOCAL_INSTANCE_INDEX") == b"%d" % index and \
                        variables.get(b"XDG_RUNTIME_DIR", b"").decode() == self.runtime_of(job):
                    return int(pid)
        raise AssertionError(f"instance {index} does not run")

    def runtime_of(self, job):
        with open(f"/proc/{job.process.pid}/environ", "rb") as file:
            return next(entry[16:].decode() for entry in file.read().split(b"\0") if entry.startswith(b"XDG_RUNTIME_DIR="))


if __name__ == "__main__":
    launch_case.main(launch_case.require_mpi_backend)
