#pragma once

#include "graph/state.hpp"
#include "poplar/Quarter.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The metadata of QUARTER tensors, which say how to interpret the elements.
namespace copse::graph {

/// Returns true if both tensors certainly have equal metadata, or if neither has metadata.
bool sameMetadata(const TensorState &a, const TensorState &b);

/// Returns the metadata of \p t if they are constant.
std::optional<poplar::QuarterMetadata> constantMetadata(const TensorState &t);

/// Returns the metadata that a copy of quarters must copy too; nothing if both sides have the same
/// metadata or one side has no metadata.
/// \throws poplar::tensor_metadata_error if the destination's metadata cannot be written
std::optional<std::pair<TypedView, TypedView>>
metadataToCopy(const std::string &who, const TensorState &from, const TensorState &to);

/// Converts host numbers to the bytes of quarters.
std::vector<std::byte> quartersOf(const poplar::HostValues &values,
                                  poplar::QuarterMetadata metadata);

/// Converts host numbers to quarters with \p metadata, a view of one element.
/// \param function  prefix of messages
/// \throws poplar::tensor_metadata_error if the metadata are not constant, unless all numbers are 0
std::vector<std::byte> quartersBy(const Model &model, const View &metadata,
                                  const poplar::HostValues &values, const char *function);

/// Returns values for elements of \p t in device format.
/// \throws poplar::tensor_metadata_error if \p t has quarters without constant metadata
std::vector<std::byte> encodedFor(const TensorState &t, const poplar::HostValues &values,
                                  const char *function);

} // namespace copse::graph
