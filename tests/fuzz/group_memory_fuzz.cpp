// Fuzzes the memory in which a sync group meets: a malicious member writes any words at any time.
#include "fuzzing.hpp"
#include "group_memory.hpp"

#include <fcntl.h>
#include <memory>

using namespace copse;
using sync::GroupMemory;

namespace {

constexpr std::size_t kMembers = 3;

/// Lets a correct member arrive and leave.
void meet(GroupMemory &end, std::size_t member, std::uint64_t point, std::uint32_t step) {
  if (!end.isUsedFor(point))
    return;
  const wire::Status status = end.arrive(member, point, {{point}, step}, {1});
  fuzz::require(status.ok() || status.code == wire::Code::Disconnected, "a peer is to blame");
  const auto left = end.left(point);
  fuzz::require(left.ok() || left.status().code == wire::Code::Disconnected, "a peer is to blame");
  (void)end.stepsDiffer(point);
  (void)end.spinForEvent(end.events() - 1);
  end.awaitEvent(end.events() - 1, GroupMemory::Clock::now());
}

} // namespace

/// The input: two bytes that select an action, then four of a word that is written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  auto own = GroupMemory::create(kMembers);
  fuzz::require(own.ok(), "there is memory");
  fabric::Descriptor descriptor(::fcntl((*own)->memory().descriptor(), F_DUPFD_CLOEXEC, 0));
  auto peer = GroupMemory::adopt(std::move(descriptor), kMembers);
  fuzz::require(peer.ok(), "memory of a group can be adopted");
  std::uint64_t point = 0;
  for (std::size_t at = 0; at + 6 <= size; at += 6) {
    const std::uint8_t what = data[at], where = data[at + 1];
    if (what % 4 == 0) {
      (*own)->begin(point);
    } else if (what % 4 == 1) {
      meet(**own, 0, point, where);
      meet(**peer, 1, point, data[at + 2]);
      meet(**peer, 2, point++, data[at + 3]);
    } else {
      auto *const words = reinterpret_cast<std::uint32_t *>((*peer)->memory().data());
      words[(what % 4 - 2) * 80 + where % 112] = data[at + 2] | std::uint32_t{data[at + 5]} << 24;
    }
  }
  return 0;
}
