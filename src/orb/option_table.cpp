#include "orb/option_table.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <thread>

#include "base/log.h"
#include "giop/ior.h"
#include "giop/object_url.h"
#include "transport/blocks/link_descriptors.h"
#include "transport/blocks/pool.h"
#include "transport/huge_pages.h"
#include "transport/plugins.h"

namespace orbweaver::orb {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

namespace {

template <class Number>
Problem number(const std::string& text, Number min, Number max, Number& value) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < min || parsed > max) {
    return "takes a whole number from " + std::to_string(min) + " to " + std::to_string(max) + ", not '" +
           text + "'";
  }
  value = parsed;
  return {};
}

Problem problem_of(const Result<void>& result) { return result ? Problem() : result.error().message; }

Problem on_or_off(const std::string& text, bool& value) {
  if (text != "on" && text != "off") return "takes on or off, not '" + text + "'";
  value = text == "on";
  return {};
}

Problem known_transport(const std::string& name) {
  if (find_transport(name) != nullptr) return {};
  std::string plugin;
  for (const transport::PluginLibrary& each : transport::plugin_libraries()) {
    if (name == each.transport)
      plugin = "; -ORBTransportPlugin " + std::string(each.library) + " adds " + each.transport;
  }
  return "takes the transports " + transport::known_names() + ", not '" + name + "'" + plugin;
}

/// Whether `value` is a comma-separated list without empty elements.
bool is_list(const std::string& value) {
  return !value.empty() && value.front() != ',' && value.back() != ',' &&
         value.find(",,") == std::string::npos;
}

Problem listen(Options& o, const std::string& value) {
  if (!is_list(value)) return "takes a list of endpoints such as shm,tcp:0.0.0.0:4711, not '" + value + "'";
  o.listen.clear();
  for (const std::string& part : split(value, ',')) {
    const std::size_t colon = part.find(':');
    std::string name = part.substr(0, colon);
    for (const transport::Transport* each : transport::all()) {
      if (each->traits().alias != nullptr && name == each->traits().alias) name = each->name();
    }
    if (Problem p = known_transport(name); !p.empty()) return p;
    std::string address = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (address.rfind("//", 0) == 0) address.erase(0, 2);  // syntax of other ORBs
    if (!address.empty()) {
      if (auto good = find_transport(name)->check_address(address); !good)
        return "'" + part + "': " + good.error().message;
    }
    o.listen.push_back({name, address});
  }
  return {};
}

Problem preference(Options& o, const std::string& value) {
  if (!is_list(value)) return "takes a list of transports such as shm,tcp, not '" + value + "'";
  o.preference = split(value, ',');
  for (const std::string& name : o.preference) {
    if (Problem p = known_transport(name); !p.empty()) return p;
  }
  return {};
}

Problem wait(Options& o, const std::string& value) {
  if (value == "spin") {
    o.wait = transport::WaitStrategy::spin;
  } else if (value == "adaptive") {
    o.wait = transport::WaitStrategy::adaptive;
  } else if (value == "block") {
    o.wait = transport::WaitStrategy::block;
  } else {
    return "takes spin, adaptive or block, not '" + value + "'";
  }
  return {};
}

Problem threads(Options& o, const std::string& value) {
  if (value.rfind("pool:", 0) == 0) {
    o.threads = Options::Threads::pool;
    return number<std::size_t>(value.substr(5), 1, 1024, o.pool_threads);
  }
  if (value == "single") {
    o.threads = Options::Threads::single;
  } else if (value == "connection") {
    o.threads = Options::Threads::connection;
  } else {
    return "takes connection, single or pool:N, not '" + value + "'";
  }
  return {};
}

/// Checks that the process may use this scheduling. Applied to a temporary thread.
Problem check_schedule(const platform::Schedule& schedule, const std::string& value) {
  int error = 0;
  std::thread([&] { error = platform::schedule_this_thread(schedule); }).join();
  if (error == 0) return {};
  if (error == EPERM && schedule.policy != platform::Schedule::Policy::other) {
    return value + ": permission denied: requires CAP_SYS_NICE or a limit `ulimit -r` of " +
           std::to_string(schedule.priority) + " or more";
  }
  return value + ": " + platform::error_text(error);
}

Problem priority(Options& o, const std::string& value) {
  using Policy = platform::Schedule::Policy;
  const std::size_t colon = value.find(':');
  const std::string policy = value.substr(0, colon);
  platform::Schedule requested;
  requested.policy = policy == "fifo" ? Policy::fifo : policy == "rr" ? Policy::round_robin : Policy::other;
  if (requested.policy == Policy::other) {
    if (value != "other") return "takes other, fifo:N or rr:N, not '" + value + "'";
  } else {
    if (colon == std::string::npos) return "takes a priority, as in " + policy + ":10";
    if (Problem p = number(value.substr(colon + 1), 1, 99, requested.priority); !p.empty()) return p;
  }
  o.schedule.policy = requested.policy;
  o.schedule.priority = requested.priority;
  return check_schedule(requested, value);
}

Problem affinity(Options& o, const std::string& value) {
  platform::Schedule requested;
  if (!is_list(value)) return "takes a list of cores, such as 1,3";
  for (const std::string& part : split(value, ',')) {
    int core = 0;
    if (Problem p = number(part, 0, platform::kMaxCores - 1, core); !p.empty()) return p;
    requested.cores.push_back(core);
  }
  o.schedule.cores = requested.cores;
  Problem p = check_schedule(requested, value);
  return p.empty() ? p : p + " (the process may use none of these cores)";
}

Problem pool_full(Options&, const std::string& value) {
  transport::blocks::PoolFullPolicy policy;
  policy.wait = value != "raise";
  if (value.rfind("wait:", 0) == 0) {
    if (Problem p = number<std::int64_t>(value.substr(5), 1, 86'400'000, policy.timeout_ms); !p.empty())
      return p;
  } else if (policy.wait && value != "wait") {
    return "takes wait, wait:MS or raise, not '" + value + "'";
  }
  transport::blocks::set_pool_full_policy(policy);
  return {};
}

/// Sets the host of references: a name, or an address with or without the brackets of IPv6. It is not
/// resolved here: clients may know names that this host does not.
Problem publish_host(Options& o, const std::string& value) {
  const auto in_a_host = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("-._:[]%", c) != nullptr;
  };
  if (value.empty() || !std::all_of(value.begin(), value.end(), in_a_host)) {
    return "takes a host name or an address, not '" + value + "'";
  }
  o.publish_host = value;
  return {};
}

/// Sets the fragment size; 0 disables fragmentation. Each fragment but the last has a multiple of 8 bytes.
Problem fragment_bytes(Options& o, const std::string& value) {
  std::size_t bytes = 0;
  if (value == "0") return o.max_fragment_bytes = 0, Problem();
  if (Problem p = number<std::size_t>(value, 1024, limits::kMaxMessageBytes, bytes); !p.empty()) return p;
  if (bytes % 8 != 0)
    return "takes a multiple of 8, such as " + std::to_string(bytes / 8 * 8) + ", not '" + value + "'";
  o.max_fragment_bytes = bytes;
  return {};
}

Problem ring_bytes(Options& o, const std::string& value) {
  std::size_t bytes = 0;
  if (Problem p = number<std::size_t>(value, 4096, std::size_t{1} << 30, bytes); !p.empty()) return p;
  if (!std::has_single_bit(bytes)) {
    return "takes a power of two, such as " + std::to_string(std::bit_ceil(bytes)) + ", not '" + value + "'";
  }
  o.ring_bytes = bytes;
  return {};
}

Problem init_ref(Options& o, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) return "takes Name=reference, not '" + value + "'";
  const std::string reference = value.substr(equals + 1);
  // A file is read when the reference is resolved.
  if (reference.rfind("file://", 0) != 0) {
    std::string why;
    if (giop::is_object_url(reference)) {
      if (auto url = giop::parse_object_url(reference); !url) why = url.error().message;
    } else if (auto ior = giop::parse_ior(reference); !ior) {
      why = "not an object reference (IOR:…, corbaloc:…, corbaname:… or file://…)";
    }
    if (!why.empty()) return "'" + value + "': " + why;
  }
  o.initial_references[value.substr(0, equals)] = value.substr(equals + 1);
  return {};
}

Problem transport_option(Options& o, const std::string& value) {
  const std::size_t dot = value.find('.');
  const std::size_t equals = value.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals || dot == 0 ||
      equals == dot + 1) {
    return "takes transport.key=value, not '" + value + "'";
  }
  const std::string name = value.substr(0, dot);
  if (Problem p = known_transport(name); !p.empty()) return p;
  o.parameters[name][value.substr(dot + 1, equals - dot - 1)] = value.substr(equals + 1);
  return {};
}

}  // namespace

const std::map<std::string, Setter>& option_setters() {
  static const auto& table = *new std::map<std::string, Setter>{  // never destroyed
      {"-ORBListen", listen},
      {"-ORBListenEndpoints", listen},
      {"-ORBTransportPreference", preference},
      // handled by load_plugins
      {"-ORBTransportPlugin", [](Options&, const std::string&) { return Problem(); }},
      {"-ORBTransportOption", transport_option},
      {"-ORBWait", wait},
      {"-ORBThreads", threads},
      {"-ORBThreadPriority", priority},
      {"-ORBThreadAffinity", affinity},
      {"-ORBInitRef", init_ref},
      {"-ORBAllow", [](Options& o, const std::string& v) { return problem_of(o.access->allow(v)); }},
      {"-ORBDeny", [](Options& o, const std::string& v) { return problem_of(o.access->deny(v)); }},
      {"-ORBInsecureFallback", [](Options& o, const std::string& v) { return on_or_off(v, o.insecure_fallback); }},
      {"-ORBExceptionDetail",
       [](Options& o, const std::string& v) {
         if (v != "full" && v != "brief") return "takes brief or full, not '" + v + "'";
         o.send_exception_text = v == "full";
         return Problem();
       }},
      {"-ORBPublishHost", publish_host},
      {"-ORBMaxMessageBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 1024, limits::kMaxMessageBytes, o.max_message_bytes);
       }},
      {"-ORBMaxFragmentBytes", fragment_bytes},
      {"-ORBMaxReceiveBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 1024, std::size_t{1} << 40, o.max_receive_bytes);
       }},
      {"-ORBMessageTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 0, 86'400'000, o.message_timeout_ms); }},
      {"-ORBHandshakeTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 0, 86'400'000, o.handshake_timeout_ms); }},
      {"-ORBIdleTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 0, 86'400'000, o.idle_timeout_ms); }},
      {"-ORBReplyTimeout",
       [](Options& o, const std::string& v) {
         return number<std::int64_t>(v, 0, 86'400'000, o.reply_timeout_ms);
       }},
      {"-ORBMaxServedBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 1024, std::size_t{1} << 40, o.max_served_bytes);
       }},
      {"-ORBMaxConnections",
       [](Options& o, const std::string& v) { return number<std::size_t>(v, 0, 1'000'000, o.max_connections); }},
      {"-ORBMaxConnectionsPerPeer",
       [](Options& o, const std::string& v) { return number<std::size_t>(v, 0, 1'000'000, o.max_connections_per_peer); }},
      {"-ORBReservedDescriptors",
       [](Options& o, const std::string& v) {
         Problem p = number<std::size_t>(v, 0, 1'000'000, o.reserved_descriptors);
         if (p.empty()) transport::blocks::keep_descriptors(o.reserved_descriptors);
         return p;
       }},
      {"-ORBMaxOutgoingConnections",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 0, 1'000'000, o.max_outgoing_connections.emplace());
       }},
      {"-ORBOutgoingIdleTimeout",
       [](Options& o, const std::string& v) {
         return number<std::int64_t>(v, 0, 86'400'000, o.outgoing_idle_timeout_ms);
       }},
      {"-ORBRingBytes", ring_bytes},
      {"-ORBPoolBytes",
       [](Options&, const std::string& v) {
         std::size_t bytes = 0;
         Problem p = number<std::size_t>(v, 4096, std::size_t{1} << 40, bytes);
         if (p.empty()) transport::blocks::set_pool_bytes(bytes);
         return p;
       }},
      {"-ORBPoolFull", pool_full},
      {"-ORBHugePages",
       [](Options&, const std::string& v) {
         bool requested = false;
         Problem p = on_or_off(v, requested);
         if (p.empty()) transport::enable_huge_pages(requested);
         return p;
       }},
      {"-ORBCallTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 0, 86'400'000, o.call_timeout_ms); }},
      {"-ORBUdpCallTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 1, 86'400'000, o.udp_call_timeout_ms); }},
      {"-ORBBatchDelay",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 0, 60'000'000, o.batch_delay_us); }},
      {"-ORBBatchBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 1, std::size_t{64} << 20, o.batch_bytes);
       }},
      {"-ORBConnectionsPerPeer",
       [](Options& o, const std::string& v) { return number<std::size_t>(v, 1, 1024, o.connections_per_peer); }},
      {"-ORBNestedConnections",
       [](Options& o, const std::string& v) { return number<std::size_t>(v, 0, 1024, o.nested_connections); }},
      {"-ORBNestedIdle",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 1, 86'400'000, o.nested_idle_ms); }},
      {"-ORBConnectTimeout",
       [](Options& o, const std::string& v) { return number<std::int64_t>(v, 1, 86'400'000, o.connect_timeout_ms); }},
      {"-ORBLog",
       [](Options&, const std::string& v) {
         return log::set_level(v) ? Problem() : "takes off, error, warn, info or debug, not '" + v + "'";
       }},
  };
  return table;
}

}  // namespace orbweaver::orb
