#include "figures.hpp"

#include "entries.hpp"
#include "figure_texts.hpp"

#include <map>
#include <stdexcept>

namespace copse::accuracy {
namespace {

using nlohmann::json;

Standing standingOf(const std::string &word) {
  if (word == "fitted")
    return Standing::Fitted;
  if (word == "given")
    return Standing::Given;
  if (word != "predicted")
    throw std::runtime_error("'standing' is '" + word + "'; it must be predicted, fitted or given");
  return Standing::Predicted;
}

Figure readFigure(const json &entry, const std::string &group, const std::string &source) {
  refuseUnknown(entry, {"name", "machine", "program", "parameters", "value", "unit", "standing",
                        "note", "source"});
  Figure figure;
  figure.group = group;
  entry.at("name").get_to(figure.name);
  entry.at("machine").get_to(figure.machine);
  entry.at("program").get_to(figure.program);
  figure.parameters = entry.value("parameters", json::object());
  entry.at("value").get_to(figure.value);
  entry.at("unit").get_to(figure.unit);
  figure.standing = standingOf(entry.value("standing", "predicted"));
  figure.note = entry.value("note", "");
  figure.source = entry.value("source", source);
  if (!(figure.value > 0))
    throw std::runtime_error("'value' must be greater than 0");
  return figure;
}

} // namespace

std::vector<Figure> readFigures(const std::string &text, const std::string &file) {
  std::vector<Figure> figures;
  std::string where = file;
  try {
    const json all = json::parse(text);
    refuseUnknown(all, {"group", "source", "figures"});
    const auto group = all.at("group").get<std::string>();
    const auto source = all.at("source").get<std::string>();
    for (const json &entry : all.at("figures")) {
      where = file + ": figure " + std::to_string(figures.size() + 1);
      figures.push_back(readFigure(entry, group, source));
    }
  } catch (const std::exception &error) {
    throw std::runtime_error(where + ": " + error.what());
  }
  return figures;
}

std::vector<Figure> ownFigures() {
  std::vector<Figure> all;
  for (const auto &[name, text] : figureTexts()) {
    const std::vector<Figure> figures = readFigures(text, name + ".json");
    all.insert(all.end(), figures.begin(), figures.end());
  }
  return all;
}

} // namespace copse::accuracy
