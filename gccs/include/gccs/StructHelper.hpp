#pragma once

#include <tuple>

namespace gccs {

/// Compares structs by the given members, in the given order.
///
/// \code
/// static constexpr auto helper = gccs::makeStructHelper(&Shape::rows, &Shape::columns);
/// bool operator<(const Shape &a, const Shape &b) { return helper.lt(a, b); }
/// \endcode
template <typename... Members> class StructHelper {
public:
  /// Makes a helper of pointers to members.
  constexpr explicit StructHelper(Members... members) : members_(members...) {}

  /// Returns true if \p a comes before \p b.
  template <typename Struct> constexpr bool lt(const Struct &a, const Struct &b) const {
    return valuesOf(a) < valuesOf(b);
  }
  /// Returns true if all these members are equal.
  template <typename Struct> constexpr bool eq(const Struct &a, const Struct &b) const {
    return valuesOf(a) == valuesOf(b);
  }

private:
  template <typename Struct> constexpr auto valuesOf(const Struct &s) const {
    return std::apply([&s](auto... member) { return std::tie(s.*member...); }, members_);
  }

  std::tuple<Members...> members_; ///< pointers to members
};

/// Makes a helper of pointers to members.
template <typename... Members> constexpr StructHelper<Members...> makeStructHelper(Members... m) {
  return StructHelper<Members...>(m...);
}

} // namespace gccs
