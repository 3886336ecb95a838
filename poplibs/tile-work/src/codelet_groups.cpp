#include "tile_work/codelet_groups.hpp"

#include <dlfcn.h>
#include <filesystem>

namespace copse::tile_work {
namespace {

/// Returns the folder of the shared library that this function is linked into.
std::filesystem::path libraryFolder() {
  Dl_info here{};
  ::dladdr(reinterpret_cast<const void *>(&libraryFolder), &here);
  return std::filesystem::canonical(here.dli_fname).parent_path();
}

} // namespace

void addCodeletGroup(poplar::Graph &graph, const std::string &library, const std::string &group,
                     const std::string &probe) {
  if (graph.hasCodelet(probe))
    return;
  const auto file = libraryFolder() / "poplibs" / library / (group + ".gp");
  graph.addCodelets(file.string());
}

} // namespace copse::tile_work
