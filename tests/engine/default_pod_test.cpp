// Tests the pod that a program's IPUs are in by default.
#include "machine/pods.hpp"
#include "poplar/Target.hpp"
#include "poplar/exceptions.hpp"
#include "types/target_description.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <string>

namespace copse::machine {
namespace {

/// Sets an environment variable as long as it lives.
class Setting {
public:
  Setting(const char *name, const char *value) : name_(name) { ::setenv(name, value, 1); }
  ~Setting() { ::unsetenv(name_); }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

private:
  const char *name_;
};

std::optional<clock::Pod> podOfTarget(unsigned ipus, const char *system,
                                      const poplar::OptionFlags &options = {}) {
  return podOf(types::describe(poplar::Target::createIPUTarget(ipus, system, options)));
}

std::string nameOf(const std::optional<clock::Pod> &pod) { return pod ? pod->name : "none"; }

TEST(DefaultPod, IsTheSmallestSystemWithEnoughIpus) {
  const struct {
    unsigned ipus;
    const char *system, *pod;
  } kCases[] = {
      {1, "ipu2", "pod4"},       {4, "ipu2", "pod4"},        {5, "ipu2", "pod16"},
      {16, "ipu2", "pod16"},     {17, "ipu2", "pod64"},      {64, "ipu2", "pod64"},
      {65, "ipu2", "pod128"},    {129, "ipu2", "pod256"},    {257, "ipu2", "pod1024"},
      {4096, "ipu2", "pod4096"}, {16, "ipu21", "bow-pod16"}, {4096, "ipu21", "bow-pod4096"},
      {16, "ipu1", "c2x8"},      {32, "ipu1", "none"}};
  for (const auto &[ipus, system, pod] : kCases)
    EXPECT_EQ(nameOf(podOfTarget(ipus, system)), pod) << ipus << " of " << system;
  EXPECT_EQ(nameOf(podOf(types::describe(poplar::Target::createCPUTarget()))), "none");
}

TEST(DefaultPod, HasNoMoreThan4096Ipus) {
  EXPECT_THROW(podOfTarget(4098, "ipu2"), poplar::invalid_machine_model);
}

TEST(DefaultPod, HasGatewaysIfTheTargetAsksForSeveralDomains) {
  const auto pod = podOfTarget(16, "ipu2", {{"ipuLinkDomainSize", "8"}});
  ASSERT_TRUE(pod.has_value());
  EXPECT_EQ(pod->ipusPerDomain, 8u);
  EXPECT_EQ(pod->gatewayLinks, clock::GatewayLinks::Looped);
}

TEST(DefaultPod, HasTheHostsThatRunAHostProgram) {
  const struct {
    const char *instanceSize;
    std::uint32_t hosts;
  } kCases[] = {{"16", 16}, {"4", 16}, {"64", 4}, {"256", 1}, {"512", 1}, {"24", 8}};
  for (const auto &[size, hosts] : kCases) {
    const auto pod = podOfTarget(256, "ipu2", {{"instanceSize", size}});
    ASSERT_TRUE(pod.has_value());
    EXPECT_EQ(pod->hosts, hosts) << size << " IPUs of a host program";
  }
}

TEST(DefaultPod, YieldsToTheEnvironment) {
  const Setting setting("COPSE_POD", "pod64-4hosts");
  EXPECT_EQ(nameOf(podOfTarget(4, "ipu2")), "pod64-4hosts");
}

TEST(DefaultPod, IsMissingIfTheEnvironmentSaysNone) {
  const Setting setting("COPSE_POD", "none");
  EXPECT_EQ(nameOf(podOfTarget(4, "ipu2")), "none");
}

TEST(DefaultPod, IsMissingBesideAMachineModelOfTheUser) {
  const Setting setting("COPSE_MACHINE_MODEL", "lab.json");
  EXPECT_EQ(nameOf(podOfTarget(4, "ipu2")), "none");
}

} // namespace
} // namespace copse::machine
