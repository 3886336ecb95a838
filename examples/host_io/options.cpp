#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

namespace host_io {

Options readOptions(int argc, char **argv) {
  Options options;
  CLI::App app("How fast data go between a host program and its IPUs.");
  app.add_option("--device", options.device, "device to run on")
      ->check(CLI::IsMember({"ipu", "ipumodel", "cpu"}))
      ->capture_default_str();
  // A transfer has at most 128 MiB on an IPU; words of four bytes are moved.
  app.add_option("--bytes", options.bytes, "sizes of one transfer to one replica, such as 4k or 1M")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(4, 128 << 20))
      ->delimiter(',');
  app.add_option("--replicas", options.replicas, "numbers of IPUs, each with a stream of its own")
      ->check(CLI::Range(1, 64))
      ->delimiter(',');
  app.add_option("--directions", options.directions, "in (to the IPU), out, both (there and back)")
      ->check(CLI::IsMember({"in", "out", "both"}))
      ->delimiter(',');
  app.add_option("--prefetch", options.prefetch, "whether the host fills rows ahead of time")
      ->check(CLI::IsMember({"off", "on", "both"}))
      ->capture_default_str();
  app.add_option("--depths", options.depths, "rows that prefetch may run ahead")
      ->check(CLI::Range(1, 64))
      ->delimiter(',');
  app.add_option("--fill-us", options.fillMicroseconds,
                 "microseconds that the host works for each row, besides copying it")
      ->check(CLI::Range(0.0, 1e6));
  app.add_option("--bytes-per-point", options.bytesPerPoint,
                 "bytes that each replica moves for one line of the table")
      ->transform(CLI::AsSizeValue(false));
  app.add_option("--csv", options.csv, "write the table to this file");
  app.add_option("--svg", options.svg, "draw a chart into this file");
  app.callback([&options] {
    for (std::size_t &bytes : options.bytes)
      bytes = bytes / 4 * 4;
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

} // namespace host_io
