#include "orb/options.h"

#include <algorithm>
#include <utility>

#include "giop/message.h"
#include "orb/option_setters.h"
#include "platform/environment.h"
#include "platform/thread.h"
#include "transport/plugins.h"

namespace orbweaver::orb {
namespace {

/// Ahead of everything else: the other options may name what a plug-in brings, wherever they stand.
Result<void> load_plugins(int argc, char* argv[]) {
  if (const char* plugins = platform::environment("ORBWEAVER_TRANSPORT_PLUGINS")) {
    for (const std::string& path : split(plugins, ':')) {
      if (auto loaded = transport::load_plugin(path); !loaded) {
        return Error{loaded.error().remedy, "ORBWEAVER_TRANSPORT_PLUGINS: " + loaded.error().message};
      }
    }
  }
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "-ORBTransportPlugin") continue;
    if (auto loaded = transport::load_plugin(argv[i + 1]); !loaded) {
      return Error{loaded.error().remedy, "-ORBTransportPlugin: " + loaded.error().message};
    }
  }
  return {};
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
  options.admits = [rules = access](const Peer& peer) { return rules->admits(peer); };
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
  if (o.receive_bytes() < o.max_message_bytes) {
    return Error{Remedy::mend, "-ORBMaxReceiveBytes " + std::to_string(o.receive_bytes()) +
                                   " leaves no room for a message of -ORBMaxMessageBytes " +
                                   std::to_string(o.max_message_bytes) + ": take as much or more"};
  }
  if (o.served_bytes() < o.max_message_bytes) {
    return Error{Remedy::mend, "-ORBMaxServedBytes " + std::to_string(o.served_bytes()) +
                                   " leaves no room for a message of -ORBMaxMessageBytes " +
                                   std::to_string(o.max_message_bytes) + ": take as much or more"};
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
    const auto setter = option_setters().find(name);
    if (setter == option_setters().end()) {
      std::string known;
      for (const auto& [each, unused] : option_setters()) known += " " + each;
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
