#include "options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace stencil {

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app("Heat spreads over a plate, rows of which lie on replicated IPUs.");
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"ipu", "ipumodel", "cpu"}))
      ->capture_default_str();
  app.add_option("--replicas", options.replicas, "IPUs, each with a part of the rows")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--rows", options.rows, "rows of the plate, a multiple of the replicas")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app.add_option("--columns", options.columns, "columns of the plate")
      ->check(CLI::Range(1, 1 << 14))
      ->capture_default_str();
  app.add_option("--steps", options.steps, "steps of time, an even number")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  app.callback([&options] {
    if (options.rows % options.replicas != 0)
      throw CLI::ValidationError("--rows", "must be a multiple of --replicas");
    if (options.steps % 2 != 0)
      throw CLI::ValidationError("--steps", "must be even");
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace stencil
