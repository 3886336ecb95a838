#pragma once

#include "graph/state.hpp"
#include "poplar/Quarter.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the elements of QUARTER tensors mean: their metadata.
namespace copse::graph {

/// Whether quarters of both mean the same, whatever the program does; also if both have none.
bool sameMetadata(const TensorState &a, const TensorState &b);

/// The metadata of \p t if they are a constant.
std::optional<poplar::QuarterMetadata> constantMetadata(const TensorState &t);

/// What a copy of quarters copies besides: their metadata, unless both sides have the same or one
/// has none.
/// \throws poplar::tensor_metadata_error if the destination's cannot be written
std::optional<std::pair<TypedView, TypedView>>
metadataToCopy(const std::string &who, const TensorState &from, const TensorState &to);

/// Numbers of the host as the bytes of quarters.
std::vector<std::byte> quartersOf(const poplar::HostValues &values,
                                  poplar::QuarterMetadata metadata);

/// The same by \p metadata, a view of one element.
/// \param function  begins messages
/// \throws poplar::tensor_metadata_error if they are no constant, unless all numbers are 0
std::vector<std::byte> quartersBy(const Model &model, const View &metadata,
                                  const poplar::HostValues &values, const char *function);

/// Values for elements of \p t in device format.
/// \throws poplar::tensor_metadata_error if it has quarters of which the metadata are not constant
std::vector<std::byte> encodedFor(const TensorState &t, const poplar::HostValues &values,
                                  const char *function);

} // namespace copse::graph
