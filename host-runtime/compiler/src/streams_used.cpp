#include "compiler/executable_impl.hpp"
#include "compiler/host_views.hpp"
#include "wire/step_bodies.hpp"

#include <map>
#include <span>
#include <vector>

namespace copse::compiler {

std::vector<StreamUse> streamsUsed(const CompiledProgram &executable, std::uint32_t index) {
  const wire::Image &image = executable.images.front();
  std::map<std::uint32_t, std::uint32_t> firstUses; // stream -> step
  wire::visitReachable(image, std::span(&image.programs[index], 1), [&](std::uint32_t at) {
    if (image.steps[at].op == wire::Op::HostExchange)
      for (const wire::StreamTransfer &transfer :
           image.hostExchanges[image.steps[at].index].transfers)
        firstUses.emplace(transfer.stream, at); // keeps the first
  });
  std::vector<StreamUse> uses;
  for (const auto &[stream, step] : firstUses)
    uses.push_back({stream, step});
  return uses;
}

std::vector<bool> streamsRearranged(const CompiledProgram &executable) {
  std::vector<bool> rearranged(executable.streams.size(), false);
  for (const wire::Image &image : executable.images)
    for (const wire::HostExchange &exchange : image.hostExchanges)
      for (const wire::StreamTransfer &transfer : exchange.transfers)
        if (compiler::isRearranged(transfer.view))
          rearranged[transfer.stream] = true;
  return rearranged;
}

} // namespace copse::compiler
