// Claims: fields cost next to nothing, and neither does counting cycles. A loop over fields of a
// codelet that popc compiled, against the same loop over plain pointers, compiled with the same
// options, over the same memory; and against the same codelet without the counting.
#include "disk_cache/private_directory.hpp"
#include "popc/child_process.hpp"
#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"
#include "wire/codelet_abi.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace copse;

// Vectors of at most 16 KiB: a tile's share of work, warm in the cache. As matrices they have rows
// of 64.
constexpr std::uint32_t kElements = 4096, kRows = 64, kRowElements = kElements / kRows;
constexpr std::uintptr_t kSlotBytes = std::uintptr_t{1} << 21;
constexpr std::uint32_t kState = 0x50000, kTableA = 0x51000, kTableC = 0x52000;
constexpr std::uint32_t kA = 0x54000, kB = 0x5A000, kC = 0x60000, kExpected = 0x66000;

constexpr const char *kSource = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
template <class T> class Add : public Vertex {
  Input<Vector<T>> a, b;
  Output<Vector<T>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i)
      c[i] = a[i] + b[i];
    return true;
  }
};
template <class T> class Scale : public Vertex {
  Input<Vector<T>> a;
  Output<Vector<T>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i)
      c[i] = a[i] * 3;
    return true;
  }
};
template <class T> class Dot : public Vertex {
  Input<Vector<T>> a, b;
  Output<Vector<T>> c;
public:
  bool compute() {
    T sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    c[0] = sum;
    return true;
  }
};
class AddScaledPointers : public Vertex {
  Input<Vector<float, VectorLayout::SCALED_PTR128, 16>> a, b;
  Output<Vector<float, VectorLayout::SCALED_PTR128, 16>> c;
  unsigned n;
public:
  bool compute() {
    for (unsigned i = 0; i < n; ++i)
      c[i] = a[i] + b[i];
    return true;
  }
};
class ScaleRows : public Vertex {
  Vector<Input<Vector<float>>> a;
  Vector<Output<Vector<float>>> c;
public:
  bool compute() {
    for (unsigned r = 0; r < a.size(); ++r)
      for (unsigned i = 0; i < a[r].size(); ++i)
        c[r][i] = a[r][i] * 3;
    return true;
  }
};
class ScaleList : public Vertex {
  Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> a;
  Output<VectorList<float, VectorListLayout::DELTANELEMENTS>> c;
public:
  bool compute() {
    for (unsigned r = 0; r < a.size(); ++r)
      for (unsigned i = 0; i < a[r].size(); ++i)
        c[r][i] = a[r][i] * 3;
    return true;
  }
};
// Loops whose cycles depend on their data.
class Larger : public Vertex {
  Input<Vector<float>> a, b;
  Output<Vector<float>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i)
      if (a[i] > b[i])
        c[i] = a[i] * 3;
    return true;
  }
};
class Halvings : public Vertex {
  Input<Vector<int>> a;
  Output<Vector<int>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i) {
      int halvings = 0;
      for (int x = a[i]; x > 1; x = x % 2 == 0 ? x / 2 : x - 1)
        ++halvings;
      c[i] = halvings;
    }
    return true;
  }
};
__attribute__((noinline)) float cubic(float x) { return (x + 1) * x * x; }
class Calls : public Vertex {
  Input<Vector<float>> a;
  Output<Vector<float>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < c.size(); ++i)
      c[i] = cubic(a[i]);
    return true;
  }
};
#define PLAIN(name, T)                                                                             \
  extern "C" __attribute__((visibility("default"))) void name(const T *a, const T *b, T *c,        \
                                                              unsigned rows, unsigned n)
#define FOR_TYPE(T)                                                                                \
  template class Add<T>;                                                                           \
  template class Scale<T>;                                                                         \
  template class Dot<T>;                                                                           \
  PLAIN(add_##T, T) {                                                                              \
    for (unsigned i = 0; i < rows * n; ++i)                                                        \
      c[i] = a[i] + b[i];                                                                          \
  }                                                                                                \
  PLAIN(scale_##T, T) {                                                                            \
    for (unsigned i = 0; i < rows * n; ++i)                                                        \
      c[i] = a[i] * 3;                                                                             \
  }                                                                                                \
  PLAIN(dot_##T, T) {                                                                              \
    T sum = 0;                                                                                     \
    for (unsigned i = 0; i < rows * n; ++i)                                                        \
      sum += a[i] * b[i];                                                                          \
    c[0] = sum;                                                                                    \
  }
FOR_TYPE(float)
FOR_TYPE(int)
PLAIN(larger_float, float) {
  for (unsigned i = 0; i < rows * n; ++i)
    if (a[i] > b[i])
      c[i] = a[i] * 3;
}
PLAIN(halvings_int, int) {
  for (unsigned i = 0; i < rows * n; ++i) {
    int halvings = 0;
    for (int x = a[i]; x > 1; x = x % 2 == 0 ? x / 2 : x - 1)
      ++halvings;
    c[i] = halvings;
  }
}
PLAIN(calls_float, float) {
  for (unsigned i = 0; i < rows * n; ++i)
    c[i] = cubic(a[i]);
}
template class Add<half>;
struct PlainRow { // jagged rows, as plain C++ has them
  float *data;
  unsigned size;
};
PLAIN(rows_float, PlainRow) {
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned i = 0; i < a[r].size; ++i)
      c[r].data[i] = a[r].data[i] * 3;
}
)";

// Halves as clang adds them: popc's saturate, wherever they stand in its source.
constexpr const char *kPlainHalves = R"(
extern "C" void add_half(const _Float16 *a, const _Float16 *b, _Float16 *c, unsigned rows,
                         unsigned n) {
  for (unsigned i = 0; i < rows * n; ++i)
    c[i] = a[i] + b[i];
}
)";

/// A shared object of kPlainHalves, of the same compiler with the same optimisation.
void *openPlainHalves() {
  const popc::NativeCompiler compiler;
  const disk_cache::PrivateDirectory folder;
  const std::string file = (folder.path() / "plain.so").string();
  std::vector<std::string> arguments = compiler.command();
  const std::vector<std::string> processor = compiler.processorFlags();
  arguments.insert(arguments.end(), processor.begin(), processor.end());
  arguments.insert(arguments.end(), {"-O3", "-fPIC", "-shared", "-falign-functions=64",
                                     "-falign-loops=64", "-x", "c++", "-o", file, "-"});
  const auto result = popc::runChild(arguments, kPlainHalves, "", std::chrono::seconds(60));
  if (result.exitCode != 0)
    throw std::runtime_error(result.errors);
  return ::dlopen(file.c_str(), RTLD_NOW);
}

using PlainLoop = void (*)(const void *, const void *, void *, unsigned, unsigned);

enum class Element { Float, Int, Half };
constexpr std::uint32_t bytesOf(Element element) { return element == Element::Half ? 2 : 4; }

/// A row as the plain loop of the source above stores it.
struct PlainRow {
  float *data;
  unsigned size;
};

/// How a vertex finds its vectors; each field is encoded as guide 4.2 says.
enum class Access { Spans, ScaledPointers, Rows, List };

struct Loop {
  const char *claim; ///< behind "codelet_", and behind "codelet_counting_"
  const char *vertex;
  const char *plain;
  Element element;
  Access access = Access::Spans;
};

constexpr Loop kLoops[] = {
    {"add_float", "Add<float>", "add_float", Element::Float},
    {"add_int", "Add<int>", "add_int", Element::Int},
    {"scale_float", "Scale<float>", "scale_float", Element::Float},
    {"scale_int", "Scale<int>", "scale_int", Element::Int},
    {"dot_float", "Dot<float>", "dot_float", Element::Float},
    {"dot_int", "Dot<int>", "dot_int", Element::Int},
    {"add_half", "Add<half>", "add_half", Element::Half},
    {"scaled_pointers", "AddScaledPointers", "add_float", Element::Float, Access::ScaledPointers},
    {"larger", "Larger", "larger_float", Element::Float},
    {"halvings", "Halvings", "halvings_int", Element::Int},
    {"calls", "Calls", "calls_float", Element::Float},
    {"nested_vectors", "ScaleRows", "rows_float", Element::Float, Access::Rows},
    {"vector_list", "ScaleList", "rows_float", Element::Float, Access::List},
};

/// The count of codelets.
thread_local unsigned long long cycles;

/// kSource, compiled and open.
class Code {
public:
  explicit Code(const std::vector<std::string> &flags) {
    popc::CompileOptions options;
    options.targets = {popc::Architecture::Ipu2};
    options.flags = flags;
    module_ = popc::compileSource(kSource, "bench.cpp", options).at(0);
    const int fd = ::memfd_create("codelets", MFD_CLOEXEC);
    if (::write(fd, module_.elf.data(), module_.elf.size()) !=
        static_cast<ssize_t>(module_.elf.size()))
      throw std::runtime_error("cannot write the module");
    // The file stays open: of two modules with one name, the second would be the first again.
    handle_ = ::dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW);
    if (handle_ == nullptr)
      throw std::runtime_error(::dlerror());
    *static_cast<wire::CycleOffset *>(::dlsym(handle_, wire::kCycleOffsetSymbol)) =
        reinterpret_cast<const char *>(&cycles) -
        static_cast<const char *>(__builtin_thread_pointer());
  }

  const popc::VertexType &vertex(const std::string &name) const {
    for (const popc::VertexType &vertex : module_.vertices)
      if (vertex.name == name)
        return vertex;
    throw std::runtime_error("no vertex " + name);
  }
  /// Null if it was not found.
  template <class F> F function(const std::string &name) const {
    return reinterpret_cast<F>(::dlsym(handle_, name.c_str()));
  }

private:
  popc::Module module_;
  void *handle_ = nullptr;
};

/// A tile with one vertex on it, and its code.
class Tile {
public:
  Tile() {
    const auto region = reinterpret_cast<std::uintptr_t>(::mmap(
        nullptr, 2 * kSlotBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    slot_ = (region + kSlotBytes - 1) & ~(kSlotBytes - 1);
  }
  void *at(std::uint32_t address) const { return reinterpret_cast<void *>(slot_ | address); }

  /// Plain loops do not count either.
  PlainLoop plainLoop(const std::string &name) const {
    if (const auto loop = uncounted_.function<PlainLoop>(name))
      return loop;
    void *const symbol = ::dlsym(plainHalves_, name.c_str());
    if (symbol == nullptr)
      throw std::runtime_error("no function " + name);
    return reinterpret_cast<PlainLoop>(symbol);
  }

  /// Fills the inputs, clears the outputs, and makes the vertex's state.
  /// \returns its entry
  wire::CodeletEntry prepare(const Loop &loop, bool isCounted = true) const {
    for (std::uint32_t i = 0; i < kElements; ++i) {
      setElement(loop.element, kA, i, static_cast<int>(i % 64));
      setElement(loop.element, kB, i, static_cast<int>(i % 7));
      setElement(loop.element, kC, i, 0);
      setElement(loop.element, kExpected, i, 0);
    }
    const Code &code = isCounted ? counted_ : uncounted_;
    const popc::VertexType &vertex = code.vertex(loop.vertex);
    for (const popc::Field &field : vertex.fields)
      encode(field, loop.access);
    return code.function<wire::CodeletEntry>(vertex.symbol);
  }
  bool correct(Element element) const {
    return std::memcmp(at(kC), at(kExpected), std::size_t{kElements} * bytesOf(element)) == 0;
  }

private:
  template <class T> void set(std::uint32_t address, T value) const {
    std::memcpy(at(address), &value, sizeof value);
  }
  void setElement(Element element, std::uint32_t vector, std::uint32_t i, int value) const {
    const std::uint32_t address = vector + i * bytesOf(element);
    if (element == Element::Float)
      set(address, static_cast<float>(value));
    else if (element == Element::Int)
      set(address, value);
    else
      set(address, static_cast<_Float16>(value));
  }
  void encode(const popc::Field &field, Access access) const {
    const std::uint32_t at = kState + field.offset;
    if (field.name == "n")
      return set(at, kElements);
    const std::uint32_t data = field.name == "a" ? kA : field.name == "b" ? kB : kC;
    const std::uint32_t table = field.name == "a" ? kTableA : kTableC;
    switch (access) {
    case Access::Spans:
      set(at, data);
      return set(at + 4, kElements);
    case Access::ScaledPointers:
      return set(at, static_cast<std::uint16_t>(data >> 4));
    case Access::Rows:
      for (std::uint32_t r = 0; r < kRows; ++r) {
        set(table + 8 * r, data + r * kRowElements * 4);
        set(table + 8 * r + 4, kRowElements);
      }
      set(at, table);
      return set(at + 4, kRows);
    case Access::List:
      for (std::uint32_t r = 0; r < kRows; ++r) // 19 bits of offset in elements, then the count
        set(table + 4 * r, r * kRowElements | kRowElements << 19);
      set(at, data);
      return set(at + 4, table | kRows << 24);
    }
  }

  std::uintptr_t slot_ = 0;
  Code counted_{{}}, uncounted_{{popc::kUncountedFlag}};
  void *plainHalves_ = openPlainHalves();
};

/// The data of a claim's plain loop: a vector, or the rows of a matrix.
class PlainVector {
public:
  PlainVector(const Tile &tile, std::uint32_t address, const Loop &loop)
      : data_(static_cast<float *>(tile.at(address))),
        asRows_(loop.access == Access::Rows || loop.access == Access::List) {
    for (std::uint32_t r = 0; r < kRows; ++r)
      rows_.push_back({data_ + std::size_t{r} * kRowElements, kRowElements});
  }
  void *get() { return asRows_ ? static_cast<void *>(rows_.data()) : data_; }

private:
  float *data_;
  std::vector<PlainRow> rows_;
  bool asRows_;
};

void expect(const Tile &tile, const Loop &loop) {
  PlainVector a(tile, kA, loop), expected(tile, kExpected, loop);
  tile.plainLoop(loop.plain)(a.get(), tile.at(kB), expected.get(), kRows, kRowElements);
}

void codelet(benchmark::State &state, const Tile &tile, const Loop &loop, bool isCounted) {
  const auto entry = tile.prepare(loop, isCounted);
  expect(tile, loop);
  for (auto _ : state) {
    entry(tile.at(kState), 0);
    benchmark::ClobberMemory();
  }
  if (!tile.correct(loop.element))
    state.SkipWithError("the codelet's results are not the plain loop's");
}

void plain(benchmark::State &state, const Tile &tile, const Loop &loop) {
  tile.prepare(loop);
  PlainVector a(tile, kA, loop), c(tile, kC, loop);
  const auto run = tile.plainLoop(loop.plain);
  for (auto _ : state) {
    run(a.get(), tile.at(kB), c.get(), kRows, kRowElements);
    benchmark::ClobberMemory();
  }
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  try {
    const Tile tile;
    const auto add = [](const std::string &name, auto run) {
      benchmark::RegisterBenchmark(name.c_str(), run);
    };
    for (const Loop &loop : kLoops) {
      const std::string fields = std::string("codelet_") + loop.claim;
      const std::string counting = std::string("codelet_counting_") + loop.claim;
      const auto counted = [&](benchmark::State &state) { codelet(state, tile, loop, true); };
      add(fields + "/subject", counted);
      add(fields + "/reference", [&](benchmark::State &state) { plain(state, tile, loop); });
      add(counting + "/subject", counted);
      add(counting + "/reference",
          [&](benchmark::State &state) { codelet(state, tile, loop, false); });
    }
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "codelet_loop_bench: %s\n", e.what());
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}
