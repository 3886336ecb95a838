#pragma once

#include "shape.hpp"
#include "text.hpp"

#include <cstdint>
#include <vector>

namespace transformer {

/// Which excerpts of the text each micro-batch has. Each replica has a part of the text of its own,
/// and draws excerpts from it. Everything is a function of the seed and the micro-batch's number,
/// so that a training that goes on from a checkpoint sees what it would have seen.
class Excerpts {
public:
  /// \throws std::runtime_error if a replica's part is shorter than an excerpt
  Excerpts(const Text &text, const Shape &shape, unsigned replicas, unsigned seed);

  /// Writes the characters of the excerpts, [rows], and the seed of dropout, [2].
  void fillCharacters(std::uint64_t microBatch, unsigned replica, std::uint32_t *row) const;
  /// Writes the characters that follow each of these, [rows].
  void fillLabels(std::uint64_t microBatch, unsigned replica, std::uint32_t *row) const;

private:
  std::uint64_t drawn(std::uint64_t microBatch, unsigned replica, std::size_t number) const;
  void fill(std::uint64_t microBatch, unsigned replica, std::size_t shift,
            std::uint32_t *row) const;

  const Text &text_;
  Shape shape_;
  std::size_t partSize_;
  unsigned seed_;
};

} // namespace transformer
