#pragma once

#include "poplar/ProfilerVectorLayout.hpp"
#include "poplar/VertexIntrospector.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace copse::types {

/// The implementation of poplar::FieldData. Code that knows the graph implements this interface;
/// all functions are called on one thread.
class FieldSource {
public:
  virtual ~FieldSource() = default;

  virtual const std::string &name() const = 0; ///< for messages
  /// Returns 0 for a scalar, 1 for a vector, 2 for a vector of vectors.
  virtual unsigned rank() const = 0;
  /// Returns the number of elements, or of inner vectors of a vector of vectors; 1 for a scalar.
  virtual std::size_t size() const = 0;
  /// Returns the number of elements of vector \p i < size(). Rank 2 only.
  virtual std::size_t sizeOf(std::size_t i) const = 0;
  virtual poplar::layout::Vector vectorLayout(std::size_t nestingLevel) const = 0;
  virtual poplar::layout::VectorList listLayout() const = 0;

  /// Returns true if values are known: initial values, or a connected constant.
  virtual bool hasValues() const = 0;
  /// Return element \p i of vector \p vector (0 unless the rank is 2), which must be in range. Only
  /// if hasValues(). An unsigned 64-bit value is returned as the int64_t with its bits.
  virtual std::int64_t integerValue(std::size_t vector, std::size_t i) const = 0;
  virtual double floatingValue(std::size_t vector, std::size_t i) const = 0;
};

/// The implementation of poplar::VertexIntrospector.
class VertexSource {
public:
  virtual ~VertexSource() = default;
  virtual const std::string &typeName() const = 0; ///< for messages
  /// \returns null if there is no such field
  virtual std::shared_ptr<const FieldSource> field(const std::string &name) const = 0;
};

} // namespace copse::types
