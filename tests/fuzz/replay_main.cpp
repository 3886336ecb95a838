// Runs a fuzz target without libFuzzer: first the corpus as it is, then mutations of it, the same
// ones in every run. An input that ends the program is left in the current folder.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

const Bytes *current = nullptr; ///< for the signal handler

extern "C" void keepInput(int signal) {
  const int file = ::open("fuzz-crash", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0 && ::write(file, current->data(), current->size()) >= 0) {
    constexpr char kText[] = "replay: the input is in ./fuzz-crash\n";
    static_cast<void>(!::write(STDERR_FILENO, kText, sizeof kText - 1));
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void runOne(const Bytes &input) {
  current = &input;
  // A copy of exactly that size, so that sanitizers detect an access to the first byte past its
  // end.
  const Bytes exact(input);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

void addInputs(const std::filesystem::path &folder, std::vector<Bytes> &corpus) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto &path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
}

/// Returns the input with some bytes changed, moved, cut or repeated.
Bytes mutated(Bytes input, std::mt19937 &random) {
  for (std::uint32_t changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t rest = input.size() - at;
    constexpr std::array<std::uint8_t, 6> kEdges{0, 1, 0x7F, 0x80, 0xFE, 0xFF};
    switch (random() % 6) {
    case 0:
      if (rest > 0)
        *place ^= static_cast<std::uint8_t>(1U << random() % 8);
      break;
    case 1:
      if (rest > 0)
        *place = kEdges[random() % kEdges.size()];
      break;
    case 2:
      if (rest > 0)
        *place = static_cast<std::uint8_t>(random());
      break;
    case 3:
      input.resize(at);
      break;
    case 4:
      input.erase(place,
                  place + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rest, random() % 16)));
      break;
    default: {
      const Bytes piece(place, place + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rest, 8)));
      input.insert(place, piece.begin(), piece.end());
    }
    }
  }
  return input;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s RUNS CORPUS ...\n", argv[0]);
    return 2;
  }
  std::vector<Bytes> corpus;
  for (int i = 2; i < argc; ++i)
    addInputs(argv[i], corpus);
  if (corpus.empty()) {
    std::fprintf(stderr, "replay: %s holds no inputs\n", argv[2]);
    return 2;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(signal, keepInput);
  runOne({}); // libFuzzer begins in the same way
  for (const Bytes &input : corpus)
    runOne(input);
  std::mt19937 random(1);
  const unsigned long runs = std::strtoul(argv[1], nullptr, 10);
  for (unsigned long run = 0; run < runs; ++run)
    runOne(mutated(corpus[random() % corpus.size()], random));
  std::printf("%zu inputs of the corpus, %lu mutations\n", corpus.size(), runs);
  return 0;
}
