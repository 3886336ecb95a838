#include "processor/translator/constants.hpp"

#include <array>
#include <cstdint>

namespace copse::ipud {
namespace {

using Words = std::array<std::uint32_t, 4>;

constexpr Words allOf(std::uint32_t word) { return {word, word, word, word}; }

void emitWords(Xbyak::CodeGenerator &code, Xbyak::Label &label, const Words &words) {
  code.L(label);
  for (const std::uint32_t word : words)
    code.dd(word);
}

} // namespace

void Constants::emit(Xbyak::CodeGenerator &code) {
  code.align(16);
  emitWords(code, leastExponents, allOf(0x00800000));
  emitWords(code, upperExponent, {0x7F000000, 0, 0, 0});
  emitWords(code, lowerPair, {~0U, ~0U, 0, 0});
  emitWords(code, minusZeros, allOf(0x80000000));
  emitWords(code, magnitudes, allOf(0x7FFFFFFF));
  emitWords(code, largestForHalves, allOf(0x477FEFFF));
}

} // namespace copse::ipud
