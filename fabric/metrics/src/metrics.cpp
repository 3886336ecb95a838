#include "metrics/metrics.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace copse::metrics {
namespace {

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

class Adapter : public prometheus::Collectable {
public:
  explicit Adapter(MetricsServer::Source source) : source_(std::move(source)) {}

  std::vector<prometheus::MetricFamily> Collect() const override {
    const std::lock_guard lock(mutex_);
    std::vector<prometheus::MetricFamily> families;
    for (const Metric &metric : source_()) {
      if (families.empty() || families.back().name != metric.name)
        families.push_back({metric.name,
                            metric.help,
                            metric.kind == Metric::Kind::Counter ? prometheus::MetricType::Counter
                                                                 : prometheus::MetricType::Gauge,
                            {}});
      families.back().metric.push_back(sampleOf(metric));
    }
    return families;
  }

private:
  MetricsServer::Source source_;
  mutable std::mutex mutex_; ///< one scrape after the other
};

} // namespace

class MetricsServer::Impl {
public:
  Impl(const std::string &listen, Source source)
      : adapter_(std::make_shared<Adapter>(std::move(source))),
        exposer_(std::make_unique<prometheus::Exposer>(listen, 1)) {
    exposer_->RegisterCollectable(adapter_);
    port_ = exposer_->GetListeningPorts().front();
    host_ = listen.substr(0, listen.rfind(':'));
    address_ = host_ + ":" + std::to_string(port_);
  }
  /// The server's thread looks whether it is to end every two seconds only, or when somebody comes:
  /// so long a daemon must not take to end.
  ~Impl() {
    std::atomic<bool> ended{false};
    std::thread ending([&] {
      exposer_.reset();
      ended = true;
    });
    while (!ended) {
      visit();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ending.join();
  }
  Impl(const Impl &) = delete;
  Impl &operator=(const Impl &) = delete;

  const std::string &address() const { return address_; }

private:
  void visit() const {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    if (::inet_pton(AF_INET, host_.c_str(), &to.sin_addr) != 1)
      return; // a name, or IPv6: then it takes its two seconds
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    (void)::connect(socket, reinterpret_cast<const sockaddr *>(&to), sizeof to);
    ::close(socket);
  }

  std::shared_ptr<Adapter> adapter_;
  std::unique_ptr<prometheus::Exposer> exposer_;
  int port_ = 0;
  std::string host_, address_;
};

MetricsServer::MetricsServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MetricsServer::~MetricsServer() = default;

wire::Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const std::string &listen,
                                                                  Source source) {
  if (listen.rfind(':') == std::string::npos)
    return wire::Status{wire::Code::InvalidOption, "metrics cannot be served at '" + listen +
                                                       "'; give ADDRESS:PORT, such as "
                                                       "127.0.0.1:9471"};
  try {
    return std::unique_ptr<MetricsServer>(
        new MetricsServer(std::make_unique<Impl>(listen, std::move(source))));
  } catch (const std::exception &error) {
    return wire::Status{wire::Code::InvalidOption,
                        "metrics cannot be served at '" + listen + "': " + error.what() +
                            "; is the port in use, or the address not of this machine"};
  }
}

const std::string &MetricsServer::address() const { return impl_->address(); }

} // namespace copse::metrics
