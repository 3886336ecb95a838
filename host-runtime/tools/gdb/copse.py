"""gdb's side of copse debug: printers of codelet fields, and the commands `copse` and `tile`.

An IPU that stops for a debugger (VertexDebugger of ipud) leaves a file that says where its DebugState is, by the names
of the members. Each stop is a call of a function that does nothing, on which a breakpoint stands.
"""

import json
import re
import struct

import gdb
import gdb.xmethod

SUPERVISOR = 6
ANY_TILE = 0xFFFFFFFF
ONE_INSTRUCTION = 1


class Ipu:
    """The IPU that has stopped for this debugger."""

    def __init__(self, folder, once):
        with open(folder + "/stop.json", encoding="utf-8") as file:
            self.word = json.load(file)
        with open(folder + "/code.json", encoding="utf-8") as file:
            self.sections = json.load(file)
        self.once = once  # the first stop is to be the only one

    def _memory(self, name):
        address, size = self.word["state"][name]
        return bytes(gdb.selected_inferior().read_memory(address, size))

    def number(self, name):
        return int.from_bytes(self._memory(name), "little")

    def numbers(self, name):
        data = self._memory(name)
        return list(struct.unpack(f"<{len(data) // 4}I", data))

    def text(self, name):
        return self._memory(name).split(b"\0")[0].decode(errors="replace")

    def put(self, name, value):
        address, size = self.word["state"][name]
        if isinstance(value, str):
            data = value.encode()[: size - 1] + b"\0"
        elif isinstance(value, list):
            data = struct.pack(f"<{len(value)}I", *value)
        else:
            data = value.to_bytes(size, "little")
        gdb.selected_inferior().write_memory(address, data)

    def slot(self):
        return self.number("slot")

    def sections_of_tile(self):
        """The code that the tile at hand has. (Functions of the process could say it, too, but gdb 13 cannot call any on a
        processor with AMX.)"""
        tile = self.number("tile")
        return [section for section in self.sections if tile in section["tiles"]]

    def instruction(self, address):
        """Bytes and text of the instruction at an address of the tile at hand, or None."""
        for section in self.sections_of_tile():
            word, rest = divmod(address - section["address"], 4)
            if rest == 0 and 0 <= word < len(section["code"]):
                return section["code"][word]
        return None


ipu = None


def the_ipu():
    if ipu is None:
        raise gdb.GdbError("no IPU is debugged here; start gdb with copse debug")
    return ipu


# --------------------------------------------------------------------------------------------------
# Fields of codelets

SPAN, SHORT_SPAN, ONE_PTR, SCALED_PTR32, SCALED_PTR64, SCALED_PTR128 = range(1, 7)
DELTAN, DELTANELEMENTS = 5, 6
LOW_20_BITS = 0xFFFFF
REGION_0 = 0x40000  # what pointers of 32-bit units leave out


def slot_of(value):
    """Address 0 of the tile that a field points into."""
    if ipu is not None:
        return ipu.slot()
    bits = 21
    return int(value.address) >> bits << bits


def part(value, name):
    """Returns the member of that name, of the class or of a base."""
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            found = part(value[field], name)
            if found is not None:
                return found
        elif field.name == name:
            return value[field]
    return None


def base_named(value, prefix):
    """Returns the object, or the base of it, whose class has a name that begins so."""
    kind = value.type.strip_typedefs()
    if str(kind.unqualified()).startswith(prefix):
        return value
    for field in kind.fields():
        if field.is_base_class:
            found = base_named(value[field], prefix)
            if found is not None:
                return found
    return None


def number_of(value, name):
    member = part(value, name)
    return int(member.cast(gdb.lookup_type("unsigned int")))


def decoded(pointer):
    """Returns tile address and count (None if unknown) of a poplar::encoding::Pointer."""
    layout = int(pointer.type.strip_typedefs().template_argument(1))
    if layout == SPAN:
        return number_of(pointer, "address_"), number_of(pointer, "count_")
    if layout == SHORT_SPAN:
        word = number_of(pointer, "word_")
        return word & LOW_20_BITS, word >> 20
    if layout == ONE_PTR:
        return number_of(pointer, "address_"), None
    scaled = number_of(pointer, "scaled_")
    if layout == SCALED_PTR32:
        return scaled << 2 | REGION_0, None
    return scaled << (3 if layout == SCALED_PTR64 else 4), None


def elements_at(kind, slot, address):
    return gdb.Value(slot + address).cast(kind.pointer())


class ScalarPrinter:
    def __init__(self, value):
        self.field = base_named(value, "poplar::encoding::ScalarField<")

    def to_string(self):
        address, _ = decoded(self.field["pointer_"])
        kind = self.field.type.template_argument(0)
        value = elements_at(kind, slot_of(self.field), address).dereference()
        return f"{value.format_string()} at {address:#x}"


class VectorPrinter:
    def __init__(self, value):
        self.field = base_named(value, "poplar::encoding::VectorField<")
        self.kind = self.field.type.strip_typedefs().template_argument(0)
        self.address, self.count = decoded(part(self.field, "pointer_"))

    def to_string(self):
        if self.count is None:
            return f"elements of type {self.kind}, whose number is not in the vertex, at {self.address:#x}"
        return f"{self.count} of type {self.kind} at {self.address:#x}"

    def children(self):
        first = elements_at(self.kind, slot_of(self.field), self.address)
        for i in range(self.count or 0):
            yield str(i), (first + i).dereference()

    def display_hint(self):
        return "array"


class ListPrinter:
    """A VectorList: its rows."""

    def __init__(self, value):
        self.field = base_named(value, "poplar::encoding::ListField<")
        self.list = self.field["list_"]
        kind = self.list.type.strip_typedefs()
        self.kind = kind.template_argument(0)
        self.layout = int(kind.template_argument(1))
        self.align = int(kind.template_argument(2))
        if self.layout == DELTAN:
            word = number_of(self.list, "baseAndCount_")
            self.base, self.count = word & LOW_20_BITS, word >> 20
            self.table, _ = decoded(self.list["table_"])
            self.offset_bits, self.unit = 18, 1
        else:
            base, table = number_of(self.list, "base_"), number_of(self.list, "table_")
            self.base, self.count = base & 0x1FFFFF, base >> 24 << 8 | table >> 24
            self.table = table & 0x1FFFFF
            self.offset_bits, self.unit = 21 - (self.align.bit_length() - 1), self.align

    def to_string(self):
        return f"{self.count} rows of type {self.kind}"

    def children(self):
        slot = slot_of(self.field)
        words = elements_at(gdb.lookup_type("unsigned int"), slot, self.table)
        for i in range(self.count):
            entry = int((words + i).dereference())
            count = entry >> self.offset_bits
            address = self.base + (entry & (1 << self.offset_bits) - 1) * self.unit
            yield str(i), row(self.kind, slot, address, count)

    def display_hint(self):
        return "array"


def row(kind, slot, address, count):
    if count == 0:
        return "{}"
    return elements_at(kind.array(count - 1), slot, address).dereference()


class ViewPrinter:
    """Code sees a field within a field by native addresses."""

    def __init__(self, value):
        self.value = value
        count = part(value, "size_")
        self.count = None if count is None else int(count)

    def to_string(self):
        data = part(self.value, "data_")
        if self.count is None:
            return data.format_string()
        return f"{self.count} elements at {int(data) - slot_of(self.value):#x}"

    def children(self):
        data = part(self.value, "data_")
        for i in range(self.count or 0):
            yield str(i), (data + i).dereference()

    def display_hint(self):
        return "array"


def printer_of(value):
    kind = value.type.strip_typedefs().unqualified()
    if kind.code != gdb.TYPE_CODE_STRUCT or not (kind.name or "").startswith("poplar::"):
        return None
    if re.match(r"poplar::encoding::(Pointer|Span|Scalar)View<", kind.name):
        return ViewPrinter(value)
    if not re.match(r"poplar::(Input|Output|InOut|Vector)<", kind.name):
        return None
    for prefix, printer in (
        ("Scalar", ScalarPrinter),
        ("Vector", VectorPrinter),
        ("List", ListPrinter),
    ):
        if base_named(value, f"poplar::encoding::{prefix}Field<") is not None:
            return printer(value)
    return None


class FieldMethods(gdb.xmethod.XMethodMatcher):
    """field[i] and field.size(): compilers make no functions of them that gdb could call."""

    FIELDS = r"poplar::(Input|Output|InOut|Vector)<|poplar::encoding::(Pointer|Span)View<"

    def __init__(self):
        super().__init__("copse fields")
        self.methods = [gdb.xmethod.XMethod(name) for name in ("operator[]", "size")]

    def match(self, class_type, method_name):
        if not re.match(self.FIELDS, class_type.unqualified().tag or ""):
            return None
        return {"operator[]": ElementOfField, "size": SizeOfField}.get(method_name, lambda: None)()


class ElementOfField(gdb.xmethod.XMethodWorker):
    def get_arg_types(self):
        return [gdb.lookup_type("long")]

    def __call__(self, field, index):
        found = list(printer_of(field.referenced_value() if is_pointer(field) else field).children())
        if int(index) >= len(found):
            raise gdb.GdbError(f"the field has {len(found)} elements whose number gdb knows")
        return found[int(index)][1]


class SizeOfField(gdb.xmethod.XMethodWorker):
    def get_arg_types(self):
        return []

    def __call__(self, field):
        return len(list(printer_of(field.referenced_value() if is_pointer(field) else field).children()))


def is_pointer(value):
    return value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR


class NativeAddress(gdb.Function):
    """$tile(ADDRESS): the native address of an address of the tile that has stopped."""

    def invoke(self, address):
        return gdb.Value(the_ipu().slot() + int(address)).cast(gdb.lookup_type("char").pointer())


class TileAddress(gdb.Function):
    """$tile_address(POINTER): the tile address of a native one."""

    def invoke(self, pointer):
        return int(pointer) - the_ipu().slot()


class RunningVertex(gdb.Function):
    """$vertex(): the vertex that has stopped, as a pointer to its class."""

    def invoke(self):
        frame = gdb.selected_frame()
        while frame is not None:
            this = frame.function() and gdb.lookup_symbol("this", frame.block())[0]
            if this:
                return gdb.Value(the_ipu().number("vertex")).cast(this.type)
            frame = frame.older()
        raise gdb.GdbError("no frame belongs to a codelet in C++ with debug information")


# --------------------------------------------------------------------------------------------------
# Stops


ENTRY = "__runCodelet_"  # what ipud calls begins so


class CodeletFrames:
    """Backtraces end with the codelet: below it is ipud."""

    def __init__(self):
        self.name, self.priority, self.enabled = "codelet", 100, True
        gdb.current_progspace().frame_filters[self.name] = self

    def filter(self, frames):
        for frame in frames:
            yield frame
            if (frame.inferior_frame().name() or "").startswith(ENTRY):
                return


def quietly(command):
    """Executes a command that lets the process run, without a word about where it stops."""
    try:
        gdb.execute("set suppress-cli-notifications on")
    except gdb.error:
        pass  # gdb 12 and older say more
    try:
        gdb.execute(command, to_string=True)
    finally:
        try:
            gdb.execute("set suppress-cli-notifications off")
        except gdb.error:
            pass


def describe_vertex():
    it = the_ipu()
    gdb.write(
        f"ipu {it.number('ipu')}, tile {it.number('tile')}, worker {it.number('worker')}: "
        f"vertex '{it.text('vertexName')}' of compute set '{it.text('computeSet')}'\n"
    )


def context_name(it):
    context = it.number("context")
    return "supervisor" if context == SUPERVISOR else f"worker {context}"


def describe_instruction():
    it = the_ipu()
    gdb.write(f"tile {it.number('tile')}, {context_name(it)}: {it.text('text')}\n")


def enter_codelet():
    """Runs from the stop before a vertex to the first line of the vertex's own source."""
    entry = the_ipu().number("entry")
    gdb.Breakpoint(f"*{entry:#x}", internal=True, temporary=True).silent = True
    quietly("continue")
    frame = gdb.newest_frame()
    if frame.pc() != entry:
        return  # something else has stopped before
    if gdb.find_pc_line(entry).symtab is None:
        gdb.write("the codelet has no debug information\n")
        return
    name = frame.name()
    for _ in range(8):
        if gdb.newest_frame().name() != name:
            break
        quietly("step")
    gdb.execute("frame")


class Stop(gdb.Breakpoint):
    def __init__(self, address):
        super().__init__(f"*{address:#x}", internal=True)
        self.silent = True
        self.commands = "copse arrive"


class Copse(gdb.Command):
    """Vertices of an emulated IPU: copse vertex, copse break, copse clear."""

    def __init__(self):
        super().__init__("copse", gdb.COMMAND_RUNNING, prefix=True)


class Start(gdb.Command):
    """copse start FOLDER [once]: begin with the IPU that has left word there; once: with no further stops."""

    def __init__(self):
        super().__init__("copse start", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        global ipu
        words = gdb.string_to_argv(argument)
        ipu = Ipu(words[0], "once" in words[1:])
        gdb.execute(f"directory {words[0]}/sources", to_string=True)
        quietly(f"attach {ipu.word['pid']}")
        # gdb 13 cannot step AVX instructions elsewhere if they name data by their own address.
        gdb.execute("set displaced-stepping off")
        CodeletFrames()
        Stop(ipu.word["stop"])
        ipu.put("isAttended", 1)
        gdb.execute("continue", to_string=True)


class Arrive(gdb.Command):
    """Called at each stop of the IPU. Not a command for users."""

    def __init__(self):
        super().__init__("copse arrive", gdb.COMMAND_SUPPORT)

    def invoke(self, argument, from_tty):
        it = the_ipu()
        if it.once:
            it.once = False
            it.put("pattern", "")
        if it.number("inTileCode"):
            if it.number("cycles") == 0:
                describe_vertex()
            describe_instruction()
        else:
            describe_vertex()
            enter_codelet()


class Vertex(gdb.Command):
    """copse vertex: the vertex that has stopped, with its fields if it is in C++."""

    def __init__(self):
        super().__init__("copse vertex", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        describe_vertex()
        if the_ipu().number("entry"):
            gdb.execute("print *$vertex()")


class BreakAtVertex(gdb.Command):
    """copse break VERTEX[:TILE]: stop before each vertex of that class; * stands for any characters."""

    def __init__(self):
        super().__init__("copse break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        name, tile = argument.strip(), ANY_TILE
        at_end = re.fullmatch(r"(.*[^:]):(\d+)", name)
        if at_end:
            name, tile = at_end[1], int(at_end[2])
        if not name:
            raise gdb.GdbError("which vertices? copse break VERTEX[:TILE]")
        it = the_ipu()
        it.put("pattern", name)
        it.put("onlyTile", tile)
        it.once = False


class Clear(gdb.Command):
    """copse clear: stop before no more vertices."""

    def __init__(self):
        super().__init__("copse clear", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        the_ipu().put("pattern", "")


# --------------------------------------------------------------------------------------------------
# Tile code


def address_of(where):
    """Returns a tile address, from itself, a symbol, a vertex or FILE.S:LINE."""
    try:
        return int(where, 0)
    except ValueError:
        for section in the_ipu().sections_of_tile():
            for name, address in section["names"].items():
                if where == name or name == "__runCodelet_" + where or name.endswith("/" + where):
                    return address
        raise gdb.GdbError(f"tile {the_ipu().number('tile')} has no code '{where}'") from None


def check_in_tile_code():
    if not the_ipu().number("inTileCode"):
        raise gdb.GdbError("the vertex is in C++; tile instructions are those of vertices in assembly")


class Tile(gdb.Command):
    """Tile code: tile step, tile break, tile delete, tile registers, tile memory, tile disassemble."""

    def __init__(self):
        super().__init__("tile", gdb.COMMAND_RUNNING, prefix=True)


class TileStep(gdb.Command):
    """tile step [N]: execute the next instruction, or bundle, of the context that has stopped."""

    def __init__(self):
        super().__init__("tile step", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        check_in_tile_code()
        it = the_ipu()
        count = int(argument or 1)
        for _ in range(count):
            it.put("stepping", ONE_INSTRUCTION)
            gdb.execute("continue", to_string=True)
            if gdb.newest_frame().pc() != it.word["stop"]:
                break


class TileBreak(gdb.Command):
    """tile break WHERE: stop before an instruction: a tile address, a symbol, a vertex in assembly or FILE.S:LINE."""

    def __init__(self):
        super().__init__("tile break", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        it = the_ipu()
        address = address_of(argument.strip())
        places = it.numbers("breakpoints")
        count = it.number("breakpointCount")
        if count == len(places):
            raise gdb.GdbError(f"there are {count} breakpoints, and no room for more")
        places[count] = address
        it.put("breakpoints", places)
        it.put("breakpointCount", count + 1)
        gdb.write(f"breakpoint of tile code at {address:#x}\n")


class TileDelete(gdb.Command):
    """tile delete: remove all breakpoints of tile code."""

    def __init__(self):
        super().__init__("tile delete", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        the_ipu().put("breakpointCount", 0)


def in_rows(texts, columns):
    for i in range(0, len(texts), columns):
        gdb.write("  " + "   ".join(texts[i : i + columns]).rstrip() + "\n")


def as_float(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


class TileRegisters(gdb.Command):
    """tile registers: the registers of the context that has stopped."""

    def __init__(self):
        super().__init__("tile registers", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        check_in_tile_code()
        it = the_ipu()
        gdb.write(f"{context_name(it)}: pc {it.number('pc'):#x}, cycle {it.number('cycles')}\n")
        in_rows([f"$m{i:<2} {word:#010x}" for i, word in enumerate(it.numbers("m"))], 4)
        if it.number("context") != SUPERVISOR:
            in_rows([f"$a{i:<2} {word:#010x} {as_float(word):<12g}" for i, word in enumerate(it.numbers("a"))], 2)


class TileMemory(gdb.Command):
    """tile memory WHERE [WORDS]: words of the tile's memory."""

    def __init__(self):
        super().__init__("tile memory", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if not words:
            raise gdb.GdbError("which address? tile memory WHERE [WORDS]")
        first, count = address_of(words[0]), int(words[1], 0) if len(words) > 1 else 4
        data = gdb.selected_inferior().read_memory(the_ipu().slot() + first, 4 * count)
        for i, word in enumerate(struct.unpack(f"<{count}I", bytes(data))):
            gdb.write(f"  {first + 4 * i:#x}  {word:#010x}  {as_float(word):g}\n")


class TileDisassemble(gdb.Command):
    """tile disassemble [WHERE [N]]: N instructions, or bundles, from WHERE on; default: 10 from the next one."""

    def __init__(self):
        super().__init__("tile disassemble", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        it = the_ipu()
        words = gdb.string_to_argv(argument)
        if not words:
            check_in_tile_code()
        address = address_of(words[0]) if words else it.number("pc")
        if it.instruction(address) is None:
            gdb.write("no code stands there\n")
        next_one = it.number("pc") if it.number("inTileCode") else None
        for _ in range(int(words[1], 0) if len(words) > 1 else 10):
            found = it.instruction(address)
            if found is None:
                break
            gdb.write(f"{'=>' if address == next_one else '  '} {address:#07x}  {found[1]}\n")
            address += found[0]


gdb.pretty_printers.append(printer_of)
gdb.xmethod.register_xmethod_matcher(None, FieldMethods())
for function, name in ((NativeAddress, "tile"), (TileAddress, "tile_address"), (RunningVertex, "vertex")):
    function(name)
for command in (Copse, Start, Arrive, Vertex, BreakAtVertex, Clear, Tile, TileStep, TileBreak, TileDelete,
                TileRegisters, TileMemory, TileDisassemble):
    command()
gdb.execute("handle SIG45 nostop noprint pass", to_string=True)  # ipud's own, to interrupt codelets
