#include "micro/options.h"

#include <string_view>

#include "base/limits.h"
#include "micro/decimal.h"
#include "micro/raise.h"

namespace orbweaver::micro {
namespace {

[[noreturn]] void reject(std::string_view option, std::string_view problem) {
  raise(Kind::BAD_PARAM, minor::kBadOption, std::string(option).append(problem));
}

/// A decimal number from `least` to `most`. Raises BAD_PARAM for another text.
std::size_t number(std::string_view option, std::string_view value, std::size_t least, std::size_t most) {
  const std::size_t n = decimal(value, most);
  if (value.empty() || n < least || n > most)
    reject(option, ": write a number from " + std::to_string(least) + " to " + std::to_string(most));
  return n;
}

struct TuningKey {
  char name[25];
  bool is_time;
  std::size_t Options::*size;
  std::int64_t Options::*time;
};
constexpr TuningKey kTuningKeys[] = {
    {"receive-bytes", false, &Options::receive_bytes, nullptr},
    {"max-connections", false, &Options::max_connections, nullptr},
    {"max-outgoing-connections", false, &Options::max_outgoing_connections, nullptr},
    {"connect-timeout-ms", true, nullptr, &Options::connect_timeout_ms},
    {"handshake-timeout-ms", true, nullptr, &Options::handshake_timeout_ms},
    {"message-timeout-ms", true, nullptr, &Options::message_timeout_ms},
    {"reply-timeout-ms", true, nullptr, &Options::reply_timeout_ms},
    {"idle-timeout-ms", true, nullptr, &Options::idle_timeout_ms},
};
constexpr std::size_t kDayMs = 86'400'000;

/// Sets one KEY=VALUE of -ORBTune.
void tune(std::string_view setting, Options& options) {
  const std::size_t equals = setting.find('=');
  const std::string_view name = setting.substr(0, equals);
  for (const TuningKey& key : kTuningKeys) {
    if (name != key.name || equals == std::string_view::npos) continue;
    const std::string_view value = setting.substr(equals + 1);
    if (key.is_time)
      options.*key.time = static_cast<std::int64_t>(number(setting, value, 0, kDayMs));
    else
      options.*key.size = number(setting, value, 1, std::size_t{1} << 40);
    return;
  }
  reject(setting, ": not a key of -ORBTune of the micro library");
}

void tune_all(std::string_view settings, Options& options) {
  while (!settings.empty()) {
    const std::size_t comma = settings.find(',');
    tune(settings.substr(0, comma), options);
    settings = comma == std::string_view::npos ? std::string_view() : settings.substr(comma + 1);
  }
}

/// Sets an option; the value follows it on the command line. False if there is none of that name.
bool set(std::string_view name, std::string_view value, Options& options) {
  if (name == "Listen" || name == "ListenEndpoints") {
    options.listen = value;
  } else if (name == "PublishHost") {
    options.publish_host = value;
  } else if (name == "InitRef") {
    const std::size_t equals = value.find('=');
    if (equals == std::string_view::npos || equals == 0) reject("-ORBInitRef", ": write NAME=REFERENCE");
    options.initial_references.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  } else if (name == "MaxMessageBytes") {
    options.max_message_bytes = number("-ORBMaxMessageBytes", value, 1024, limits::kMaxMessageBytes);
    options.receive_bytes = limits::multiple(4, options.max_message_bytes);
  } else if (name == "CallTimeout") {
    options.call_timeout_ms = static_cast<std::int64_t>(number("-ORBCallTimeout", value, 0, kDayMs));
  } else if (name == "Tune") {
    tune_all(value, options);
  } else if (name == "Log") {
    options.log = value != "off";
  } else {
    return false;
  }
  return true;
}

}  // namespace

void parse_options(int& argc, char* argv[], Options& options) {
  int kept = 1;
  std::vector<char*> rest;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    if (argument.substr(0, 4) != "-ORB") {
      rest.push_back(argv[i]);
      continue;
    }
    if (i + 1 == argc) reject(argument, ": the value is missing");
    if (!set(argument.substr(4), argv[++i], options))
      reject(argument, ": not an option of the micro library; see docs/micro.md");
  }
  if (options.receive_bytes < options.max_message_bytes)
    reject("receive-bytes", ": less than -ORBMaxMessageBytes");
  for (char* const argument : rest) argv[kept++] = argument;
  if (argc > 0 && kept < argc) {
    argc = kept;
    argv[argc] = nullptr;
  }
}

}  // namespace orbweaver::micro
