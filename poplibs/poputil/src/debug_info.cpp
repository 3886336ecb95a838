#include "poputil/DebugInfo.hpp"

namespace poputil {

using poplar::ProfileValue;

template <> ProfileValue toProfileValue(const poplar::ComputeSet &t) {
  return ProfileValue::Map{{"type", "computeSet"}, {"id", t.getId()}};
}
template <> ProfileValue toProfileValue(const poplar::OptionFlags &t) {
  ProfileValue::Map flags;
  for (const auto &flag : t)
    flags.emplace(flag.first, flag.second);
  return flags;
}
template <> ProfileValue toProfileValue(const poplar::program::Copy &) { return "Copy"; }
template <> ProfileValue toProfileValue(const poplar::program::Sequence &) { return "Sequence"; }
template <> ProfileValue toProfileValue(const poplar::Type &t) { return t.toString(); }
template <> ProfileValue toProfileValue(const poplar::Tensor &t) {
  if (!t.valid())
    return ProfileValue();
  return ProfileValue::Map{{"type", "tensor"},
                           {"elementType", toProfileValue(t.elementType())},
                           {"shape", toProfileValue(t.shape())}};
}
template <> ProfileValue toProfileValue(const poplar::TensorCloneMethod &t) {
  return poplar::toString(t);
}

OpDebugInfo::OpDebugInfo(const poplar::DebugContext &debugContext, std::string api)
    : poplar::DebugInfo(debugContext, "poplibs") {
  setValue("api", std::move(api));
}
OpDebugInfo::~OpDebugInfo() = default;

void OpDebugInfo::add(std::string name, const std::vector<ArgType> &args) {
  if (args.empty())
    return;
  ProfileValue::Map values;
  for (const ArgType &arg : args)
    values[arg.n] = arg.pv;
  setValue(std::move(name), values);
}
void OpDebugInfo::add(std::string name, const ProfileValue &value) {
  setValue(std::move(name), value);
}

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                                       const std::vector<ArgType> &args, const std::string &api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
}
PoplibsOpDebugInfo::~PoplibsOpDebugInfo() = default;

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType> &outputs) {
  add("outputs", outputs);
}
void PoplibsOpDebugInfo::addOutput(const poplar::Tensor &output) {
  add("output", toProfileValue(output));
}

namespace detail {

std::vector<std::string> namesIn(const char *arguments) {
  std::vector<std::string> names;
  std::string name;
  int depth = 0;
  for (; *arguments != '\0'; ++arguments) {
    const char c = *arguments;
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      names.push_back(name);
      name.clear();
    } else if (c != ' ' || !name.empty()) {
      name += c;
    }
  }
  if (!name.empty())
    names.push_back(name);
  return names;
}

} // namespace detail
} // namespace poputil
