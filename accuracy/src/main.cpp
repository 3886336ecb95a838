// The program `copse accuracy` compares published figures with modelled ones.
#include "comparison.hpp"
#include "efficiency_plot.hpp"
#include "page.hpp"
#include "scatter_plot.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace copse::accuracy;

struct Options {
  std::vector<std::string> files, groups;
  std::string output;
  bool json = false;
};

std::string textOf(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Figure> figuresOf(const Options &options) {
  std::vector<Figure> figures;
  if (options.files.empty())
    figures = ownFigures();
  for (const std::string &file : options.files) {
    const std::vector<Figure> more = readFigures(textOf(file), file);
    figures.insert(figures.end(), more.begin(), more.end());
  }
  if (!options.groups.empty())
    std::erase_if(figures, [&](const Figure &figure) {
      return std::ranges::find(options.groups, figure.group) == options.groups.end();
    });
  return figures;
}

/// Writes the page, and its plots into the folder "pictures" next to it.
void writeFiles(const std::filesystem::path &page, const std::vector<Comparison> &comparisons) {
  const std::filesystem::path pictures = page.parent_path() / "pictures";
  std::filesystem::create_directories(pictures);
  const std::filesystem::path plot = pictures / (page.stem().string() + ".svg");
  std::ofstream picture(plot), efficiency(pictures / "efficiency.svg"), text(page);
  drawScatter(picture, comparisons);
  drawEfficiency(efficiency, comparisons);
  writePage(text, comparisons, "pictures/" + plot.filename().string());
  picture.flush();
  efficiency.flush();
  text.flush();
  if (!picture || !efficiency || !text)
    throw std::runtime_error(page.string() + ": cannot be written");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Models the programs of published figures, and prints both and the error.",
               "copse accuracy"};
  Options options;
  app.add_option("--figures", options.files, "a file of figures, instead of Copse's own")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--group", options.groups, "figures of this group only")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-o,--output", options.output,
                 "write the page to this file (Markdown), and its plots into pictures/ beside it");
  app.add_flag("-j,--json", options.json, "print a JSON array instead of a table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    const std::vector<Comparison> comparisons = compare(figuresOf(options));
    if (!options.output.empty())
      writeFiles(options.output, comparisons);
    options.json ? printJson(std::cout, comparisons) : printTable(std::cout, comparisons);
    return 0;
  } catch (const std::exception &error) {
    std::cerr << "copse accuracy: " << error.what() << '\n';
    return 1;
  }
}
