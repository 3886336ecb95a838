"""IPUs of Slurm jobs, on a controller and node daemons of this machine."""
import json
import pathlib
import re
import unittest

import launch_case
from launch_case import BIN, run
from slurm_cluster import DAEMONS, SlurmCluster


def weights(text):
    found = re.search(r"weights \(SHA-256\)\s+(\w+)", text)
    return found.group(1) if found else text


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.slurm = SlurmCluster(nodes=3, ipus=4)
        cls.enterClassContext(cls.slurm)
        cls.expected = weights(run("digits", "--replicas", "4", "--epochs", "2").stdout)

    def digits(self, epochs=2):
        return f"{BIN}/digits --replicas 4 --epochs {epochs}"

    def test_start_their_own_ipus_on_all_nodes_without_an_administrator(self):
        number = self.slurm.submit(f"unset COPSE_CLUSTER; exec {BIN}/copse-slurm run {self.digits()}", nodes=2, ipus=2)
        self.assertEqual(self.slurm.wait(number), "COMPLETED", self.slurm.output(number) + self.slurm.logs())
        self.assertEqual(weights(self.slurm.output(number)), self.expected)
        self.assertEqual(list(self.slurm.folder.glob(".copse-job-*")), [], "the directory of the job is removed")

    def test_end_with_the_exit_code_of_their_program(self):
        number = self.slurm.submit(f"{BIN}/copse-slurm run sh -c 'exit 3'; echo code $?", nodes=1, ipus=1)
        self.slurm.wait(number)
        self.assertIn("code 3", self.slurm.output(number))

    def test_find_ipus_that_the_prolog_has_started(self):
        number = self.slurm.submit(self.digits(), nodes=2, ipus=2)
        self.assertEqual(self.slurm.wait(number), "COMPLETED", self.slurm.output(number) + self.slurm.logs())
        self.assertEqual(weights(self.slurm.output(number)), self.expected)

    def test_of_the_example_start_instances_by_poprun(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "deploy/slurm/job.sbatch").read_text()
        number = self.slurm.submit(text.replace("digits\n", "digits --epochs 2\n"), nodes=2, ipus=4)
        self.assertEqual(self.slurm.wait(number), "COMPLETED", self.slurm.output(number) + self.slurm.logs())
        eight = weights(run("digits", "--replicas", "8", "--epochs", "2").stdout)
        self.assertEqual(weights(self.slurm.output(number)), eight)

    def test_side_by_side_on_the_same_nodes_have_no_ipu_in_common(self):
        script = f"cat $COPSE_CLUSTER; while [ ! -e {self.slurm.folder}/go ]; do sleep 0.1; done; exec {self.digits()}"
        numbers = [self.slurm.submit(script, nodes=3, ipus=2) for _ in range(2)]
        clusters = []
        for number in numbers:
            self.slurm.wait_for(number, "}")
        for number in numbers:  # both run now
            self.slurm.wait_for(number, "\n}")
            clusters.append(json.loads(self.slurm.output(number)))
        (self.slurm.folder / "go").touch()
        ends = [{end for ipu in cluster["ipus"] for end in ipu.values()} for cluster in clusters]
        self.assertEqual(len(ends[0] | ends[1]), 2 * 6 * 3)
        for number in numbers:
            self.assertEqual(self.slurm.wait(number), "COMPLETED", self.slurm.output(number))
            self.assertEqual(weights(self.slurm.output(number)), self.expected)

    def test_end_with_a_message_when_a_node_dies_and_the_next_one_gets_clean_ipus(self):
        number = self.slurm.submit(self.digits(epochs=10000), nodes=3, ipus=2)
        self.slurm.wait_for(number, "epoch   1/")
        self.slurm.kill_node("n1")
        self.assertIn(self.slurm.wait(number), ("FAILED", "NODE_FAIL"))
        self.assertRegex(self.slurm.output(number), r"ipu [0-9]+ of \S+cluster.json")
        self.slurm.start_node("n1")
        after = self.slurm.submit(self.digits(), nodes=3, ipus=4)
        self.assertEqual(self.slurm.wait(after), "COMPLETED", self.slurm.output(after) + self.slurm.logs())
        self.assertEqual(weights(self.slurm.output(after)), self.expected)

    def test_without_ipus_are_left_alone(self):
        number = self.slurm.submit("echo ${COPSE_CLUSTER:-none}", nodes=1, ipus=0)
        self.slurm.wait(number)
        self.assertEqual(self.slurm.output(number), "none\n")


if __name__ == "__main__":
    launch_case.main(lambda: launch_case.require(*(f"/usr/sbin/{name}" for name in DAEMONS), "sbatch"))
