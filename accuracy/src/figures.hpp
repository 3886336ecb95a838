#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace copse::accuracy {

/// The relation of a figure to the model.
enum class Standing {
  Predicted, ///< no constant of the model depends on it
  Fitted,    ///< a constant was chosen so that the model reproduces it
  Given      ///< the figure itself is a constant of the model
};

/// A published figure, and the program that is modelled for comparison.
struct Figure {
  std::string group, name, machine, unit, source;
  double value = 0;
  Standing standing = Standing::Predicted;
  std::string note;    ///< what was fitted or assumed, or why the model deviates; may be empty
  std::string program; ///< a name that modelled() knows
  nlohmann::json parameters; ///< the program's parameters
};

/// Reads a file of figures: {"group": ..., "source": ..., "figures": [{"name", "machine",
/// "program", "parameters", "value", "unit", "standing", "note", "source"}, ...]}. A figure without
/// a source has the file's source.
/// \param file  name of the file, for messages
/// \throws std::runtime_error  which names the file, the figure and the entry
std::vector<Figure> readFigures(const std::string &text, const std::string &file);

/// Returns the figures of accuracy/figures/.
std::vector<Figure> ownFigures();

} // namespace copse::accuracy
