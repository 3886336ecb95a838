// Claims: compiling codelets costs little more than the compiler itself, and next to nothing the
// second time. popc's work on 50 instantiations against one run of the compiler on the same file;
// and the same from the cache.
#include "popc/child_process.hpp"
#include "popc/native_compiler.hpp"
#include "popc/popc.hpp"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace copse;
namespace fs = std::filesystem;

std::string source() {
  std::string text = R"(
#include <algorithm>
#include <cmath>
#include <poplar/Vertex.hpp>
using namespace poplar;
template <typename T, unsigned N> class Unit : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR, 8>>> in;
  Vector<Output<Vector<T, VectorLayout::SPAN, 8>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = std::max(T(N), T(std::sqrt(float(in[r][i])) * T(N) + in[r][i / 2]));
    return true;
  }
};
)";
  for (int n = 0; n < 25; ++n)
    for (const char *type : {"float", "half"})
      text += std::string("template class Unit<") + type + ", " + std::to_string(n) + ">;\n";
  return text;
}

/// A folder for the cache and the files of one run.
class Folder {
public:
  Folder() : path_(fs::temp_directory_path() / ("copse-popc-bench-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    ::setenv("COPSE_CACHE_DIR", (path_ / "cache").c_str(), 1);
    std::ofstream(path_ / "codelets.cpp") << source();
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string file() const { return (path_ / "codelets.cpp").string(); }
  void forget() const { fs::remove_all(path_ / "cache"); }

private:
  fs::path path_;
};

void compile(const Folder &folder) {
  popc::CompileOptions options;
  options.targets = {popc::Architecture::Ipu2};
  benchmark::DoNotOptimize(popc::compileFile(folder.file(), options));
}

void popcSubject(benchmark::State &state, const Folder &folder) {
  for (auto _ : state) {
    state.PauseTiming();
    folder.forget();
    state.ResumeTiming();
    compile(folder);
  }
}

void compilerReference(benchmark::State &state, const Folder &folder) {
  popc::TranslationUnit unit;
  unit.path = folder.file();
  unit.arch = popc::Architecture::Ipu2;
  const popc::NativeCompiler compiler;
  std::vector<std::string> arguments = compiler.command();
  const std::vector<std::string> processor = compiler.processorFlags();
  arguments.insert(arguments.end(), processor.begin(), processor.end());
  arguments.insert(arguments.end(), {"-O3", "-std=c++17", "-fPIC", "-shared"});
  const std::vector<std::string> device = compiler.deviceFlags(unit);
  arguments.insert(arguments.end(), device.begin(), device.end());
  arguments.insert(arguments.end(), {"-o", "/dev/null", folder.file()});
  for (auto _ : state) {
    const auto result = popc::runChild(arguments, "", "", std::chrono::seconds(300));
    if (result.exitCode != 0)
      return state.SkipWithError(("the compiler failed: " + result.errors.substr(0, 500)).c_str());
  }
}

void cached(benchmark::State &state, const Folder &folder) {
  compile(folder);
  for (auto _ : state)
    compile(folder);
}

} // namespace

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  const Folder folder;
  const auto add = [&](const char *name, void (*run)(benchmark::State &, const Folder &)) {
    benchmark::RegisterBenchmark(name, [&, run](benchmark::State &state) { run(state, folder); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->Iterations(1);
  };
  add("popc_50_codelets/subject", popcSubject);
  add("popc_50_codelets/reference", compilerReference);
  add("popc_cached/subject", cached);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
