#pragma once

// What an operation tells of itself: a DebugInfo of the library's own, with its arguments by name.
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <string>
#include <utility>
#include <vector>

namespace operations {

template <typename T> poplar::ProfileValue described(const T &value) {
  return poplar::ProfileValue(value);
}
inline poplar::ProfileValue described(const poplar::Type &type) { return type.toString(); }
inline poplar::ProfileValue described(const poplar::OptionFlags &flags) {
  return poplar::getAsProfileValue(flags);
}
inline poplar::ProfileValue described(const poplar::Tensor &t) {
  poplar::ProfileValue::Map map;
  map.insert({"shape", described(t.shapeToString())});
  map.insert({"type", described(t.elementType())});
  return map;
}
template <typename T> poplar::ProfileValue described(const std::vector<T> &list) {
  poplar::ProfileValue::Vector values;
  for (const T &value : list)
    values.push_back(described(value));
  return values;
}

struct Argument {
  std::string name;
  poplar::ProfileValue value;
};

class OperationInfo : public poplar::DebugInfo {
public:
  OperationInfo(const poplar::DebugContext &debugContext, const std::vector<Argument> &arguments,
                const std::string &api = __builtin_FUNCTION())
      : DebugInfo(debugContext, "operations") {
    setValue("api", api);
    add("args", arguments);
  }
  OperationInfo(const OperationInfo &) = delete;
  OperationInfo &operator=(const OperationInfo &) = delete;
  ~OperationInfo() override = default;

  void addOutput(const poplar::Tensor &t) { setValue("output", described(t)); }

private:
  void add(const std::string &name, const std::vector<Argument> &arguments) {
    poplar::ProfileValue::Map map;
    for (const Argument &argument : arguments)
      map.insert({argument.name, argument.value});
    setValue(name, map);
  }
};

#define OPERATIONS_ARG(x)                                                                          \
  { #x, ::operations::described(x) }

} // namespace operations
