#include "module_store.hpp"

#include <array>
#include <cerrno>
#include <dlfcn.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace copse::ipud {
namespace {

using wire::Code;
using wire::Status;

std::string sha256Of(std::span<const std::byte> bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest{};
  crypto_hash_sha256(digest.data(), reinterpret_cast<const unsigned char *>(bytes.data()),
                     bytes.size());
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

bool writeAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

std::filesystem::path pathOf(int descriptor) {
  return std::filesystem::path("/proc/self/fd") / std::to_string(descriptor);
}

/// Returns true if the loader has the module open. Some modules, such as those with process-wide
/// unique symbols, stay open for good.
bool isOpen(const std::filesystem::path &path) {
  void *const handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr)
    ::dlclose(handle);
  return handle != nullptr;
}

} // namespace

ModuleStore::~ModuleStore() {
  for (const auto &[sha256, file] : files_)
    ::close(file.descriptor);
}

std::vector<std::string> ModuleStore::missing(const std::vector<std::string> &sha256) {
  ++questions_;
  std::vector<std::string> all;
  for (const std::string &hash : sha256)
    if (const auto found = files_.find(hash); found != files_.end())
      found->second.askedFor = questions_;
    else
      all.push_back(hash);
  return all;
}

Status ModuleStore::add(const std::string &sha256, const std::string &name,
                        std::span<const std::byte> bytes) {
  if (files_.contains(sha256))
    return Status::success();
  if (sha256Of(bytes) != sha256)
    return {Code::BadFrame, "module '" + name + "': its bytes do not have the hash " + sha256};
  File file = made(sha256, name);
  if (file.descriptor < 0)
    return {Code::OutOfMemory,
            "module '" + name + "': no file for it: " + std::generic_category().message(errno)};
  if (!writeAll(file.descriptor, bytes)) {
    Status status{Code::OutOfMemory,
                  "module '" + name + "': " + std::generic_category().message(errno)};
    ::close(file.descriptor);
    return status;
  }
  file.bytes = bytes.size();
  files_.emplace(sha256, std::move(file));
  bytes_ += bytes.size();
  forgetOld();
  return Status::success();
}

ModuleStore::File ModuleStore::made(const std::string &sha256, const std::string &name) const {
  File file;
  file.askedFor = questions_;
  if (directory_.empty()) {
    file.descriptor = ::memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC);
    file.path = pathOf(file.descriptor);
  } else { // other processes share the directory
    file.path = directory_ / (sha256.substr(0, 16) + "-" + std::to_string(::getpid()) + "-" +
                              std::to_string(files_.size()) + ".so");
    file.descriptor = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  return file;
}

void ModuleStore::forgetOld() {
  while (bytes_ > limit_) {
    const auto one = oldest();
    if (one == files_.end())
      return;
    ::close(one->second.descriptor);
    bytes_ -= one->second.bytes;
    files_.erase(one);
  }
}

/// Returns the oldest module that may be removed; end() if there is none.
ModuleStore::Files::iterator ModuleStore::oldest() {
  auto found = files_.end();
  for (auto one = files_.begin(); one != files_.end(); ++one) {
    const File &file = one->second;
    if (file.askedFor < questions_ && !isOpen(file.path) &&
        (found == files_.end() || file.askedFor < found->second.askedFor))
      found = one;
  }
  return found;
}

wire::Result<std::filesystem::path> ModuleStore::find(const wire::ModuleRef &module) const {
  const auto found = files_.find(module.sha256);
  if (found == files_.end())
    return Status{Code::NotFound,
                  "module '" + module.name + "' was not sent to this ipud; load the program again"};
  return found->second.path;
}

} // namespace copse::ipud
