// The server's end of a handshake of ZMTP: all that a stranger may say. The first byte says whether there are keys, the second
// where the bytes are cut in two, as they may come.
#include "fuzzing.hpp"
#include "zmtp_handshake.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace copse;
using namespace copse::fabric;
using Step = zmtp::Handshake::Step;

std::shared_ptr<const zmtp::Admission> admissionFor(bool withKeys) {
  zmtp::Admission admission{nullptr, {Role::Ipu, Role::Host}, "ROUTER", {"DEALER"}};
  if (withKeys) {
    const KeyPair own = newKeyPair(), other = newKeyPair();
    admission.keys = std::make_shared<Keyring>(
        "ipu-0", own,
        std::map<std::string, std::string>{{"ipu-0", own.publicKey}, {"host", other.publicKey}});
  }
  return std::make_shared<zmtp::Admission>(std::move(admission));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const auto open = admissionFor(false), keyed = admissionFor(true);
  if (size < 2)
    return 0;
  const bool withKeys = data[0] % 2 != 0;
  const auto bytes = fuzz::bytesOf(data + 2, size - 2);
  const std::size_t cut = std::min<std::size_t>(data[1], bytes.size());
  zmtp::Handshake handshake(withKeys ? keyed : open);
  std::vector<std::byte> answer = handshake.greeting();
  for (auto part : {bytes.first(cut), bytes.subspan(cut)}) {
    Step step = Step::WantMore;
    while (step == Step::WantMore && !part.empty()) {
      const std::size_t before = part.size();
      step = handshake.put(part, answer);
      fuzz::require(part.size() < before || step != Step::WantMore, "a handshake takes its bytes");
    }
    fuzz::require(answer.size() <= 8 * zmtp::Handshake::kMostBytes, "an answer is short");
    if (step == Step::Refused)
      fuzz::require(!handshake.why().empty(), "a refusal has a reason");
    if (step == Step::Done)
      fuzz::require(!withKeys, "no peer gets in without a key");
    if (step != Step::WantMore)
      break;
  }
  return 0;
}
