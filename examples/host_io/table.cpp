#include "table.hpp"

#include <cstdio>
#include <ostream>

namespace host_io {

std::string sizeText(std::size_t bytes) {
  for (const auto &[unit, name] : {std::pair(std::size_t{1} << 20, " MiB"), {1 << 10, " KiB"}})
    if (bytes >= unit && bytes % unit == 0)
      return std::to_string(bytes / unit) + name;
  return std::to_string(bytes) + " B";
}

void printHeading() {
  std::printf("%53s | %-23s | %-23s\n", "", "wall-clock", "modelled");
  std::printf("%-9s %8s %9s %5s %9s %8s | %10s %12s | %10s %12s\n", "direction", "replicas",
              "prefetch", "depth", "transfer", "each", "MB/s", "us/transfer", "MB/s",
              "us/transfer");
}

void printRow(const Point &point) {
  const auto perTransfer = [&](double seconds) {
    return seconds / static_cast<double>(point.transfers) * 1e6;
  };
  std::printf("%-9s %8u %9s %5u %9s %8zu | %10.1f %12.1f | %10.1f %12.2f\n",
              point.direction.c_str(), point.replicas, point.prefetch ? "on" : "off", point.depth,
              sizeText(point.bytes).c_str(), point.transfers, point.wallMegabytesPerSecond(),
              perTransfer(point.wallSeconds), point.modelledMegabytesPerSecond(),
              perTransfer(point.modelledSeconds));
  std::fflush(stdout);
}

void writeCsv(std::ostream &out, const std::vector<Point> &points) {
  out << "direction,replicas,prefetch,buffering_depth,transfer_bytes,transfers_per_replica,"
         "wall_seconds,wall_bytes_per_second,modelled_seconds,modelled_bytes_per_second\n";
  out.precision(9);
  for (const Point &point : points)
    out << point.direction << ',' << point.replicas << ',' << (point.prefetch ? "on" : "off") << ','
        << point.depth << ',' << point.bytes << ',' << point.transfers << ',' << point.wallSeconds
        << ',' << point.totalBytes() / point.wallSeconds << ',' << point.modelledSeconds << ','
        << point.totalBytes() / point.modelledSeconds << '\n';
}

} // namespace host_io
