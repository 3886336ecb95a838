#include "control/vertex_fault.hpp"

#include "control/parity_checks.hpp"
#include "control/tile_fault_text.hpp"
#include "tile/source_line.hpp"

#include <csignal>
#include <sstream>
#include <string>

namespace copse::ipud {
namespace {

std::string memoryFault(const TileMemory &memory, const CodeletFault &fault, std::uint32_t tile) {
  std::ostringstream text;
  text << std::hex << std::showbase << "bad memory access at ";
  wire::TileAddress where;
  if (!memory.locate(fault.address, where) && fault.onStack)
    return "stack overflow";
  if (!memory.locate(fault.address, where))
    text << "native address " << reinterpret_cast<std::uintptr_t>(fault.address)
         << ", which is in no tile";
  else if (memory.populated(tile, where.address, 1) && where.tile == tile)
    text << "address " << where.address << ", which is misaligned or not interleaved";
  else if (where.tile == tile)
    text << "address " << where.address << ", which the tile does not have";
  else
    text << "address " << where.address << " of the slot of tile " << std::dec << where.tile;
  return text.str();
}

std::string arithmeticFault(int code) {
  switch (code) {
  case FPE_FLTINV:
    return "invalid floating-point operation, which setFloatingPointBehaviour() lets stop programs";
  case FPE_FLTDIV:
    return "floating-point division by zero, which setFloatingPointBehaviour() lets stop programs";
  case FPE_FLTOVF:
    return "floating-point overflow, which setFloatingPointBehaviour() lets stop programs";
  default:
    return "integer division by zero or overflow";
  }
}

std::string signalText(const TileMemory &memory, const CodeletFault &fault, std::uint32_t tile) {
  switch (fault.signal) {
  case SIGSEGV:
  case SIGBUS:
    return memoryFault(memory, fault, tile);
  case SIGFPE:
    return arithmeticFault(fault.code);
  case SIGILL:
    return "illegal instruction";
  case SIGTRAP:
    return "trap";
  default:
    return "abort";
  }
}

std::string faultText(const wire::Image &image, const TileMemory &memory, const CodeletFault &fault,
                      std::uint32_t tile) {
  switch (fault.kind) {
  case CodeletFault::Kind::Signal:
    return signalText(memory, fault, tile);
  case CodeletFault::Kind::Exception:
    return "an exception that it did not catch" + (fault.thrown ? ": " + *fault.thrown : "");
  case CodeletFault::Kind::TileException:
    return tileFaultText(image, *fault.tile, tile);
  case CodeletFault::Kind::NoRegister: {
    constexpr int kFpStatus = 0x100;
    if (fault.code == kFpStatus)
      return "a read of $FP_STS: the compiler of native code chooses the instructions, so it also "
             "decides which events there are; test results (__builtin_ipu_isnan, ..._isinf), let "
             "events stop the program (poplar/CSRFunctions.hpp), or write the vertex in tile "
             "assembly";
    std::ostringstream text;
    text << "control register " << std::hex << std::showbase << fault.code
         << ", which native code cannot use in this way; use the functions of "
            "poplar/CSRFunctions.hpp and poplar/RandomSeed.hpp, or guard the code with __IPU__";
    return text.str();
  }
  case CodeletFault::Kind::NoInstruction: {
    std::ostringstream text;
    text << std::hex << std::showbase << fault.code
         << " is no instruction of the matrix unit, or no index of its weights, that the tile has";
    return text.str();
  }
  case CodeletFault::Kind::MemoryError: {
    wire::TileAddress where;
    memory.locate(fault.address, where);
    return memoryErrorText(where.address);
  }
  case CodeletFault::Kind::SupervisorAssembly:
    return "inline assembly at " + NativeAssembly(*fault.assembly).place() +
           ": the instruction is for the supervisor, but this codelet runs on a worker; derive its "
           "class from SupervisorVertex, or leave the branch out with -U__IPU__";
  case CodeletFault::Kind::AssemblyPointer: {
    std::ostringstream text;
    if (fault.tileFunction != nullptr)
      text << "a call of '" << fault.tileFunction << "', which is tile code: an argument";
    else
      text << "inline assembly at " << NativeAssembly(*fault.assembly).place() << ": an operand";
    text << " points to native address " << fault.address
         << ", which is in no tile; tile instructions reach fields of vertices, not variables of "
            "functions";
    return text.str();
  }
  case CodeletFault::Kind::Interrupted:
    break;
  }
  return "it did not return within the time limit of a compute set, which is the longer one of the "
         "engine options copse.syncTimeout and target.hostSyncTimeout";
}

/// Returns where in the user's source a C++ codelet has faulted, as far as its module knows that.
std::string placeOf(const CodeletFault &fault) {
  if (fault.kind != CodeletFault::Kind::Signal || fault.instruction == nullptr)
    return "";
  const auto line = sourceLine(fault.instruction);
  return line ? (fault.started ? ", at " : " at ") + *line : "";
}

/// Returns a hint at tools that tell more about the fault of a C++ codelet, of which only the
/// address is known.
std::string hintFor(const CodeletFault &fault) {
  const bool isOfCode =
      fault.kind == CodeletFault::Kind::Signal && fault.signal != SIGFPE && !fault.onStack;
  return isOfCode
             ? "; copse check says what it accesses, and at which line of the source, and copse "
               "debug stops before it"
             : "";
}

/// Describes which native function, started by a vertex of tile code, has faulted.
std::string startedText(const wire::Image &image, const CodeletFault &fault) {
  if (!fault.started)
    return "";
  const wire::CodeletFunction &started = image.functions[*fault.started];
  return started.kind == wire::CodeKind::NativeFunction
             ? " in function '" + started.vertexType + "', which its tile code calls"
             : " in codelet '" + started.vertexType + "', which its tile code starts";
}

bool isMemoryError(const CodeletFault &fault) {
  return fault.kind == CodeletFault::Kind::MemoryError ||
         (fault.tile && fault.tile->type == isa::Exception::MemoryError);
}

/// Returns the tile's range of vertices that contains vertex \p number.
const wire::TileVertices *runOf(const wire::ComputeSet &set, std::uint32_t number) {
  for (const auto &run : set.tiles)
    if (number >= run.first && number - run.first < run.count)
      return &run;
  return nullptr;
}

} // namespace

wire::Status vertexFault(const Loaded &loaded, const TileMemory &memory,
                         const wire::ComputeSet &set, const CodeletFault &fault) {
  const auto number = static_cast<std::uint32_t>(fault.vertex - set.vertices.data());
  const auto *const run = runOf(set, number);
  const auto &function = loaded.image.functions[fault.vertex->function];
  // Vertices are assigned to workers in order. A MultiVertex, and native code started by tile code,
  // knows its worker.
  const auto worker = fault.tile ? fault.worker
                      : function.multiVertex || fault.started
                          ? fault.worker
                          : (number - run->first) % loaded.image.geometry.workers;
  std::ostringstream text;
  text << "ipu " << loaded.placement.self.value << ", tile " << run->tile << ", ";
  if (fault.tile && worker == kSupervisor)
    text << "supervisor";
  else
    text << "worker " << worker;
  text << ": vertex '" << function.vertexType << "' of compute set '" << set.name << "' failed"
       << startedText(loaded.image, fault) << placeOf(fault) << ": "
       << faultText(loaded.image, memory, fault, run->tile) << hintFor(fault);
  return {isMemoryError(fault) ? wire::Code::MemoryError : wire::Code::VertexFault, text.str()};
}

} // namespace copse::ipud
