#include "orb/option_table.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <thread>

#include "giop/ior.h"
#include "giop/object_url.h"
#include "orb/tuning_keys.h"

namespace orbweaver::orb {

namespace {

Problem problem_of(const Result<void>& result) { return result ? Problem() : result.error().message; }

Problem known_transport(const ParsedOptions& parsed, const std::string& name) {
  if (parsed.plugins.find(name) != nullptr) return {};
  std::string plugin;
  for (const transport::PluginLibrary& each : transport::plugin_libraries()) {
    if (name == each.transport)
      plugin = "; -ORBTransportPlugin " + std::string(each.library) + " adds " + each.transport;
  }
  return "takes the transports " + parsed.plugins.known_names() + ", not '" + name + "'" + plugin;
}

/// Parses one element of -ORBListen: "transport", "transport:address" or "transport://address".
Problem parse_endpoint(const ParsedOptions& parsed, const std::string& text,
                       Options::ListenEndpoint& endpoint) {
  const std::size_t colon = text.find(':');
  endpoint.transport = text.substr(0, colon);
  for (const transport::Transport* each : parsed.plugins.all()) {
    const char* const alias = each->traits().alias;
    if (alias != nullptr && endpoint.transport == alias) endpoint.transport = each->name();
  }
  if (Problem p = known_transport(parsed, endpoint.transport); !p.empty()) return p;
  if (colon == std::string::npos) return {};
  endpoint.address = text.substr(colon + 1);
  if (endpoint.address.rfind("//", 0) == 0) endpoint.address.erase(0, 2);  // syntax of other ORBs
  if (endpoint.address.empty()) return {};
  const auto good = parsed.plugins.find(endpoint.transport)->check_address(endpoint.address);
  return good ? Problem() : "'" + text + "': " + good.error().message;
}

Problem listen(ParsedOptions& parsed, const std::string& value) {
  if (!is_list(value)) return "takes a list of endpoints such as shm,tcp:0.0.0.0:4711, not '" + value + "'";
  parsed.options.listen.clear();
  for (const std::string& part : split(value, ',')) {
    if (Problem p = parse_endpoint(parsed, part, parsed.options.listen.emplace_back()); !p.empty()) return p;
  }
  return {};
}

Problem preference(ParsedOptions& parsed, const std::string& value) {
  if (!is_list(value)) return "takes a list of transports such as shm,tcp, not '" + value + "'";
  parsed.options.preference.clear();
  for (std::string& name : split(value, ',')) {
    std::vector<std::string>& names = parsed.options.preference;
    if (Problem p = known_transport(parsed, name); !p.empty()) return p;
    if (std::find(names.begin(), names.end(), name) != names.end())
      return "takes each transport once, not '" + name + "' twice";
    names.push_back(std::move(name));
  }
  return {};
}

Problem wait(ParsedOptions& parsed, const std::string& value) {
  if (value == "spin") {
    parsed.options.wait = transport::WaitStrategy::spin;
  } else if (value == "adaptive") {
    parsed.options.wait = transport::WaitStrategy::adaptive;
  } else if (value == "block") {
    parsed.options.wait = transport::WaitStrategy::block;
  } else {
    return "takes spin, adaptive or block, not '" + value + "'";
  }
  return {};
}

Problem threads(ParsedOptions& parsed, const std::string& value) {
  const std::size_t colon = value.find(':');
  const std::string policy = value.substr(0, colon);
  if (colon != std::string::npos && (policy == "pool" || policy == "unordered")) {
    parsed.options.threads = policy == "pool" ? Options::Threads::pool : Options::Threads::unordered;
    return set_number<&Options::pool_threads, 1, 1024>(parsed, value.substr(colon + 1));
  }
  if (value == "single") {
    parsed.options.threads = Options::Threads::single;
  } else if (value == "connection") {
    parsed.options.threads = Options::Threads::connection;
  } else {
    return "takes connection, single, pool:N or unordered:N, not '" + value + "'";
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

Problem priority(ParsedOptions& parsed, const std::string& value) {
  using Policy = platform::Schedule::Policy;
  const std::size_t colon = value.find(':');
  const std::string policy = value.substr(0, colon);
  platform::Schedule requested;
  requested.policy = policy == "fifo" ? Policy::fifo : policy == "rr" ? Policy::round_robin : Policy::other;
  if (requested.policy == Policy::other) {
    if (value != "other") return "takes other, fifo:N or rr:N, not '" + value + "'";
  } else {
    if (colon == std::string::npos) return "takes a priority, as in " + policy + ":10";
    std::int64_t priority = 0;
    if (Problem p = parse_number(value.substr(colon + 1), 1, 99, priority); !p.empty()) return p;
    requested.priority = static_cast<int>(priority);
  }
  parsed.options.schedule.policy = requested.policy;
  parsed.options.schedule.priority = requested.priority;
  return check_schedule(requested, value);
}

Problem affinity(ParsedOptions& parsed, const std::string& value) {
  platform::Schedule requested;
  if (!is_list(value)) return "takes a list of cores, such as 1,3";
  for (const std::string& part : split(value, ',')) {
    std::int64_t core = 0;
    if (Problem p = parse_number(part, 0, platform::kMaxCores - 1, core); !p.empty()) return p;
    requested.cores.push_back(static_cast<int>(core));
  }
  parsed.options.schedule.cores = requested.cores;
  Problem p = check_schedule(requested, value);
  return p.empty() ? p : p + " (the process may use none of these cores)";
}

/// Sets the host of references: a name, or an address with or without the brackets of IPv6. It is not
/// resolved here: clients may know names that this host does not.
Problem publish_host(ParsedOptions& parsed, const std::string& value) {
  const auto in_a_host = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("-._:[]%", c) != nullptr;
  };
  if (value.empty() || !std::all_of(value.begin(), value.end(), in_a_host)) {
    return "takes a host name or an address, not '" + value + "'";
  }
  parsed.options.publish_host = value;
  return {};
}

Problem init_ref(ParsedOptions& parsed, const std::string& value) {
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
  parsed.options.initial_references[value.substr(0, equals)] = value.substr(equals + 1);
  return {};
}

Problem transport_option(ParsedOptions& parsed, const std::string& value) {
  const std::size_t dot = value.find('.');
  const std::size_t equals = value.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals || dot == 0 ||
      equals == dot + 1) {
    return "takes transport.key=value, not '" + value + "'";
  }
  const std::string name = value.substr(0, dot);
  if (Problem p = known_transport(parsed, name); !p.empty()) return p;
  parsed.options.parameters[name][value.substr(dot + 1, equals - dot - 1)] = value.substr(equals + 1);
  return {};
}

Problem accept_bidirectional(ParsedOptions& parsed, const std::string& value) {
  using Accept = Options::AcceptBidirectional;
  if (value != "off" && value != "received" && value != "any")
    return "takes off, received or any, not '" + value + "'";
  parsed.options.accept_bidirectional = value == "off"        ? Accept::off
                                        : value == "received" ? Accept::received
                                                              : Accept::any;
  return {};
}

Problem allow(ParsedOptions& parsed, const std::string& value) {
  return problem_of(parsed.options.access->allow(value));
}

Problem deny(ParsedOptions& parsed, const std::string& value) {
  return problem_of(parsed.options.access->deny(value));
}

Problem call_timeout(ParsedOptions& parsed, const std::string& value) {
  Problem p = set_number<&Options::call_timeout_ms, 0, kDay_ms>(parsed, value);
  return p.empty() ? p : p + " (in milliseconds)";
}

Problem insecure_fallback(ParsedOptions& parsed, const std::string& value) {
  return parse_on_off(value, parsed.options.insecure_fallback);
}

Problem exception_detail(ParsedOptions& parsed, const std::string& value) {
  if (value != "full" && value != "brief") return "takes brief or full, not '" + value + "'";
  parsed.options.send_exception_text = value == "full";
  return {};
}

Problem log_level(ParsedOptions& parsed, const std::string& value) {
  constexpr const char* kLevels[] = {"off", "error", "warn", "info", "debug"};
  if (std::find(std::begin(kLevels), std::end(kLevels), value) == std::end(kLevels))
    return "takes off, error, warn, info or debug, not '" + value + "'";
  parsed.process.log_level = value;
  return {};
}

/// -ORBTransportPlugin: loaded before the other options are parsed, by `load_plugins`.
Problem loaded_before(ParsedOptions&, const std::string&) { return {}; }

}  // namespace

const std::map<std::string, Setter>& option_setters() {
  static const auto& table = *new std::map<std::string, Setter>{
      // never destroyed
      {"-ORBAcceptBidirectional", accept_bidirectional},
      {"-ORBAllow", allow},
      {"-ORBCallTimeout", call_timeout},
      {"-ORBDeny", deny},
      {"-ORBExceptionDetail", exception_detail},
      {"-ORBInitRef", init_ref},
      {"-ORBInsecureFallback", insecure_fallback},
      {"-ORBListen", listen},
      {"-ORBListenEndpoints", listen},
      {"-ORBLog", log_level},
      {"-ORBMaxMessageBytes", set_number<&Options::max_message_bytes, 1024, limits::kMaxMessageBytes>},
      {"-ORBPublishHost", publish_host},
      {"-ORBThreadAffinity", affinity},
      {"-ORBThreadPriority", priority},
      {"-ORBThreads", threads},
      {"-ORBTransportOption", transport_option},
      {"-ORBTransportPlugin", loaded_before},
      {"-ORBTransportPreference", preference},
      {"-ORBTune", tune},
      {"-ORBWait", wait},
  };
  return table;
}

}  // namespace orbweaver::orb
