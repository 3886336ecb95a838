#include "parameters.hpp"

#include <cmath>
#include <cstdint>
#include <random>

namespace transformer {

using poplar::Tensor;

namespace {

/// Returns normally distributed numbers. Does not use std::normal_distribution or std::hash, which
/// differ between libraries.
std::vector<float> normalNumbers(std::size_t count, double deviation, const std::string &name,
                                 unsigned seed) {
  std::uint64_t hash = 14695981039346656037ull ^ seed;
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  std::mt19937_64 random(hash);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 1) * 0x1p-53; };
  std::vector<float> numbers(count);
  for (float &number : numbers) {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    number = static_cast<float>(deviation * radius * std::cos(2 * M_PI * uniform()));
  }
  return numbers;
}

Tensor joined(const std::vector<Parameter> &all, Tensor Parameter::*member) {
  std::vector<Tensor> flat;
  for (const Parameter &parameter : all)
    flat.push_back((parameter.*member).flatten());
  return poplar::concat(flat);
}

} // namespace

Parameter Parameters::add(const Tensor &value, const std::string &name) {
  all_.push_back({value, graph_.clone(value, name + "/gradient")});
  return all_.back();
}

Parameter Parameters::addRandom(const Tensor &value, double deviation, const std::string &name) {
  graph_.setInitialValue(value, normalNumbers(value.numElements(), deviation, name, seed_));
  return add(value, name);
}

Parameter Parameters::addConstant(const Tensor &value, float number, const std::string &name) {
  graph_.setInitialValue(value, number);
  return add(value, name);
}

Tensor Parameters::values() const { return joined(all_, &Parameter::value); }
Tensor Parameters::gradients() const { return joined(all_, &Parameter::gradient); }

} // namespace transformer
