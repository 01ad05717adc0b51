#include "orb/options.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "base/log.h"
#include "giop/message.h"
#include "platform/thread.h"
#include "transport/blocks/pool.h"
#include "transport/huge_pages.h"
#include "transport/plugins.h"

namespace orbweaver::orb {
namespace {

using Problem = std::string;  // empty: none

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class Number>
Problem number(const std::string& text, Number least, Number most, Number& value) {
  Number parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size() || parsed < least || parsed > most) {
    return "takes a whole number from " + std::to_string(least) + " to " + std::to_string(most) + ", not '" + text + "'";
  }
  value = parsed;
  return {};
}

Problem known_transport(const std::string& name) {
  if (find_transport(name) != nullptr) return {};
  return "knows the transports " + transport::known_names() + ", not '" + name + "'";
}

Problem listen(Options& o, const std::string& value) {
  o.listen.clear();
  for (const std::string& part : split(value, ',')) {
    const std::size_t colon = part.find(':');
    std::string name = part.substr(0, colon);
    if (name == "iiop") name = "tcp";
    if (Problem p = known_transport(name); !p.empty()) return p;
    std::string address = colon == std::string::npos ? "" : part.substr(colon + 1);
    if (address.rfind("//", 0) == 0) address.erase(0, 2);  // iiop://host:port, as other ORBs write it
    o.listen.push_back({name, address});
  }
  return {};
}

Problem preference(Options& o, const std::string& value) {
  o.preference = split(value, ',');
  if (o.preference.empty()) return "takes a list such as shm,tcp";
  for (const std::string& name : o.preference) {
    if (Problem p = known_transport(name); !p.empty()) return p;
  }
  return {};
}

Problem wait(Options& o, const std::string& value) {
  if (value == "spin") {
    o.wait = transport::Wait::spin;
  } else if (value == "adaptive") {
    o.wait = transport::Wait::adaptive;
  } else if (value == "block") {
    o.wait = transport::Wait::block;
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

/// May this user have it? Asked of a thread that then ends.
Problem try_out(const platform::Schedule& schedule, const std::string& value) {
  int error = 0;
  std::thread([&] { error = platform::schedule_this_thread(schedule); }).join();
  if (error == 0) return {};
  if (error == EPERM && schedule.policy != platform::Schedule::Policy::other) {
    return value + ": this user may not (that takes CAP_SYS_NICE, or a limit `ulimit -r` of " +
           std::to_string(schedule.priority) + " or more)";
  }
  return value + ": " + platform::error_text(error);
}

Problem priority(Options& o, const std::string& value) {
  using Policy = platform::Schedule::Policy;
  const std::size_t colon = value.find(':');
  const std::string policy = value.substr(0, colon);
  platform::Schedule wanted;
  wanted.policy = policy == "fifo" ? Policy::fifo : policy == "rr" ? Policy::round_robin : Policy::other;
  if (wanted.policy == Policy::other) {
    if (value != "other") return "takes other, fifo:N or rr:N, not '" + value + "'";
  } else {
    if (colon == std::string::npos) return "takes a priority, as in " + policy + ":10";
    if (Problem p = number(value.substr(colon + 1), 1, 99, wanted.priority); !p.empty()) return p;
  }
  o.schedule.policy = wanted.policy;
  o.schedule.priority = wanted.priority;
  return try_out(wanted, value);
}

Problem affinity(Options& o, const std::string& value) {
  platform::Schedule wanted;
  for (const std::string& part : split(value, ',')) {
    int core = 0;
    if (Problem p = number(part, 0, platform::kMostCores - 1, core); !p.empty()) return p;
    wanted.cores.push_back(core);
  }
  if (wanted.cores.empty()) return "takes a list of cores, such as 1,3";
  o.schedule.cores = wanted.cores;
  Problem p = try_out(wanted, value);
  return p.empty() ? p : p + " (none of these cores is this process's)";
}

Problem pool_full(Options&, const std::string& value) {
  transport::blocks::FullPool policy;
  policy.wait = value != "raise";
  if (value.rfind("wait:", 0) == 0) {
    if (Problem p = number<std::int64_t>(value.substr(5), 1, 86'400'000, policy.timeout_ms); !p.empty()) return p;
  } else if (policy.wait && value != "wait") {
    return "takes wait, wait:MS or raise, not '" + value + "'";
  }
  transport::blocks::set_full_pool(policy);
  return {};
}

Problem init_ref(Options& o, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == 0 || equals == std::string::npos) return "takes Name=reference, not '" + value + "'";
  o.initial_references[value.substr(0, equals)] = value.substr(equals + 1);
  return {};
}

/// Ahead of everything else: the other options may name what a plug-in brings, wherever they stand.
Result<void> load_plugins(int argc, char* argv[]) {
  if (const char* environment = std::getenv("ORBWEAVER_TRANSPORT_PLUGINS")) {
    for (const std::string& path : split(environment, ':')) {
      if (auto loaded = transport::load_plugin(path); !loaded) return loaded;
    }
  }
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "-ORBTransportPlugin") continue;
    if (auto loaded = transport::load_plugin(argv[i + 1]); !loaded) return loaded;
  }
  return {};
}

Problem transport_option(Options& o, const std::string& value) {
  const std::size_t dot = value.find('.');
  const std::size_t equals = value.find('=');
  if (dot == std::string::npos || equals == std::string::npos || dot > equals || dot == 0 || equals == dot + 1) {
    return "takes transport.key=value, not '" + value + "'";
  }
  const std::string name = value.substr(0, dot);
  if (Problem p = known_transport(name); !p.empty()) return p;
  o.parameters[name][value.substr(dot + 1, equals - dot - 1)] = value.substr(equals + 1);
  return {};
}

using Setter = std::function<Problem(Options&, const std::string&)>;

const std::map<std::string, Setter>& setters() {
  static const auto& table = *new std::map<std::string, Setter>{  // never destroyed
      {"-ORBListen", listen},
      {"-ORBListenEndpoints", listen},
      {"-ORBTransportPreference", preference},
      {"-ORBTransportPlugin", [](Options&, const std::string&) { return Problem(); }},  // load_plugins took it
      {"-ORBTransportOption", transport_option},
      {"-ORBWait", wait},
      {"-ORBThreads", threads},
      {"-ORBThreadPriority", priority},
      {"-ORBThreadAffinity", affinity},
      {"-ORBInitRef", init_ref},
      {"-ORBPublishHost", [](Options& o, const std::string& v) { return o.publish_host = v, Problem(); }},
      {"-ORBMaxMessageBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 1024, limits::kMaxMessageBytes, o.max_message_bytes);
       }},
      {"-ORBRingBytes",
       [](Options& o, const std::string& v) {
         return number<std::size_t>(v, 4096, std::size_t{1} << 30, o.ring_bytes);
       }},
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
         if (v != "on" && v != "off") return "takes on or off, not '" + v + "'";
         transport::want_huge_pages(v == "on");
         return Problem();
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

}  // namespace

void Options::begin_thread(const std::string& name) const noexcept {
  platform::name_this_thread(name.c_str());
  // Tried out when the options were taken: what fails now has changed since, and is no reason not to serve.
  (void)platform::schedule_this_thread(schedule);
}

transport::ChannelOptions Options::channel(const transport::Transport& transport) const {
  transport::ChannelOptions options;
  options.frame_length = &giop::frame_length;
  options.wait = wait;
  options.max_frame_bytes = max_message_bytes;
  options.ring_bytes = ring_bytes;
  if (const auto given = parameters.find(transport.name()); given != parameters.end()) {
    options.parameters = std::make_shared<const transport::Parameters>(given->second);
  }
  return options;
}

namespace {

/// Options that are good one by one and make no sense together.
Result<void> agree(const Options& o) {
  if (o.threads != Options::Threads::connection && o.wait == transport::Wait::spin) {
    return Error{Remedy::mend, "-ORBWait spin needs a thread for each connection, which -ORBThreads single and pool:N do "
                               "without: take adaptive or block"};
  }
  if (o.threads == Options::Threads::single &&
      (o.schedule.policy != platform::Schedule::Policy::other || !o.schedule.cores.empty())) {
    return Error{Remedy::mend, "-ORBThreads single serves in a thread of the program's own: -ORBThreadPriority and "
                               "-ORBThreadAffinity have none to change"};
  }
  return {};
}

}  // namespace

Result<Options> take_options(int& argc, char* argv[]) {
  Options options;
  const std::vector<std::string> usual = std::exchange(options.preference, {});
  if (auto loaded = load_plugins(argc, argv); !loaded) return loaded.take_error();
  int kept = argc > 0 ? 1 : 0;
  int i = kept;
  for (; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("-ORB", 0) != 0) {
      argv[kept++] = argv[i];
      continue;
    }
    const auto setter = setters().find(name);
    if (setter == setters().end()) {
      std::string known;
      for (const auto& [each, unused] : setters()) known += " " + each;
      return Error{Remedy::mend, "unknown option " + name + "; there are" + known};
    }
    if (i + 1 == argc) return Error{Remedy::mend, name + " needs a value"};
    if (const Problem problem = setter->second(options, argv[++i]); !problem.empty()) {
      return Error{Remedy::mend, name + " " + problem};
    }
  }
  argc = kept;
  if (options.preference.empty()) {
    options.preference = usual;
    // Whoever loads TLS wants it where both ends have it.
    if (find_transport("tls") != nullptr) {
      options.preference.insert(std::find(options.preference.begin(), options.preference.end(), "tcp"), "tls");
    }
  }
  for (const auto& [name, given] : options.parameters) {
    if (auto good = find_transport(name)->check(given); !good) {
      return Error{Remedy::mend, "-ORBTransportOption: " + good.error().message};
    }
  }
  if (auto good = agree(options); !good) return good.take_error();
  return options;
}

transport::Transport* find_transport(const std::string& name) { return transport::find(name); }

}  // namespace orbweaver::orb
