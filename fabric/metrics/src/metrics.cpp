#include "metrics/metrics.hpp"

#include "http_connection.hpp"

#include "fabric/connection_table.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/stream_listener.hpp"

#include <asio/io_context.hpp>

#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <pthread.h>
#include <sstream>
#include <thread>
#include <utility>

namespace copse::metrics {
namespace {

// One connection too many evicts the oldest of the machine that has the most, so a client that
// keeps connections open does not block other clients.
constexpr std::size_t kMostConnections = 32;

prometheus::ClientMetric sampleOf(const Metric &metric) {
  prometheus::ClientMetric sample;
  for (const auto &[name, value] : metric.labels)
    sample.label.push_back({name, value});
  if (metric.kind == Metric::Kind::Counter)
    sample.counter.value = metric.value;
  else
    sample.gauge.value = metric.value;
  return sample;
}

std::string textOf(const std::vector<Metric> &metrics) {
  std::vector<prometheus::MetricFamily> families;
  for (const Metric &metric : metrics) {
    if (families.empty() || families.back().name != metric.name)
      families.push_back({metric.name,
                          metric.help,
                          metric.kind == Metric::Kind::Counter ? prometheus::MetricType::Counter
                                                               : prometheus::MetricType::Gauge,
                          {}});
    families.back().metric.push_back(sampleOf(metric));
  }
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families);
  return text.str();
}

} // namespace

class MetricsServer::Impl {
public:
  explicit Impl(Source source) : source_(std::move(source)), listener_(io_) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable())
      thread_.join();
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  wire::Status listen(const fabric::Endpoint &endpoint) {
    const auto bound = listener_.bind(endpoint);
    if (!bound)
      return bound.status();
    address_ = bound->place() + ":" + std::to_string(bound->port());
    listener_.accept([this](fabric::Descriptor socket, const std::string &origin) {
      serve(std::move(socket), origin);
    });
    thread_ = std::thread([this] { io_.run(); });
    pthread_setname_np(thread_.native_handle(), "metrics");
    return wire::Status::success();
  }
  const std::string &address() const { return address_; }

private:
  void serve(fabric::Descriptor socket, const std::string &origin) {
    auto connection = std::make_shared<HttpConnection>(
        io_, std::move(socket), [this] { return textOf(source_()); },
        [this](const HttpConnection &ended) { connections_.remove(&ended); });
    if (const auto displaced = connections_.add(connection, origin))
      displaced->close();
    connection->start();
  }

  Source source_;
  asio::io_context io_{1};
  fabric::StreamListener listener_;
  fabric::ConnectionTable<HttpConnection> connections_{kMostConnections};
  std::string address_;
  std::thread thread_;
};

MetricsServer::MetricsServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MetricsServer::~MetricsServer() = default;

wire::Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string &listen,
                                                                  Source source) {
  const auto endpoint = fabric::Endpoint::parse("tcp://" + listen);
  if (!endpoint)
    return wire::Status{wire::Code::InvalidOption, "metrics cannot be served at '" + listen +
                                                       "'; give ADDRESS:PORT, such as "
                                                       "127.0.0.1:9471"};
  auto impl = std::make_unique<Impl>(std::move(source));
  if (const wire::Status status = impl->listen(*endpoint); !status.ok())
    return wire::Status{wire::Code::InvalidOption,
                        "metrics cannot be served at '" + listen + "': " + status.message +
                            "; is the port in use, or the address not of this machine"};
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(impl)));
}

const std::string &MetricsServer::address() const { return impl_->address(); }

} // namespace copse::metrics
