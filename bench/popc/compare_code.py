#!/usr/bin/env python3
"""Compares what two versions of popc make of the same codelets.

    compare_code.py BEFORE AFTER

BEFORE and AFTER are .gp files, or folders with .gp files of the same names, such as the
`lib/poplibs` of two builds. Equal native code counts equal cycles, because the count is part of the
code. Functions are compared without addresses. Exits with 1 if a vertex table or the code of a
function differs.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

MAGIC = b"COPSE-GP 4\n"
DIGEST = 65  # with its line end
# Facts about a module that follow from its code.
OF_CODE = ("sha256", "elfBytes", "sourceBytes")


def modules_of(path):
    """Returns a (name, table, shared object) for each module of a .gp file."""
    data = path.read_bytes()
    if not data.startswith(MAGIC):
        sys.exit(f"{path}: not a .gp file of this version")
    at = len(MAGIC) + DIGEST
    modules = []
    while at < len(data):
        end = data.index(b"\n", at)
        arch, table_bytes, code_bytes = map(int, data[at:end].split())
        table = json.loads(data[end + 1:end + 1 + table_bytes])
        code = end + 1 + table_bytes
        name = f"{path.name} of architecture {arch} {table.get('variant', '')}".rstrip()
        modules.append((name, table, data[code:code + table["elfBytes"]]))
        at = code + code_bytes
    return modules


def functions_of(elf):
    """Returns the instructions of each function, without addresses of data and padding."""
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(elf)
        file.flush()
        command = ["objdump", "-d", "-j", ".text", "--no-show-raw-insn", "--no-addresses", file.name]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    functions = {}
    for block in text.split("\n\n"):
        head = re.match(r"<(.+)>:\n", block.lstrip("\n"))
        if head:
            code = re.sub(r"-?0x[0-9a-f]+\(%rip\)|\s+#[^\n]*", "(%rip)", block)
            functions[head[1]] = re.sub(r"(\n\t(data16|cs|nop|xchg +%ax,%ax)[^\n]*)+\s*$", "", code)
    return functions


def compare(before, after):
    """Prints how two modules differ. Returns True if their vertices do, and if their code does."""
    name, table, elf = before
    other_table, other_elf = after[1], after[2]
    differing = [key for key in sorted(set(table) | set(other_table))
                 if key not in OF_CODE and table.get(key) != other_table.get(key)]
    for key in differing:
        print(f"{name}: table differs in '{key}'")
    if elf == other_elf:
        return bool(differing), False
    functions, others = functions_of(elf), functions_of(other_elf)
    changed = [function for function in sorted(set(functions) | set(others))
               if functions.get(function) != others.get(function)]
    print(f"{name}: {len(changed)} of {len(functions)} functions differ: "
          + (", ".join(changed[:5]) or "only their places"))
    return bool(differing), bool(changed)


def gp_files(root):
    return {file.relative_to(root): file for file in sorted(root.rglob("*.gp"))} \
        if root.is_dir() else {pathlib.Path(""): root}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    before, after = (gp_files(pathlib.Path(argument)) for argument in sys.argv[1:])
    if set(before) != set(after):
        sys.exit("these files are not on both sides: "
                 + ", ".join(str(file) for file in sorted(set(before) ^ set(after))))
    modules = tables = codes = 0
    for file, path in before.items():
        old, new = modules_of(path), modules_of(after[file])
        if [module[0] for module in old] != [module[0] for module in new]:
            sys.exit(f"{file}: has other modules than before")
        for pair in zip(old, new):
            differs = compare(*pair)
            modules, tables, codes = modules + 1, tables + differs[0], codes + differs[1]
    print(f"{modules} modules: {tables} tables differ, code of {codes} differs")
    sys.exit(1 if tables or codes else 0)


if __name__ == "__main__":
    main()
