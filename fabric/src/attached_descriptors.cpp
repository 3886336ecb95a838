#include "attached_descriptors.hpp"

#include <cstring>

namespace copse::fabric {

std::vector<Descriptor> attachedDescriptors(const msghdr &message) {
  std::vector<Descriptor> all;
  // CMSG_NXTHDR takes a pointer to non-const data, which it does not change.
  msghdr header = message;
  for (cmsghdr *part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
      continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof number);
      all.emplace_back(number);
    }
  }
  return all;
}

} // namespace copse::fabric
