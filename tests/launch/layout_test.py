"""Where poprun puts instances and replicas, its lists of hosts, and its options."""
import json
import os
import tempfile
import unittest

import launch_case  # noqa: F401  finds the modules
from copse_launch import poprun_options
from copse_launch.errors import UsageError
from copse_launch.hosts import expand_hosts, read_host_file
from copse_launch.layout import lay_out, topology_box
from copse_launch.mpirun import instance_environment
from copse_launch.tagged_output import TaggedOutput

# As the vendor's documentation shows it for 8 replicas and 2 instances, and a log of a Pod4.
TWO_INSTANCES = """\
 ===========================================
|              poprun topology              |
|===========================================|
| hosts     |           localhost           |
|-----------|-------------------------------|
| ILDs      |               0               |
|-----------|-------------------------------|
| instances |       0       |       1       |
|-----------|-------------------------------|
| replicas  | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
 -------------------------------------------"""
ONE_INSTANCE = """\
 ===========================
|      poprun topology      |
|===========================|
| hosts     | gc-poplar-02  |
|-----------|---------------|
| ILDs      |       0       |
|-----------|---------------|
| instances |       0       |
|-----------|---------------|
| replicas  | 0 | 1 | 2 | 3 |
 ---------------------------"""


class Hosts(unittest.TestCase):
    def test_lists_may_have_ranges_in_brackets(self):
        for text, hosts in {"a": ["a"], "a,b": ["a", "b"], "h[0-2,4]": ["h0", "h1", "h2", "h4"], "n[08-10],x": ["n08", "n09", "n10", "x"],
                            "r[0-1]n[0-1]": ["r0n0", "r0n1", "r1n0", "r1n1"], "10.1.3.101,10.1.3.102": ["10.1.3.101", "10.1.3.102"]}.items():
            self.assertEqual(expand_hosts(text), hosts)

    def test_what_is_no_list_is_refused(self):
        for text in ("", ",", "a,,b", "h[", "h]", "h[a]", "h[3-1]", "h[0-99999]", "h[[0]]", "-x", "a b", "h[]"):
            with self.subTest(text), self.assertRaises(UsageError):
                expand_hosts(text)

    def test_a_file_has_a_host_a_line(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("# the rack\na\nh[0-1] slots=4\n\n")
            file.flush()
            self.assertEqual(read_host_file(file.name), ["a", "h0", "h1"])


class Layout(unittest.TestCase):
    def test_replicas_are_divided_among_instances_and_instances_among_hosts(self):
        layout = lay_out(16, 2, 4, ["a", "b"], 2)
        self.assertEqual([(i.host, i.local_index, i.ild, i.first_replica, i.replicas) for i in layout.instances],
                         [("a", 0, 0, 0, 4), ("a", 1, 0, 4, 4), ("b", 0, 1, 8, 4), ("b", 1, 1, 12, 4)])
        self.assertEqual((layout.ipus, layout.ipus_per_instance), (32, 8))

    def test_what_cannot_be_divided_evenly_is_refused(self):
        for numbers in ((3, 1, 2, ["a"]), (4, 1, 2, ["a", "b", "c"]), (4, 1, 1, ["a"], 2), (0, 1, 1, ["a"]), (1, 0, 1, ["a"]), (1, 1, 0, ["a"])):
            with self.subTest(numbers), self.assertRaises(UsageError):
                lay_out(*numbers)

    def test_the_box_is_the_documented_one(self):
        self.assertEqual(topology_box(lay_out(8, 1, 2, ["localhost"])), TWO_INSTANCES)
        self.assertEqual(topology_box(lay_out(4, 1, 1, ["gc-poplar-02"])), ONE_INSTANCE)

    def test_all_lines_of_a_box_are_equally_long(self):
        for replicas, instances, hosts in ((1, 1, ["h"]), (16, 4, ["a", "b"]), (128, 16, ["host-%d" % i for i in range(16)]), (3, 3, ["x" * 40])):
            self.assertEqual(len(set(map(len, topology_box(lay_out(replicas, 1, instances, hosts)).splitlines()[1:-1]))), 1)


class Options(unittest.TestCase):
    def test_what_follows_the_program_is_its_own(self):
        options = poprun_options.parse(["--num-replicas=4", "--num-instances", "2", "--print-topology", "program", "--num-replicas", "9", "-v"])
        self.assertEqual((options.num_replicas, options.num_instances, options.program), (4, 2, ["program", "--num-replicas", "9", "-v"]))
        self.assertTrue(options.print_topology)

    def test_switches_take_yes_no_and_numbers(self):
        for word, value in (("yes", True), ("1", True), ("no", False), ("0", False), ("False", False)):
            self.assertIs(poprun_options.parse(["--remove-partition", word, "p"]).remove_partition, value)
            self.assertIs(poprun_options.parse([f"--remove-partition={word}", "p"]).remove_partition, value)

    def test_verbosity_has_three_spellings(self):
        self.assertEqual([poprun_options.parse([word, "p"]).verbose for word in ("-v", "-vv", "--vv")], [1, 2, 2])

    def test_options_are_kept_in_a_file_and_the_command_line_counts_more(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "job.json")
            poprun_options.parse(["--export-config", path, "--num-replicas", "8", "--remove-partition", "no", "program", "-x"])
            options = poprun_options.parse(["--import-config", path, "--num-replicas", "4"])
            self.assertEqual((options.num_replicas, options.remove_partition, options.program), (4, False, ["program", "-x"]))
            with self.assertRaisesRegex(UsageError, "overwrite-config"):
                poprun_options.parse(["--export-config", path, "program"])
            poprun_options.parse(["--export-config", path, "--overwrite-config", "yes", "other"])
            with open(path) as file:
                self.assertEqual(json.load(file)["program"], ["other"])

    def test_a_file_that_is_none_of_options_is_refused(self):
        with tempfile.NamedTemporaryFile("w") as file:
            for text in ("", "[]", '{"num_replica": 3}', '{"num_replicas": "3"}', '{"num_replicas": true}', '{"import_config": "x"}'):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                with self.subTest(text), self.assertRaises(UsageError):
                    poprun_options.parse(["--import-config", file.name, "program"])


class Output(unittest.TestCase):
    """mpirun's tags come before each piece of output, wherever a line is."""
    TEXT = b"[1,0]<stdout>:one [1,1]<stdout>:two[1,0]<stdout>:line\nmpirun speaks\n[1,1]<stdout>: words [1\n[1,0]<stdout>:\n[1,2]<stdout>:no end"
    LINES = [(0, b"one line\n"), (None, b"mpirun speaks\n"), (1, b"two words [1\n"), (0, b"\n"), (2, b"no end\n")]

    def test_is_put_together_by_lines_of_instances(self):
        output = TaggedOutput()
        self.assertEqual(output.feed(self.TEXT) + output.end(), self.LINES)

    def test_may_arrive_in_pieces_of_any_size(self):
        for size in range(1, len(self.TEXT)):
            output, found = TaggedOutput(), []
            for at in range(0, len(self.TEXT), size):
                found += output.feed(self.TEXT[at:at + size])
            self.assertEqual(found + output.end(), self.LINES, size)


class Environment(unittest.TestCase):
    def test_an_instance_gets_its_share_of_the_replicas(self):
        options = poprun_options.parse(["--executable-cache-path", "/cache", "p"])
        layout = lay_out(16, 2, 4, ["a", "b"])
        variables = instance_environment(layout, layout.instances[3], options)
        self.assertEqual({name: value for name, value in variables.items() if name.startswith("POPDIST_")},
                         {"POPDIST_NUM_TOTAL_REPLICAS": "16", "POPDIST_NUM_IPUS_PER_REPLICA": "2", "POPDIST_NUM_LOCAL_REPLICAS": "4",
                          "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE": "1", "POPDIST_REPLICA_INDEX_OFFSET": "12",
                          "POPDIST_LOCAL_INSTANCE_INDEX": "1"})
        self.assertEqual(variables["COPSE_CACHE_DIR"], "/cache")


if __name__ == "__main__":
    launch_case.main()
