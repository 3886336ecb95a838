#pragma once

#include <array>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// Records which operation of a library was called with which arguments, in the file of
// poplar::DebugInfo.
namespace poputil {

namespace detail {

template <typename T, bool isEnum = std::is_enum<T>::value> struct AsProfileValue {
  static poplar::ProfileValue of(const T &t) { return poplar::ProfileValue(t); }
};
template <typename T> struct AsProfileValue<T, true> {
  static poplar::ProfileValue of(const T &t) {
    return poplar::ProfileValue(static_cast<typename std::underlying_type<T>::type>(t));
  }
};

} // namespace detail

/// Returns the value that represents an argument in a debug file. Enumerators are written as
/// numbers. Specialise the template for your own types.
template <typename T> poplar::ProfileValue toProfileValue(const T &t) {
  return detail::AsProfileValue<T>::of(t);
}

///@{

/// Returns the value that represents a Poplar object: the number of a compute set, a map of
/// options, the type and shape of a tensor, the name of a type.
template <> poplar::ProfileValue toProfileValue(const poplar::ComputeSet &t);
template <> poplar::ProfileValue toProfileValue(const poplar::OptionFlags &t);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Copy &t);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Sequence &t);
template <> poplar::ProfileValue toProfileValue(const poplar::Tensor &t);
template <> poplar::ProfileValue toProfileValue(const poplar::Type &t);
template <> poplar::ProfileValue toProfileValue(const poplar::TensorCloneMethod &t);
///@}

///@{

/// Returns the value that represents a container: a list of its elements, or a map of `first` and
/// `second` for a pair. A null pointer is represented by an empty value.
template <typename T> poplar::ProfileValue toProfileValue(const std::vector<T> &t);
inline poplar::ProfileValue toProfileValue(const std::vector<bool> &t);
template <typename T, std::size_t n> poplar::ProfileValue toProfileValue(const std::array<T, n> &t);
template <typename A, typename B> poplar::ProfileValue toProfileValue(const std::pair<A, B> &t);
template <typename T> poplar::ProfileValue toProfileValue(T *const &t);
inline poplar::ProfileValue toProfileValue(const char *const &t) { return t; }
///@}

template <typename T> poplar::ProfileValue toProfileValue(const std::vector<T> &t) {
  poplar::ProfileValue::Vector values;
  for (const T &one : t)
    values.push_back(toProfileValue(one));
  return values;
}
inline poplar::ProfileValue toProfileValue(const std::vector<bool> &t) {
  return poplar::ProfileValue::Vector(t.begin(), t.end());
}
template <typename T, std::size_t n>
poplar::ProfileValue toProfileValue(const std::array<T, n> &t) {
  return toProfileValue(std::vector<T>(t.begin(), t.end()));
}
template <typename A, typename B> poplar::ProfileValue toProfileValue(const std::pair<A, B> &t) {
  return poplar::ProfileValue::Map{{"first", toProfileValue(t.first)},
                                   {"second", toProfileValue(t.second)}};
}
template <typename T> poplar::ProfileValue toProfileValue(T *const &t) {
  if (t == nullptr)
    return poplar::ProfileValue();
  const T &pointee = *t;
  return toProfileValue(pointee);
}

/// Holds an argument or a result with its name.
class ArgType {
public:
  /// The name.
  std::string n;
  /// The value that represents it in a debug file.
  poplar::ProfileValue pv;

  ///@{

  /// Makes a named value.
  ArgType(const std::string &name, const poplar::ProfileValue &value) : n(name), pv(value) {}
  ArgType(const std::pair<std::string, const poplar::ProfileValue> &named)
      : n(named.first), pv(named.second) {}
  ///@}
};

/// Records one call of a library's operation. See poplar::DebugInfo.
class OpDebugInfo : public poplar::DebugInfo {
public:
  /// Begins a record.
  /// \param api  the name of the function
  OpDebugInfo(const poplar::DebugContext &debugContext, std::string api);
  /// Writes the record.
  ~OpDebugInfo() override;

  ///@{

  /// Records a value, or a map of named values, as \p name; nothing if there are none.
  void add(std::string name, const std::vector<ArgType> &args);
  void add(std::string name, const poplar::ProfileValue &value);
  ///@}
};

/// Records an operation in the manner of PopLibs: `args`, and `outputs`.
///
/// \code
/// poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(a, b));
/// di.addOutput(result);
/// \endcode
class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  /// Begins a record.
  /// \param args  named arguments, by default none: DI_ARGS(a, b)
  /// \param api   by default the calling function
  PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                     const std::vector<ArgType> &args = {},
                     const std::string &api = __builtin_FUNCTION());
  /// Writes the record.
  ~PoplibsOpDebugInfo() override;

  /// Records named results.
  void addOutputs(const std::vector<ArgType> &outputs);
  /// Records a result as `output`.
  void addOutput(const poplar::Tensor &output);
};

namespace detail {

/// Splits the text of a macro's arguments at commas that are not within brackets.
std::vector<std::string> namesIn(const char *arguments);

template <std::size_t i, typename Tuple>
typename std::enable_if<i == std::tuple_size<Tuple>::value>::type
addNamed(std::vector<ArgType> &, const std::vector<std::string> &, const Tuple &) {}
template <std::size_t i, typename Tuple>
typename std::enable_if<i != std::tuple_size<Tuple>::value>::type
addNamed(std::vector<ArgType> &args, const std::vector<std::string> &names, const Tuple &values) {
  args.emplace_back(names[i], toProfileValue(std::get<i>(values)));
  addNamed<i + 1>(args, names, values);
}
template <typename Tuple>
std::vector<ArgType> namedArgs(const char *arguments, const Tuple &values) {
  std::vector<ArgType> args;
  addNamed<0>(args, namesIn(arguments), values);
  return args;
}

} // namespace detail
} // namespace poputil

/// Makes a list of the arguments with their names, for the classes above; DI_ARGS() is an empty
/// one.
#define DI_ARGS(...) poputil::detail::namedArgs(#__VA_ARGS__, std::forward_as_tuple(__VA_ARGS__))
