#include "orb/options.h"

#include <algorithm>
#include <utility>

#include "giop/message.h"
#include "orb/option_table.h"
#include "orb/tuning_keys.h"
#include "platform/environment.h"
#include "platform/thread.h"
#include "transport/plugins.h"

namespace orbweaver::orb {
namespace {

/// Loads the plug-ins. Called before the other options are parsed, as these may name a transport of a plug-in
/// at any position.
Result<void> load_plugins(int argc, char* argv[], transport::StagedPlugins& staged) {
  if (const char* plugins = platform::environment("ORBWEAVER_TRANSPORT_PLUGINS")) {
    for (const std::string& path : split(plugins, ':')) {
      if (auto loaded = staged.load(path); !loaded) {
        return Error{loaded.error().kind, "ORBWEAVER_TRANSPORT_PLUGINS: " + loaded.error().message};
      }
    }
  }
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) != "-ORBTransportPlugin") continue;
    if (auto loaded = staged.load(argv[i + 1]); !loaded) {
      return Error{loaded.error().kind, "-ORBTransportPlugin: " + loaded.error().message};
    }
  }
  return {};
}

/// The transports that have a rank, in its order.
std::vector<transport::Transport*> ranked_transports() {
  std::vector<transport::Transport*> ranked = transport::all();
  std::erase_if(ranked, [](const transport::Transport* each) {
    return each->traits().preference_rank < 0 || !transport::is_supported(*each);
  });
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const transport::Transport* a, const transport::Transport* b) {
                     return a->traits().preference_rank < b->traits().preference_rank;
                   });
  return ranked;
}

}  // namespace

std::vector<Options::ListenEndpoint> Options::default_listen() {
  std::vector<ListenEndpoint> listen;
  for (const transport::Transport* each : ranked_transports()) {
    if (each->traits().listens_by_default) listen.push_back({each->name(), ""});
  }
  return listen;
}

std::vector<std::string> Options::default_preference() {
  std::vector<std::string> preference;
  for (const transport::Transport* each : ranked_transports()) preference.emplace_back(each->name());
  return preference;
}

void Options::set_up_thread(const std::string& name) const noexcept {
  platform::name_this_thread(name.c_str());
  // Checked when the options were parsed. A failure now is ignored: the thread runs with the default
  // scheduling.
  (void)platform::schedule_this_thread(schedule);
}

transport::ChannelOptions Options::channel(const transport::Transport& transport,
                                           std::shared_ptr<ReceiveBudget> budget) const {
  transport::ChannelOptions options;
  options.budget = std::move(budget);
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

/// Rejects combinations of options that are valid separately.
Result<void> check_consistency(const Options& o) {
  if (o.threads != Options::Threads::connection && o.wait == transport::WaitStrategy::spin) {
    return Error{
        ErrorKind::invalid,
        "-ORBWait spin requires -ORBThreads connection: use adaptive or block with single, pool:N and "
        "unordered:N"};
  }
  if (o.receive_bytes() < o.max_message_bytes) {
    return Error{ErrorKind::invalid, "-ORBTune receive-bytes=" + std::to_string(o.receive_bytes()) +
                                         " is less than -ORBMaxMessageBytes " +
                                         std::to_string(o.max_message_bytes)};
  }
  if (o.served_bytes() < o.max_message_bytes) {
    return Error{ErrorKind::invalid, "-ORBTune service-bytes=" + std::to_string(o.served_bytes()) +
                                         " is less than -ORBMaxMessageBytes " +
                                         std::to_string(o.max_message_bytes)};
  }
  if (o.bidirectional_bytes() < o.max_message_bytes) {
    return Error{ErrorKind::invalid,
                 "-ORBTune bidirectional-queue-bytes=" + std::to_string(o.bidirectional_bytes()) +
                     " is less than -ORBMaxMessageBytes " + std::to_string(o.max_message_bytes)};
  }
  if (o.threads == Options::Threads::single &&
      (o.schedule.policy != platform::Schedule::Policy::other || !o.schedule.cores.empty())) {
    return Error{
        ErrorKind::invalid,
        "-ORBThreadPriority and -ORBThreadAffinity have no effect with -ORBThreads single, which creates no "
        "threads"};
  }
  return {};
}

Error unknown_option(const std::string& name) {
  if (const std::string spelling = tune_spelling_of(name); !spelling.empty())
    return {ErrorKind::invalid, "unknown option " + name + ": use " + spelling + "=VALUE"};
  std::string known;
  for (const auto& [each, unused] : option_setters()) known += " " + each;
  return {ErrorKind::invalid, "unknown option " + name + "; known options:" + known};
}

/// Parses the -ORB options of `argv`. Returns the other arguments.
Result<std::vector<char*>> parse(int argc, char* argv[], ParsedOptions& parsed) {
  std::vector<char*> others;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name.rfind("-ORB", 0) != 0) {
      others.push_back(argv[i]);
      continue;
    }
    const auto setter = option_setters().find(name);
    if (setter == option_setters().end()) return unknown_option(name);
    if (i + 1 == argc) return Error{ErrorKind::invalid, name + " needs a value"};
    if (const Problem problem = setter->second(parsed, argv[++i]); !problem.empty())
      return Error{ErrorKind::invalid, name + " " + problem};
  }
  return others;
}

}  // namespace

Result<Options> parse_options(int& argc, char* argv[]) {
  ParsedOptions parsed;
  // The defaults may have transports of plug-ins.
  parsed.options.listen.clear();
  parsed.options.preference.clear();
  if (auto loaded = load_plugins(argc, argv, parsed.plugins); !loaded) return loaded.take_error();
  auto others = parse(argc, argv, parsed);
  if (!others) return others.take_error();
  for (const auto& [name, given] : parsed.options.parameters) {
    if (auto good = parsed.plugins.find(name)->check(given); !good) {
      return Error{ErrorKind::invalid, "-ORBTransportOption: " + good.error().message};
    }
  }
  if (auto good = check_consistency(parsed.options); !good) return good.take_error();
  if (auto registered = parsed.plugins.commit(); !registered) return registered.take_error();
  parsed.process.apply();
  if (parsed.options.listen.empty()) parsed.options.listen = Options::default_listen();
  if (parsed.options.preference.empty()) parsed.options.preference = Options::default_preference();
  if (argc > 0) std::copy(others->begin(), others->end(), argv + 1);
  argc = argc > 0 ? static_cast<int>(others->size()) + 1 : 0;
  return std::move(parsed.options);
}

transport::Transport* find_transport(const std::string& name) { return transport::find(name); }

}  // namespace orbweaver::orb
