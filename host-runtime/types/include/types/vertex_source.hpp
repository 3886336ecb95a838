#pragma once

#include "poplar/ProfilerVectorLayout.hpp"
#include "poplar/VertexIntrospector.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace copse::types {

/// What poplar::FieldData shows. Implemented by those who know the graph; all of it is called on
/// one thread.
class FieldSource {
public:
  virtual ~FieldSource() = default;

  virtual const std::string &name() const = 0; ///< for messages
  /// 0: a scalar, 1: a vector, 2: a vector of vectors.
  virtual unsigned rank() const = 0;
  /// Elements, or vectors of a vector of vectors; 1 for a scalar.
  virtual std::size_t size() const = 0;
  /// Elements of vector \p i < size(). Rank 2 only.
  virtual std::size_t sizeOf(std::size_t i) const = 0;
  virtual poplar::layout::Vector vectorLayout(std::size_t nestingLevel) const = 0;
  virtual poplar::layout::VectorList listLayout() const = 0;

  /// True if values are known: initial values, or a connected constant.
  virtual bool hasValues() const = 0;
  /// Element \p i of vector \p vector (0 unless the rank is 2), in range. Only if hasValues().
  /// Unsigned 64-bit values come as the int64_t of the same bits.
  virtual std::int64_t integerValue(std::size_t vector, std::size_t i) const = 0;
  virtual double floatingValue(std::size_t vector, std::size_t i) const = 0;
};

/// What poplar::VertexIntrospector shows.
class VertexSource {
public:
  virtual ~VertexSource() = default;
  virtual const std::string &typeName() const = 0; ///< for messages
  /// \returns null if there is no such field
  virtual std::shared_ptr<const FieldSource> field(const std::string &name) const = 0;
};

} // namespace copse::types
