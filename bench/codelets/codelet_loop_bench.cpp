// Claim: fields cost nothing. The loop c[i] = a[i] + b[i] over SPAN fields of a codelet that popc
// compiled, against the same loop over plain pointers, compiled by the same call of the compiler,
// over the same memory.
#include "codelets/popc.hpp"

#include "wire/codelet_abi.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace copse;

constexpr std::uint32_t kElements =
    4096; // three vectors of 16 KiB: a tile's share of work, warm in the cache
constexpr std::uintptr_t kSlotBytes = std::uintptr_t{1} << 21;
constexpr std::uint32_t kState = 0x50000, kA = 0x52000, kB = 0x58000, kC = 0x5E000;

constexpr const char *kSource = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;
template <class T> class Add : public Vertex {
  Input<Vector<T>> a, b;
  Output<Vector<T>> c;
public:
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      c[i] = a[i] + b[i];
    return true;
  }
};
template class Add<float>;
template class Add<int>;
#define PLAIN(T)                                                                                   \
  extern "C" __attribute__((visibility("default"))) void plain_##T(const T *a, const T *b, T *c, unsigned n) { \
    for (unsigned i = 0; i < n; ++i)                                                               \
      c[i] = a[i] + b[i];                                                                          \
  }
PLAIN(float)
PLAIN(int)
)";

template <class T> using PlainLoop = void (*)(const T *, const T *, T *, unsigned);

/// A tile with one vertex on it, and the module with its code.
class Tile {
public:
  Tile() {
    const auto region = reinterpret_cast<std::uintptr_t>(::mmap(
        nullptr, 2 * kSlotBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    slot_ = (region + kSlotBytes - 1) & ~(kSlotBytes - 1);
    codelets::CompileOptions options;
    options.targets = {codelets::Arch::Ipu2};
    const codelets::Module module = codelets::compileSource(kSource, "bench.cpp", options).at(0);
    const int fd = ::memfd_create("codelets", MFD_CLOEXEC);
    if (::write(fd, module.elf.data(), module.elf.size()) !=
        static_cast<ssize_t>(module.elf.size()))
      throw std::runtime_error("cannot write the module");
    handle_ = ::dlopen(("/proc/self/fd/" + std::to_string(fd)).c_str(), RTLD_NOW);
    ::close(fd);
    if (handle_ == nullptr)
      throw std::runtime_error(::dlerror());
    for (std::uint32_t field = 0; field < 3; ++field) {
      at<std::uint32_t>(kState)[2 * field] = kA + field * (kB - kA);
      at<std::uint32_t>(kState)[2 * field + 1] = kElements;
    }
  }
  template <class T> T *at(std::uint32_t address) const {
    return reinterpret_cast<T *>(slot_ | address);
  }
  template <class F> F function(const std::string &name) const {
    void *symbol = ::dlsym(handle_, name.c_str());
    if (symbol == nullptr)
      throw std::runtime_error("no function " + name);
    return reinterpret_cast<F>(symbol);
  }

  /// Fills the inputs, and clears the output.
  template <class T> void prepare() const {
    for (std::uint32_t i = 0; i < kElements; ++i) {
      at<T>(kA)[i] = static_cast<T>(i);
      at<T>(kB)[i] = static_cast<T>(3 * i);
      at<T>(kC)[i] = 0;
    }
  }
  template <class T> bool correct() const {
    for (std::uint32_t i = 0; i < kElements; ++i)
      if (at<T>(kC)[i] != static_cast<T>(4 * i))
        return false;
    return true;
  }

private:
  std::uintptr_t slot_ = 0;
  void *handle_ = nullptr;
};

template <class T> void finish(benchmark::State &state, const Tile &tile) {
  if (!tile.correct<T>())
    state.SkipWithError("wrong sums");
  state.SetItemsProcessed(state.iterations() * kElements);
}

template <class T>
void subject(benchmark::State &state, const Tile &tile, const std::string &type) {
  const auto entry = tile.function<wire::CodeletEntry>("__runCodelet_Add___" + type);
  tile.prepare<T>();
  for (auto _ : state) {
    entry(tile.at<void>(kState), 0);
    benchmark::ClobberMemory();
  }
  finish<T>(state, tile);
}

template <class T>
void reference(benchmark::State &state, const Tile &tile, const std::string &type) {
  const auto loop = tile.function<PlainLoop<T>>("plain_" + type);
  tile.prepare<T>();
  for (auto _ : state) {
    loop(tile.at<T>(kA), tile.at<T>(kB), tile.at<T>(kC), kElements);
    benchmark::ClobberMemory();
  }
  finish<T>(state, tile);
}

template <class T> void add(const Tile &tile, const std::string &type) {
  const std::string name = "codelet_add_" + type;
  benchmark::RegisterBenchmark((name + "/subject").c_str(), [&tile, type](benchmark::State &state) {
    subject<T>(state, tile, type);
  });
  benchmark::RegisterBenchmark(
      (name + "/reference").c_str(),
      [&tile, type](benchmark::State &state) { reference<T>(state, tile, type); });
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  try {
    const Tile tile;
    add<float>(tile, "float");
    add<int>(tile, "int");
    benchmark::RunSpecifiedBenchmarks();
  } catch (const std::exception &e) {
    std::fprintf(stderr, "codelet_loop_bench: %s\n", e.what());
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}
