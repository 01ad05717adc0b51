#include "orb/tuning_keys.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace orbweaver::orb {
namespace {

/// Sets the fragment size; 0 disables fragmentation. Each fragment but the last has a multiple of 8 bytes.
Problem fragment_bytes(ParsedOptions& parsed, const std::string& value) {
  std::int64_t bytes = 0;
  if (value == "0") return parsed.options.max_fragment_bytes = 0, Problem();
  if (Problem p = parse_number(value, 1024, limits::kMaxMessageBytes, bytes); !p.empty()) return p;
  if (bytes % 8 != 0)
    return "takes a multiple of 8, such as " + std::to_string(bytes / 8 * 8) + ", not '" + value + "'";
  parsed.options.max_fragment_bytes = static_cast<std::size_t>(bytes);
  return {};
}

Problem ring_bytes(ParsedOptions& parsed, const std::string& value) {
  std::int64_t number = 0;
  if (Problem p = parse_number(value, 4096, std::int64_t{1} << 30, number); !p.empty()) return p;
  const auto bytes = static_cast<std::size_t>(number);
  if (!std::has_single_bit(bytes)) {
    return "takes a power of two, such as " + std::to_string(std::bit_ceil(bytes)) + ", not '" + value + "'";
  }
  parsed.options.ring_bytes = bytes;
  return {};
}

Problem pool_full(ParsedOptions& parsed, const std::string& value) {
  transport::blocks::PoolFullPolicy policy;
  policy.wait = value != "raise";
  if (value.rfind("wait:", 0) == 0) {
    if (Problem p = parse_number(value.substr(5), 1, kDay_ms, policy.timeout_ms); !p.empty()) return p;
  } else if (policy.wait && value != "wait") {
    return "takes wait, wait:MS or raise, not '" + value + "'";
  }
  parsed.process.pool_full = policy;
  return {};
}

Problem huge_pages(ParsedOptions& parsed, const std::string& value) {
  return parse_on_off(value, parsed.process.huge_pages.emplace());
}

Problem reserved_descriptors(ParsedOptions& parsed, const std::string& value) {
  Problem problem = set_number<&Options::reserved_descriptors, 0, 1'000'000>(parsed, value);
  if (problem.empty()) parsed.process.reserved_descriptors = parsed.options.reserved_descriptors;
  return problem;
}

struct TuningKey {
  const char* name;
  const char* former_option;  // the option that had this value before; "" for a new key
  Problem (*set)(ParsedOptions&, const std::string&);
};

constexpr std::int64_t kMaxBudgetBytes =
    sizeof(std::size_t) > 4 ? std::int64_t{1} << 40 : std::int64_t{UINT32_MAX};
constexpr std::int64_t kMaxConnections = 1'000'000;

constexpr TuningKey kKeys[] = {
    {"async-calls", "", set_number<&Options::async_calls, 1, 10'000'000>},
    {"auxiliary-connections", "-ORBNestedConnections", set_number<&Options::auxiliary_connections, 0, 1024>},
    {"auxiliary-idle-ms", "-ORBNestedIdle", set_number<&Options::auxiliary_idle_ms, 1, kDay_ms>},
    {"batch-bytes", "-ORBBatchBytes", set_number<&Options::batch_bytes, 1, std::int64_t{64} << 20>},
    {"batch-delay-us", "-ORBBatchDelay", set_number<&Options::batch_delay_us, 0, 60'000'000>},
    {"bidirectional-lanes", "", set_number<&Options::bidirectional_lanes, 0, 1'000'000>},
    {"bidirectional-queue-bytes", "", set_number<&Options::max_bidirectional_bytes, 1024, kMaxBudgetBytes>},
    {"connect-timeout-ms", "-ORBConnectTimeout", set_number<&Options::connect_timeout_ms, 1, kDay_ms>},
    {"connections-per-peer", "-ORBConnectionsPerPeer", set_number<&Options::connections_per_peer, 1, 1024>},
    {"deferred-requests", "", set_number<&Options::deferred_requests, 1, 10'000'000>},
    {"fragment-bytes", "-ORBMaxFragmentBytes", fragment_bytes},
    {"handshake-timeout-ms", "-ORBHandshakeTimeout", set_number<&Options::handshake_timeout_ms, 0, kDay_ms>},
    {"huge-pages", "-ORBHugePages", huge_pages},
    {"idle-timeout-ms", "-ORBIdleTimeout", set_number<&Options::idle_timeout_ms, 0, kDay_ms>},
    {"max-connections", "-ORBMaxConnections", set_number<&Options::max_connections, 0, kMaxConnections>},
    {"max-connections-per-peer", "-ORBMaxConnectionsPerPeer",
     set_number<&Options::max_connections_per_peer, 0, kMaxConnections>},
    {"max-outgoing-connections", "-ORBMaxOutgoingConnections",
     set_number<&Options::max_outgoing_connections, 0, kMaxConnections>},
    {"message-timeout-ms", "-ORBMessageTimeout", set_number<&Options::message_timeout_ms, 0, kDay_ms>},
    {"oneway-queue-bytes", "", set_number<&Options::oneway_queue_bytes, 0, kMaxBudgetBytes>},
    {"oneway-queue-requests", "", set_number<&Options::oneway_queue_requests, 0, 1'000'000>},
    {"oneway-queue-total-bytes", "", set_number<&Options::oneway_queue_total_bytes, 0, kMaxBudgetBytes>},
    {"outgoing-idle-timeout-ms", "-ORBOutgoingIdleTimeout",
     set_number<&Options::outgoing_idle_timeout_ms, 0, kDay_ms>},
    {"pool-bytes", "-ORBPoolBytes", set_number<&ProcessSettings::pool_bytes, 4096, kMaxBudgetBytes>},
    {"pool-full", "-ORBPoolFull", pool_full},
    {"receive-bytes", "-ORBMaxReceiveBytes", set_number<&Options::max_receive_bytes, 1024, kMaxBudgetBytes>},
    {"reply-handler-timeout-ms", "", set_number<&Options::reply_handler_timeout_ms, 1, kDay_ms>},
    {"reply-timeout-ms", "-ORBReplyTimeout", set_number<&Options::reply_timeout_ms, 0, kDay_ms>},
    {"request-queue-bytes", "", set_number<&Options::max_queue_bytes, 1024, kMaxBudgetBytes>},
    {"reserved-descriptors", "-ORBReservedDescriptors", reserved_descriptors},
    {"ring-bytes", "-ORBRingBytes", ring_bytes},
    {"service-bytes", "-ORBMaxServedBytes", set_number<&Options::max_served_bytes, 1024, kMaxBudgetBytes>},
    {"udp-call-timeout-ms", "-ORBUdpCallTimeout", set_number<&Options::udp_call_timeout_ms, 1, kDay_ms>},
};

Problem tune_one(ParsedOptions& parsed, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == 0 || equals == std::string::npos) return "takes key=value[,key=value], not '" + setting + "'";
  const std::string name = setting.substr(0, equals);
  const auto* const key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                       [&](const TuningKey& each) { return name == each.name; });
  if (key == std::end(kKeys)) {
    std::string known;
    for (const TuningKey& each : kKeys) known += std::string(" ") + each.name;
    return "has no key '" + name + "'; its keys:" + known;
  }
  Problem problem = key->set(parsed, setting.substr(equals + 1));
  return problem.empty() ? problem : name + " " + problem;
}

}  // namespace

Problem tune(ParsedOptions& parsed, const std::string& value) {
  if (!is_list(value)) return "takes key=value[,key=value], not '" + value + "'";
  for (const std::string& setting : split(value, ',')) {
    if (Problem problem = tune_one(parsed, setting); !problem.empty()) return problem;
  }
  return {};
}

std::string tune_spelling_of(const std::string& option) {
  for (const TuningKey& key : kKeys) {
    if (option == key.former_option) return std::string("-ORBTune ") + key.name;
  }
  return {};
}

}  // namespace orbweaver::orb
