#include "ipud/step_names.hpp"

namespace copse::ipud {
namespace {

std::string quotedNameOf(const wire::Image &image, std::uint32_t at) {
  const std::string name = nameOfBranch(image, at);
  return name.empty() ? "" : " '" + name + "'";
}

/// Returns what a step does, with the name from the user's program; empty for a step that neither
/// waits nor decides.
std::string whatFor(const wire::Image &image, std::uint32_t at) {
  const wire::Step &step = image.steps[at];
  switch (step.op) {
  case wire::Op::Sync: {
    const std::string next = at + 1 < image.steps.size() ? whatFor(image, at + 1) : "";
    return std::string("sync point of ") + wire::nameOf(static_cast<wire::SyncGroup>(step.index)) +
           (next.empty() ? "" : " before " + next);
  }
  case wire::Op::Exchange:
    return "exchange '" + image.exchanges[step.index].name + "'";
  case wire::Op::HostExchange:
    return "host exchange '" + image.hostExchanges[step.index].name + "'";
  case wire::Op::RemoteCopy:
    return "remote buffer copy '" + image.remoteCopies[step.index].name + "'";
  case wire::Op::Print:
    return "print";
  case wire::Op::Abort:
    return "abort";
  case wire::Op::Repeat:
    return "Repeat";
  case wire::Op::While:
    return "RepeatWhile" + quotedNameOf(image, at);
  case wire::Op::If:
    return "If" + quotedNameOf(image, at);
  case wire::Op::Switch:
    return "Switch" + quotedNameOf(image, at);
  default:
    return {};
  }
}

/// Returns the group of the sync point before step \p at. The compiler puts a sync point directly
/// before the step that needs it.
std::string groupOf(const wire::Image &image, std::uint32_t at) {
  if (at == 0 || image.steps[at].op == wire::Op::Sync || image.steps[at - 1].op != wire::Op::Sync)
    return {};
  return std::string(", after its sync point of ") +
         wire::nameOf(static_cast<wire::SyncGroup>(image.steps[at - 1].index));
}

} // namespace

std::string nameOfBranch(const wire::Image &image, std::uint32_t step) {
  const std::uint32_t name = image.steps[step].index;
  return name > 0 ? image.messages[name - 1] : "";
}

std::string describeStep(const wire::Image &image, std::uint32_t step) {
  const std::string what = whatFor(image, step);
  if (what.empty())
    return "step " + std::to_string(step);
  return "step " + std::to_string(step) + ", " + what + groupOf(image, step);
}

} // namespace copse::ipud
