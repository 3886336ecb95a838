#include "native_addresses.hpp"

namespace copse::assembler {

std::uint32_t NativeAddresses::addressOf(std::uint32_t native) {
  constexpr std::uint32_t bytesOfAWord = 4;
  const std::uint64_t next = range_.nativeBegin + std::uint64_t{bytesOfAWord} * given_.size();
  const auto [known, isNew] = addresses_.emplace(native, static_cast<std::uint32_t>(next));
  if (isNew && next >= range_.nativeEnd)
    throw LinkError("tile code names '" + names_[native] + "', which is native code, besides " +
                        std::to_string(given_.size()) +
                        " others: there are no more addresses for them; use fewer kinds of "
                        "vertices in assembly",
                    "region overflow");
  if (isNew)
    given_.push_back({names_[native], known->second});
  return known->second;
}

} // namespace copse::assembler
