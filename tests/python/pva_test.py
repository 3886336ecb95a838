#!/usr/bin/env python3
"""Reads the profile of a real program with the module pva: pva_test.py PROGRAM, with the module in PYTHONPATH.

PROGRAM is doubling.cpp: 4 tiles of 25 floats each, doubled 3 times in each of the runs "first" and "second"."""
import collections.abc
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pva

PROGRAM = sys.argv.pop(1)
TILES = 4
REPEATS = 3


class Pva(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        run = subprocess.run([PROGRAM, cls.folder], stdout=subprocess.PIPE, check=True, text=True, timeout=60)
        assert float(run.stdout) == 2 ** (2 * REPEATS)
        cls.report = pva.openReport(os.path.join(cls.folder, "profile.pop"))


class Reports(Pva):
    def test_open_from_the_directory_too(self):
        for path in (self.folder, pathlib.Path(self.folder), pathlib.Path(self.folder) / "profile.pop"):
            self.assertEqual(pva.openReport(path).compilation.target.numTiles, TILES)

    def test_have_a_version(self):
        self.assertRegex(self.report.poplarVersion.string, r"\d+\.\d+\.\d+")

    def test_that_do_not_exist_are_errors(self):
        missing = os.path.join(self.folder, "none.pop")
        with self.assertRaisesRegex(RuntimeError, "none.pop"):
            pva.openReport(missing)
        with tempfile.TemporaryDirectory() as empty, self.assertRaisesRegex(RuntimeError, "profile.pop"):
            pva.openReport(empty)

    def test_that_are_something_else_are_errors(self):
        with self.assertRaisesRegex(RuntimeError, "is not a profile"):
            pva.openReport(__file__)
        with self.assertRaises(TypeError):
            pva.openReport(7)

    def test_outlive_no_handle(self):
        tile = pva.openReport(self.folder).compilation.tiles[1]  # the report itself is gone
        self.assertEqual(tile.memory.category.variable.nonInterleaved.total, 100)

    def test_have_only_attributes_that_exist_and_none_to_write(self):
        with self.assertRaises(AttributeError):
            self.report.compilations
        with self.assertRaises(AttributeError):
            self.report.compilation.target.numTile
        with self.assertRaises(AttributeError):
            self.report.compilation = None


class Compilation(Pva):
    def test_counts_what_the_program_brought(self):
        compilation = self.report.compilation
        self.assertEqual(compilation.graph.numVertices, TILES)
        self.assertEqual(compilation.graph.numComputeSets, 1)
        self.assertEqual([s.name for s in compilation.computeSets], ["outer/double"])
        self.assertEqual([v.type.name for v in compilation.computeSets[0].vertices], ["Twice"] * TILES)

    def test_describes_the_target(self):
        target = self.report.compilation.target
        self.assertEqual(target.architecture, pva.IPU.Architecture.Ipu2)
        self.assertEqual(target.numIPUs * target.tilesPerIpu, TILES)
        self.assertEqual(target.totalMemory, TILES * target.bytesPerTile)

    def test_accounts_for_tile_memory(self):
        for tile in self.report.compilation.tiles:
            memory = tile.memory
            self.assertEqual([v.type.name for v in memory.vertices], ["Twice"])
            self.assertEqual(memory.category.variable.nonInterleaved.nonOverlapped, 100)
            self.assertEqual(memory.category.variable.overflowed.total, 0)
            self.assertGreaterEqual(memory.category.vertexInstanceState.nonInterleaved.total, 8)
            self.assertGreater(memory.total.excludingGaps, 100)
            self.assertGreaterEqual(memory.total.includingGaps, memory.total.excludingGaps)

    def test_has_every_category_of_memory(self):
        category = self.report.compilation.tiles[0].memory.category
        names = [name for name in dir(category) if not name.startswith("_")]
        self.assertEqual(len(names), 13)
        total = 0
        for name in names:
            for region in ("nonInterleaved", "interleaved", "overflowed"):
                bytes_ = getattr(getattr(category, name), region)
                self.assertEqual(bytes_.total, bytes_.nonOverlapped + bytes_.overlapped)
                total += bytes_.nonOverlapped
        self.assertEqual(total, self.report.compilation.tiles[0].memory.total.excludingGaps)

    def test_has_what_public_scripts_read_of_a_compute_set(self):
        (execute,) = [p for p in self.report.compilation.programs if p.type == pva.Program.Type.OnTileExecute]
        vertex = execute.computeset.vertices[0]
        self.assertEqual(len(execute.computeset.vertices), TILES)
        self.assertEqual(vertex.countByTile, [1] * TILES)
        self.assertGreater(vertex.type.size, 0)
        self.assertEqual(execute.controlCodeByTile, [36] * TILES)
        self.assertEqual(execute.codeBytesByTile, [0] * TILES)
        context = json.loads(execute.debugContext.json)
        self.assertEqual(context, {"id": execute.debugContext.id, "name": "outer/double"})
        self.assertGreater(self.report.compilation.tiles[0].memory.category.variable.total, 0)

    def test_groups_programs_by_operation(self):
        operations = pva.OperationAnalysis(self.report).operations
        programs = [p._id for operation in operations for p in operation.programs()]
        self.assertEqual(sorted(programs), [p._id for p in self.report.compilation.programs])
        (double,) = [o for o in operations if o.name == "outer/double"]
        self.assertEqual([v.name for v in double.vars], ["data"])
        steps = self.report.compilation.livenessProgramSteps
        self.assertEqual(steps[double.firstStepIndex].program.name, "outer/double")
        self.assertLess(double.lastStepIndex, len(steps))

    def test_lists_pieces_of_memory_with_the_steps_at_which_they_live(self):
        pieces = self.report.compilation.loweredVariables.allBriefVars
        self.assertEqual({piece.tileId for piece in pieces}, set(range(TILES)))
        for piece in pieces:
            for interval in piece.equivalenceClass.steps:
                self.assertLess(interval.start, interval.end)
        of_tile = sum(p.bytes for p in pieces if p.tileId == 1)
        self.assertGreaterEqual(of_tile, self.report.compilation.tiles[1].memory.total.excludingGaps)

    def test_lists_programs(self):
        types = [program.type for program in self.report.compilation.programs]
        self.assertEqual(types.count(pva.Program.Type.OnTileExecute), 1)
        (repeat,) = [p for p in self.report.compilation.programs if p.type == pva.Program.Type.Repeat]
        self.assertIn("outer/double", [child.name for child in repeat.children])

    def test_says_which_variables_a_step_works_on(self):
        (execute,) = [p for p in self.report.compilation.programs if p.type == pva.Program.Type.OnTileExecute]
        (data,) = execute.vars
        self.assertEqual((data.name, data.bytes, data.type, data.shape), ("data", 400, "float", [100]))

    def test_says_what_is_live_at_each_step(self):
        steps = self.report.compilation.livenessProgramSteps
        (execute,) = [s for s in steps if s.program.type == pva.Program.Type.OnTileExecute]
        live = execute.notAlwaysLiveMemory
        always = self.report.compilation.alwaysLiveMemory
        self.assertIn("data", [v.name for v in live.variables] + [v.name for v in always.variables])
        self.assertEqual(live.bytes, sum(v.bytes for v in live.variables))
        self.assertTrue(all(v.alwaysLive for v in always.variables))

    def test_describes_its_target(self):
        target = self.report.compilation.target
        self.assertEqual(target.totalMemory, TILES * target.bytesPerTile)
        self.assertEqual(target.architecture, pva.IPU.Architecture.Ipu2)
        self.assertIs(pva.pva_core.Report, pva.Report)


class Sequences(Pva):
    def test_are_read_like_lists(self):
        tiles = self.report.compilation.tiles
        self.assertIsInstance(tiles, collections.abc.Iterable)
        self.assertEqual(len(tiles), TILES)
        self.assertEqual(len(list(tiles)), TILES)
        self.assertEqual(len(tiles[1:]), TILES - 1)
        self.assertIsInstance(tiles[-1], pva.Tile)
        steps = self.report.execution.steps
        forwards = [step.program.name for step in steps]
        self.assertEqual([step.program.name for step in steps[::-1]], forwards[::-1])
        self.assertEqual([step.program.name for step in reversed(steps)], forwards[::-1])

    def test_end_where_they_end(self):
        tiles = self.report.compilation.tiles
        for index in (TILES, -TILES - 1):
            with self.assertRaises(IndexError):
                tiles[index]
        with self.assertRaises(TypeError):
            tiles[0] = tiles[1]


def executions(steps):
    return [step for step in steps if step.program.type == pva.Program.Type.OnTileExecute]


class Execution(Pva):
    def test_has_the_runs_and_their_steps(self):
        execution = self.report.execution
        self.assertEqual([run.name for run in execution.runs], ["first", "second"])
        for run in execution.runs:
            self.assertEqual(len(executions(run.steps)), REPEATS)
        self.assertEqual(sum(len(run.steps) for run in execution.runs), len(execution.steps))

    def test_has_the_cycles_of_tiles_and_steps(self):
        for step in executions(self.report.execution.runs[1].steps):
            (computeSet,) = step.computeSets
            self.assertEqual(computeSet.name, "outer/double")
            cycles = computeSet.cyclesByTile
            self.assertEqual([c - cycles[0] for c in cycles], [0, 6, 12, 18])
            self.assertEqual(computeSet.estimatedCyclesByTile, cycles)
            self.assertGreaterEqual(step.cycles, max(cycles))
            self.assertEqual(step.cyclesByTile, cycles)
            self.assertEqual(step.cyclesTo - step.cyclesFrom, step.cycles)
            self.assertEqual([ipu.cycles for ipu in step.ipus], [step.cycles])

    def test_has_the_blocks_of_a_tile(self):
        blocks = self.report.execution.blocks(2)
        self.assertEqual({block.tile for block in blocks}, {2})
        self.assertEqual(sum(block.isStreamCopy for block in blocks), 4)
        for block in blocks:
            self.assertLess(block.cyclesFrom, block.cyclesTo)
            self.assertEqual(block.isCommon, not block.isStreamCopy)
            self.assertFalse(block.isOverflow or block.isBlockFlush)
            self.assertIsInstance(block.program, pva.StreamCopyProgram if block.isStreamCopy else pva.OnTileExecuteProgram)


class Visitors(Pva):
    def test_see_the_programs_that_they_override(self):
        class Names(pva.ProgramVisitor):
            def __init__(self):
                super().__init__()
                self.seen = []

            def visitOnTileExecute(self, program):
                self.seen.append((type(program), program.name))

        names = Names()
        for step in self.report.execution.runs[0].steps:
            step.program.accept(names)
        expected = executions(self.report.execution.runs[0].steps)
        self.assertEqual(names.seen, [(pva.OnTileExecuteProgram, step.program.name) for step in expected])

    def test_pass_their_exceptions_on(self):
        class Fails(pva.ProgramVisitor):
            def visitOnTileExecute(self, program):
                raise ValueError(program.name)

        (step, *_) = executions(self.report.execution.steps)
        with self.assertRaisesRegex(ValueError, "outer/double"):
            step.program.accept(Fails())


if __name__ == "__main__":
    unittest.main()
