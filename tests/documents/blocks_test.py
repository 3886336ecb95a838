#!/usr/bin/env python3
"""Runs the commands that documents show, and compares what they print: blocks_test.py REPOSITORY BIN

A block is run if a comment stands in the line above it, which readers do not see:

  <!--run-->              the lines with a $ are commands; what follows each is its output
  <!--run: digits-->      the block is the output of that command

Of the output,

- a line "..." stands for any lines, and the end of a line after " ..." for any words;
- blanks count once: tables are as wide as their widest entry;
- figures of columns named wall_..., and of lines that begin with "wall-clock", are those of a machine, and are left out;
- the name of this machine is "vm", and addresses of the repository begin with its name.
"""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

MARK = re.compile(r"^<!--run(?:: (?P<command>.*))?-->$")
NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")


def blocks_of(page):
    """Returns (line number, command or None, lines) of the blocks to run."""
    lines = page.split("\n")
    for number, line in enumerate(lines, 1):
        mark = MARK.match(line)
        if not mark:
            continue
        block = []
        for following in lines[number:]:
            if following.startswith("    ") or (block and not following.strip()):
                block.append(following[4:])
            elif following.strip() or block:
                break
        while block and not block[-1].strip():
            block.pop()
        yield number, mark["command"], block


def commands_of(command, block):
    """Returns (command, expected lines) of a block."""
    if command:
        return [(command, block)]
    commands = []
    for line in block:
        if line.startswith("$ "):
            commands.append((line[2:], []))
        elif commands:
            commands[-1][1].append(line)
    return commands


def comparable(lines):
    """Returns each line as words, without figures of this machine."""
    wall, rows = [], []
    for line in lines:
        words = line.split()
        if any(word.startswith("wall_") for word in words):  # the head of a table
            wall = [i - len(words) for i, word in enumerate(words) if word.startswith("wall_")]
        elif wall and len(words) >= -wall[0]:
            for i in wall:
                words[i] = "?"
        if line.startswith("wall-clock"):
            words = NUMBER.sub("?", line, count=1).split()
        if words:
            rows.append(words)
    return rows


def row_fits(expected, row):
    if expected[-1] == "..." and len(expected) > 1:
        return row[: len(expected) - 1] == expected[:-1]
    return row == expected


def difference(expected, rows):
    """Returns None, or the first line that differs from the document."""
    position, skips = 0, False
    for words in expected:
        if words == ["..."]:
            skips = True
            continue
        while skips and position < len(rows) and not row_fits(words, rows[position]):
            position += 1
        if position >= len(rows) or not row_fits(words, rows[position]):
            found = " ".join(rows[position]) if position < len(rows) else "the end"
            return f"the document has '{' '.join(words)}', the command prints '{found}'"
        position, skips = position + 1, False
    return None if skips or position == len(rows) else f"the command also prints '{' '.join(rows[position])}'"


def main():
    root, programs = pathlib.Path(sys.argv[1]), sys.argv[2]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COPSE_", "POPLAR_"))}
    environment.update(PATH=f"{programs}:{os.environ['PATH']}", HOME=tempfile.gettempdir())
    if "COPSE_CACHE_DIR" in os.environ:
        environment["COPSE_CACHE_DIR"] = os.environ["COPSE_CACHE_DIR"]
    failures = run = 0
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for number, command, block in blocks_of(path.read_text()):
            for line, expected in commands_of(command, block):
                run += 1
                line = line.replace("build/release/bin/", "")
                done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=environment, cwd=root, timeout=120)
                printed = done.stdout.replace(f"[{socket.gethostname()}]", "[vm]").replace(f"{root}/", "")
                wrong = f"ended with {done.returncode}: {done.stderr[-300:]}" if done.returncode else difference(
                    comparable(expected), comparable(printed.split("\n")))
                if wrong:
                    failures += 1
                    print(f"{path.relative_to(root)}:{number}: {line}: {wrong}")
    print(f"{run} commands of documents, {failures} of them wrong")
    return 1 if failures or not run else 0


if __name__ == "__main__":
    sys.exit(main())
