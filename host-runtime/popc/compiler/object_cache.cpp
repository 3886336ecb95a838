#include "object_cache.hpp"

#include "disk_cache/build_id.hpp"
#include "disk_cache/digest.hpp"

#include <fstream>
#include <iterator>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Support/raw_ostream.h>
#include <ostream>

namespace copse::popc {
namespace {

std::string digestOf(std::vector<std::string> generator) {
  generator.push_back(disk_cache::buildIdsOfProcess());
  return disk_cache::sha256(generator);
}

} // namespace

ObjectCache::ObjectCache(const std::vector<std::string> &generator)
    : generator_(digestOf(generator)) {}

void ObjectCache::make(const std::filesystem::path &file, const std::string &bitcode,
                       const std::function<void()> &generate) const {
  const std::string name = disk_cache::sha256(std::vector<std::string>{generator_, bitcode}) + ".o";
  const auto take = [&] {
    const auto object = files_.find(name);
    return object && (std::ofstream(file, std::ios::binary) << *object).flush();
  };
  if (take())
    return;
  const disk_cache::EntryLock lock = files_.lock(name);
  if (take())
    return;
  generate();
  files_.keep(name,
              [&](std::ostream &out) { out << std::ifstream(file, std::ios::binary).rdbuf(); });
}

std::string wholeBitcodeOf(const llvm::Module &module) {
  constexpr bool kWithOrderOfUses = true;
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out, kWithOrderOfUses);
  return bitcode;
}

} // namespace copse::popc
