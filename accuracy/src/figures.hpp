#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace copse::accuracy {

/// How the model came to a figure.
enum class Standing {
  Predicted, ///< no constant was set by it
  Fitted,    ///< a constant was set so that the model has it
  Given      ///< a constant of the model is the figure
};

/// A published figure, and the program that is modelled to compare with it.
struct Figure {
  std::string group, name, machine, unit, source;
  double value = 0;
  Standing standing = Standing::Predicted;
  std::string note;          ///< what was fitted or assumed, or why the model is off; may be empty
  std::string program;       ///< one of those that modelled() knows
  nlohmann::json parameters; ///< of the program
};

/// Reads a file of figures: {"group": ..., "source": ..., "figures": [{"name", "machine", "program",
/// "parameters", "value", "unit", "standing", "note", "source"}, ...]}. A figure without a source of its own
/// has the file's.
/// \param file  for messages
/// \throws std::runtime_error naming file, figure and entry
std::vector<Figure> readFigures(const std::string &text, const std::string &file);

/// Returns the figures of accuracy/figures/.
std::vector<Figure> ownFigures();

} // namespace copse::accuracy
