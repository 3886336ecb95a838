"""Tests what the module libpvti writes into a trace."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import libpvti as pvti
channel = pvti.createTraceChannel("mine")
assert pvti.checkTraceChannel(channel) is TRACED

@pvti.instrument_fn(channel)
def twice(x):
    return 2 * x

class Numbers:
    def __getitem__(self, i):
        return twice(i)

with pvti.Tracepoint(channel, "outer", pvti.createJsonMetadata('{"epoch": 3}')):
    numbers = pvti.instrument(Numbers(), ["__getitem__"], channel)
    assert numbers[21] == 42 and isinstance(numbers, Numbers)
pvti.Tracepoint.begin(channel, "pair")
pvti.Tracepoint.end(channel, "pair")
pvti.Graph("Loss", "%").addSeries("training").add(0.5)
try:
    with pvti.Tracepoint(channel, "fails"):
        raise KeyError
except KeyError:
    pass
"""


def events(traced):
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        environment.pop("PVTI_OPTIONS", None)
        if traced:
            environment["PVTI_OPTIONS"] = json.dumps({"enable": "true", "directory": folder})
        program = PROGRAM.replace("TRACED", str(traced))
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
        files = os.listdir(folder)
        if not files:
            return None
        with open(os.path.join(folder, files[0])) as file:
            return json.load(file)


class Libpvti(unittest.TestCase):
    def test_writes_nested_trace_points(self):
        found = [e for e in events(True) if e["ph"] in "BE"]
        names = [e["name"] if e["ph"] == "B" else "end" for e in found]
        self.assertEqual(names, ["outer", "Numbers.__getitem__", "twice", "end", "end", "end", "pair", "end", "fails", "end"])
        self.assertEqual({e["cat"] for e in found if e["ph"] == "B"}, {"mine"})
        self.assertEqual(found[0]["args"]["details"], {"epoch": 3})

    def test_writes_the_numbers_of_graphs(self):
        (number,) = [e for e in events(True) if e["ph"] == "C"]
        self.assertEqual((number["name"], number["args"]), ("Loss [%]", {"training": 0.5}))

    def test_writes_nothing_without_a_trace(self):
        self.assertIsNone(events(False))


if __name__ == "__main__":
    unittest.main()
