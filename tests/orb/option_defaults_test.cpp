// The defaults of the ORB's options are those of docs/options.md.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <iostream>
#include <map>

#include "base/log.h"
#include "orb/options.h"
#include "testing/documented_options.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/pool.h"
#include "transport/huge_pages.h"

namespace orbtest {
namespace {

namespace blocks = orbweaver::transport::blocks;
namespace log = orbweaver::log;
using OrbOptions = orbweaver::orb::Options;

std::string join(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return "`" + all + "`";
}

std::string listened_by_default(const OrbOptions& o) {
  std::vector<std::string> names;
  for (const auto& endpoint : o.listen) names.push_back(endpoint.transport + endpoint.address);
  return join(names);
}

template <auto Member>
std::string number(const OrbOptions& o) {
  return std::to_string(o.*Member);
}

std::string on_or_off(bool on) { return on ? "`on`" : "`off`"; }

std::string thread_policy(const OrbOptions& o) {
  return o.threads == OrbOptions::Threads::connection ? "`connection`" : "another";
}

std::string wait(const OrbOptions& o) {
  return o.wait == orbweaver::transport::WaitStrategy::adaptive ? "`adaptive`" : "another";
}

std::string priority(const OrbOptions& o) {
  return o.schedule.policy == orbweaver::platform::Schedule::Policy::other ? "`other`" : "another";
}

std::string log_level(const OrbOptions&) {
  return log::enabled(log::Level::warn) && !log::enabled(log::Level::info) ? "`warn`" : "another";
}

std::string pool_full(const OrbOptions&) {
  const blocks::PoolFullPolicy policy = blocks::pool_full_policy();
  return policy.wait && policy.timeout_ms == 0 ? "`wait`" : "another";
}

std::string reserved_descriptors(const OrbOptions& o) {
  return o.reserved_descriptors == blocks::reserved_descriptors() ? std::to_string(o.reserved_descriptors)
                                                                  : "two values";
}

std::string receive_bytes(const OrbOptions& o) {
  return std::to_string(o.receive_bytes()) + ": " +
         (o.receive_bytes() == 4 * o.max_message_bytes ? "four times `-ORBMaxMessageBytes`" : "another");
}

std::string request_queue_bytes(const OrbOptions& o) {
  return std::to_string(o.queue_bytes()) + ": " +
         (o.queue_bytes() == 4 * o.max_message_bytes ? "four times `-ORBMaxMessageBytes`" : "another");
}

std::string bidirectional_queue_bytes(const OrbOptions& o) {
  const bool is_multiple = o.bidirectional_bytes() == 4 * o.max_message_bytes;
  return std::to_string(o.bidirectional_bytes()) + ": " +
         (is_multiple ? "four times `-ORBMaxMessageBytes`" : "another");
}

std::string service_bytes(const OrbOptions& o) {
  return "requests in service: " + std::to_string(o.served_bytes()) +
         (o.served_bytes() == 4 * o.max_message_bytes ? ", four times" : ", another") +
         " `-ORBMaxMessageBytes`; requests that wait for a queue, and replies: " +
         std::to_string(o.reply_bytes()) +
         (o.reply_bytes() == 16 * o.max_message_bytes ? ", sixteen times" : ", another");
}

std::string outgoing_connections(const OrbOptions& o) {
  if (o.max_outgoing_connections) return "set";
  return std::to_string(OrbOptions::kDefaultOutgoingConnections) +
         ", or half of the unreserved descriptors if that is less";
}

std::string none(const OrbOptions&) { return ""; }

/// The default of each option, as in the column "default".
const std::map<std::string, std::string (*)(const OrbOptions&)> kDefaults = {
    {"-ORBTransportPreference",
     [](const OrbOptions& o) {
       return join(o.preference) + "; with `tls` before `tcp` if that plug-in is loaded";
     }},
    {"-ORBListen", listened_by_default},
    {"-ORBTransportPlugin", none},
    {"-ORBTransportOption",
     [](const OrbOptions& o) { return o.parameters.empty() ? "" : std::string("set"); }},
    {"-ORBAllow", none},
    {"-ORBDeny", none},
    {"-ORBAcceptBidirectional",
     [](const OrbOptions& o) {
       return std::string(o.accept_bidirectional == OrbOptions::AcceptBidirectional::off ? "`off`"
                                                                                         : "not `off`");
     }},
    {"-ORBInsecureFallback", [](const OrbOptions& o) { return on_or_off(o.insecure_fallback); }},
    {"-ORBExceptionDetail",
     [](const OrbOptions& o) { return std::string(o.send_exception_text ? "`full`" : "`brief`"); }},
    {"-ORBPublishHost",
     [](const OrbOptions& o) { return o.publish_host.empty() ? "the address listened on" : o.publish_host; }},
    {"-ORBWait", wait},
    {"-ORBThreads", thread_policy},
    {"-ORBThreadPriority", priority},
    {"-ORBThreadAffinity",
     [](const OrbOptions& o) { return std::string(o.schedule.cores.empty() ? "all" : "set"); }},
    {"-ORBCallTimeout", [](const OrbOptions& o) { return std::to_string(o.call_timeout_ms) + ", none"; }},
    {"-ORBInitRef",
     [](const OrbOptions& o) { return o.initial_references.empty() ? "" : std::string("set"); }},
    {"-ORBLog", log_level},
    {"-ORBTune", none},
    {"-ORBMaxMessageBytes", number<&OrbOptions::max_message_bytes>},
    {"-ORBTune udp-call-timeout-ms", number<&OrbOptions::udp_call_timeout_ms>},
    {"-ORBTune reply-handler-timeout-ms", number<&OrbOptions::reply_handler_timeout_ms>},
    {"-ORBTune connect-timeout-ms", number<&OrbOptions::connect_timeout_ms>},
    {"-ORBTune connections-per-peer", number<&OrbOptions::connections_per_peer>},
    {"-ORBTune async-calls", number<&OrbOptions::async_calls>},
    {"-ORBTune deferred-requests", number<&OrbOptions::deferred_requests>},
    {"-ORBTune auxiliary-connections", number<&OrbOptions::auxiliary_connections>},
    {"-ORBTune auxiliary-idle-ms", number<&OrbOptions::auxiliary_idle_ms>},
    {"-ORBTune batch-delay-us", number<&OrbOptions::batch_delay_us>},
    {"-ORBTune batch-bytes", number<&OrbOptions::batch_bytes>},
    {"-ORBTune oneway-queue-requests", number<&OrbOptions::oneway_queue_requests>},
    {"-ORBTune oneway-queue-bytes", number<&OrbOptions::oneway_queue_bytes>},
    {"-ORBTune oneway-queue-total-bytes", number<&OrbOptions::oneway_queue_total_bytes>},
    {"-ORBTune fragment-bytes", number<&OrbOptions::max_fragment_bytes>},
    {"-ORBTune ring-bytes", number<&OrbOptions::ring_bytes>},
    {"-ORBTune pool-bytes", [](const OrbOptions&) { return std::to_string(blocks::pool_bytes()); }},
    {"-ORBTune pool-full", pool_full},
    {"-ORBTune huge-pages",
     [](const OrbOptions&) { return on_or_off(orbweaver::transport::huge_pages_enabled()); }},
    {"-ORBTune receive-bytes", receive_bytes},
    {"-ORBTune request-queue-bytes", request_queue_bytes},
    {"-ORBTune bidirectional-queue-bytes", bidirectional_queue_bytes},
    {"-ORBTune bidirectional-lanes", number<&OrbOptions::bidirectional_lanes>},
    {"-ORBTune service-bytes", service_bytes},
    {"-ORBTune message-timeout-ms", number<&OrbOptions::message_timeout_ms>},
    {"-ORBTune reply-timeout-ms", number<&OrbOptions::reply_timeout_ms>},
    {"-ORBTune handshake-timeout-ms", number<&OrbOptions::handshake_timeout_ms>},
    {"-ORBTune idle-timeout-ms", number<&OrbOptions::idle_timeout_ms>},
    {"-ORBTune max-connections", number<&OrbOptions::max_connections>},
    {"-ORBTune max-connections-per-peer", number<&OrbOptions::max_connections_per_peer>},
    {"-ORBTune reserved-descriptors", reserved_descriptors},
    {"-ORBTune max-outgoing-connections", outgoing_connections},
    {"-ORBTune outgoing-idle-timeout-ms", number<&OrbOptions::outgoing_idle_timeout_ms>},
};

/// Prints each difference between the defaults and the page to stderr. Returns their number.
int compare_defaults() {
  std::string program = "program";
  char* argv[] = {program.data(), nullptr};
  int argc = 1, differences = 0;
  const auto options = orbweaver::orb::parse_options(argc, argv);
  if (!options) return std::cerr << options.error().message << '\n', 1;
  auto defaults = kDefaults;
  for (const DocumentedOption& each : documented_options()) {
    const auto found = defaults.find(each.subject);
    const std::string value = found == defaults.end() ? "not in the test" : found->second(*options);
    if (found != defaults.end()) defaults.erase(found);
    if (value == each.default_value) continue;
    ++differences;
    std::cerr << each.subject << ": documented: '" << each.default_value << "', is: '" << value << "'\n";
  }
  for (const auto& [subject, unused] : defaults)
    ++differences, std::cerr << subject << ": not in docs/options.md\n";
  return differences;
}

/// Death tests run in a new process, whose options no other test has changed.
class ProcessDefaults : public ::testing::Test {
 protected:
  void SetUp() override {
    ::unsetenv("ORBWEAVER_TRANSPORT_PLUGINS");
    ::unsetenv("ORBWEAVER_LOG");
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
  void TearDown() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};
using OptionDefaultsDeathTest = ProcessDefaults;
using LogLevelDeathTest = ProcessDefaults;

TEST_F(OptionDefaultsDeathTest, AreThoseOfTheirDocumentation) {
  EXPECT_EXIT(::_Exit(compare_defaults()), ::testing::ExitedWithCode(0), "");
}

TEST_F(LogLevelDeathTest, IsWarnForAnInvalidEnvironmentVariable) {
  const auto write_lines = [] {
    ::setenv("ORBWEAVER_LOG", "loud", 1);
    log::warn("a warning");
    log::info([] { return std::string("a detail"); });
    log::warn("the end");
    ::_Exit(0);
  };
  EXPECT_EXIT(write_lines(), ::testing::ExitedWithCode(0),
              "warn: invalid ORBWEAVER_LOG \\(off, error, warn, info, debug\\): using warn\n"
              "orbweaver.[0-9]+. warn: a warning\norbweaver.[0-9]+. warn: the end\n$");
}

TEST_F(LogLevelDeathTest, IsSetByTheEnvironment) {
  const auto write_lines = [] {
    ::setenv("ORBWEAVER_LOG", "error", 1);
    log::warn("a warning");
    log::write(log::Level::error, "an error");
    ::_Exit(0);
  };
  EXPECT_EXIT(write_lines(), ::testing::ExitedWithCode(0), "^orbweaver.[0-9]+. error: an error\n$");
}

}  // namespace
}  // namespace orbtest
