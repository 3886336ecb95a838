#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace copse::accuracy {

/// A figure that a public program prints about itself. Its authors published what it printed on
/// IPUs; it was built unchanged with Copse, and run time-only on modelled clocks.
struct PublicFigure {
  std::string program, machine, name, unit, source;
  double published = 0, printed = 0;
  std::string note; ///< may be empty
};

/// The figures of accuracy/public_programs.json. The programs are not a part of Copse, so their
/// runs cannot be repeated here.
struct PublicPrograms {
  std::string date; ///< of the runs
  std::vector<PublicFigure> figures;
};

/// \throws std::runtime_error  which names the figure and what is wrong with it
PublicPrograms readPublicPrograms(const std::string &text);
PublicPrograms ownPublicPrograms();

/// Writes their section of the page docs/accuracy.md.
void writeSection(std::ostream &out, const PublicPrograms &programs);

} // namespace copse::accuracy
