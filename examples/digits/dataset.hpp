#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace digits {

constexpr unsigned kPixels = 64;
constexpr unsigned kClasses = 10;

struct Image {
  std::array<float, kPixels> pixels; // 0 to 1
  std::int32_t label;                // 0 to 9
};

struct Dataset {
  std::vector<Image> train, test;
};

/// Reads the digits: lines of 64 pixels, 0 to 16, and a label. Every fifth line is held back for
/// the test.
/// \throws std::runtime_error naming the file and the line that is wrong
Dataset readDataset(const std::string &path);

} // namespace digits
