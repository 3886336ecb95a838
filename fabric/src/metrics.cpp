#include "fabric/metrics.hpp"

#include <exception>
#include <mutex>
#include <prometheus/client_metric.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>
#include <prometheus/metric_family.h>
#include <utility>

namespace copse::fabric {
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
      : adapter_(std::make_shared<Adapter>(std::move(source))), exposer_(listen, 1) {
    exposer_.RegisterCollectable(adapter_);
    const std::string host = listen.substr(0, listen.rfind(':'));
    address_ = host + ":" + std::to_string(exposer_.GetListeningPorts().front());
  }
  const std::string &address() const { return address_; }

private:
  std::shared_ptr<Adapter> adapter_;
  prometheus::Exposer exposer_;
  std::string address_;
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

} // namespace copse::fabric
