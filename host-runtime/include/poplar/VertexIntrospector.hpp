#pragma once

#include "poplar/PerfEstimateFunc.hpp"
#include "poplar/ProfilerVectorLayout.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace copse {
namespace types {
class FieldSource;  // what libpoplar knows of one field of a vertex
class VertexSource; // and of the vertex
} // namespace types
} // namespace copse

namespace poplar {

/// Holds the size of one vector of a field of vectors.
class SizeT {
public:
  /// Makes a size.
  explicit SizeT(std::size_t n) : size_(n) {}

  ///@{

  /// Returns the number of elements.
  std::size_t size() const { return size_; }
  operator std::size_t() const { return size_; }
  ///@}

private:
  std::size_t size_;
};

/// Shows an estimator one field of a vertex: sizes, layouts, and values where they are known. Valid
/// while the estimator runs.
class FieldData {
public:
  /// The type of the index operator's results.
  using SizeT = poplar::SizeT;

  /// Makes a view; for libpoplar's use.
  explicit FieldData(std::shared_ptr<const copse::types::FieldSource> source);

  /// Returns the field's name.
  std::string name() const;

  /// Returns 0 for a scalar, 1 for a vector, 2 for a vector of vectors.
  unsigned rank() const;
  /// Returns the number of elements of a vector, or of vectors of a vector of vectors; 1 for a
  /// scalar.
  std::size_t size() const;
  /// Returns the number of elements of vector \p i.
  /// \throws index_error if there is no such vector
  std::size_t getSizeAtIndex(unsigned i) const;
  /// Returns the number of elements of vector \p i; errors as above.
  SizeT operator[](std::size_t i) const { return SizeT(getSizeAtIndex(static_cast<unsigned>(i))); }

  /// Returns the layout of a vector. See User guide, 4.2.
  /// \param nestingLevel  0: the outer vector, 1: the inner ones
  layout::Vector getProfilerVectorLayout(std::size_t nestingLevel) const;
  /// Returns the layout of a vector of vectors. See User guide, 4.2.4.
  layout::VectorList getProfilerVectorListLayout() const;

  /// Returns the value of a scalar, converted to T (arithmetic or an enum).
  /// \throws poplar_error if the value is not known when the graph is built
  template <typename T> T getInitialValue(const Target &) const { return value<T>(0, 0); }

  /// Returns the values of a vector; with T = std::vector<U>, the values of a vector of vectors.
  /// Works for fields that are connected to constants, too.
  /// \throws poplar_error if they are not known when the graph is built
  template <typename T> std::vector<T> getInitialValues(const Target &) const {
    return Values<T>::of(*this);
  }

private:
  template <typename T> struct Values {
    static std::vector<T> of(const FieldData &field) { return field.row<T>(0, field.size()); }
  };
  template <typename U> struct Values<std::vector<U>> {
    static std::vector<std::vector<U>> of(const FieldData &field) {
      std::vector<std::vector<U>> rows;
      for (unsigned i = 0; i != field.size(); ++i)
        rows.push_back(field.row<U>(i, field.getSizeAtIndex(i)));
      return rows;
    }
  };

  template <typename T> std::vector<T> row(std::size_t vector, std::size_t n) const {
    std::vector<T> values;
    values.reserve(n);
    for (std::size_t i = 0; i != n; ++i)
      values.push_back(value<T>(vector, i));
    return values;
  }
  template <typename T> T value(std::size_t vector, std::size_t i) const {
    return std::is_floating_point<T>::value ? static_cast<T>(floatingValue(vector, i))
                                            : static_cast<T>(integerValue(vector, i));
  }
  double floatingValue(std::size_t vector, std::size_t i) const;
  std::int64_t integerValue(std::size_t vector, std::size_t i) const;

  std::shared_ptr<const copse::types::FieldSource> source_;
};

/// Shows an estimator a vertex. Valid while the estimator runs.
class VertexIntrospector {
public:
  /// Makes a view; for libpoplar's use.
  explicit VertexIntrospector(std::shared_ptr<const copse::types::VertexSource> source);

  /// Returns a field.
  /// \throws unknown_field if the vertex has no field of this name
  FieldData getFieldInfo(const std::string &name) const;

private:
  std::shared_ptr<const copse::types::VertexSource> source_;
};

} // namespace poplar
