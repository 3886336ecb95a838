#include "fabric/shared_memory.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Status outOfMemory(const char *what) {
  return {Code::OutOfMemory, std::string("cannot ") + what +
                                 " shared memory: " + std::generic_category().message(errno)};
}

} // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr)
    ::munmap(data_, size_);
}

wire::Result<SharedMemory> SharedMemory::create(const char *name, std::size_t bytes) {
  Descriptor descriptor(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor || ::ftruncate(descriptor.number(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(descriptor.number(), F_ADD_SEALS, kSeals) != 0)
    return outOfMemory("make");
  return map(std::move(descriptor), bytes);
}

wire::Result<SharedMemory> SharedMemory::adopt(Descriptor descriptor, std::size_t bytes) {
  struct stat file {};
  if (::fstat(descriptor.number(), &file) != 0 || file.st_size != static_cast<off_t>(bytes))
    return Status{Code::BadFrame, "the shared memory of a peer has another size than agreed"};
  const int seals = ::fcntl(descriptor.number(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    return Status{Code::BadFrame, "the shared memory of a peer could shrink"};
  return map(std::move(descriptor), bytes);
}

wire::Result<SharedMemory> SharedMemory::map(Descriptor descriptor, std::size_t bytes) {
  void *const data =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number(), 0);
  if (data == MAP_FAILED)
    return outOfMemory("map");
  SharedMemory memory;
  memory.descriptor_ = std::move(descriptor);
  memory.data_ = static_cast<std::byte *>(data);
  memory.size_ = bytes;
  return memory;
}

} // namespace copse::fabric
