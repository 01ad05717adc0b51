#include "transport_plugins.h"

#include <cstdlib>
#include <filesystem>

#include "platform/environment.h"
#include "transport/plugins.h"

namespace orbweaver::tools {
namespace {

constexpr const char* kVariable = "ORBWEAVER_TRANSPORT_PLUGINS";

std::vector<std::string>& plugin_transport_names() {
  static std::vector<std::string> names;
  return names;
}

void load(const std::string& library) {
  // A name without '/' is searched for in the system's library folders, by every process. A path is made
  // absolute, so that it does not depend on the folder in which a process is started.
  const bool is_path = library.find('/') != std::string::npos;
  const std::string found = is_path ? std::filesystem::absolute(library).string() : library;
  if (found.find(':') != std::string::npos) {
    throw CLI::ValidationError("--transport-plugin",
                               "'" + found + "' has a ':', the separator in " + kVariable);
  }
  const std::string before = transport::known_names();
  if (auto loaded = transport::load_plugin(found); !loaded) {
    throw CLI::ValidationError("--transport-plugin", loaded.error().message);
  }
  const std::string now = transport::known_names();
  for (std::size_t begin = before.size(); begin < now.size();) {
    begin = now.find_first_not_of(", ", begin);
    const std::size_t end = std::min(now.find(',', begin), now.size());
    plugin_transport_names().push_back(now.substr(begin, end - begin));
    begin = end;
  }
  const char* const previous = orbweaver::platform::environment(kVariable);
  const std::string all =
      previous != nullptr && *previous != '\0' ? std::string(previous) + ":" + found : found;
  ::setenv(kVariable, all.c_str(), 1);
}

}  // namespace

void add_transport_plugins(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--transport-plugin",
          [](const std::vector<std::string>& libraries) {
            for (const std::string& library : libraries) load(library);
          },
          "A library with additional transports, for all processes; may be given again")
      ->type_name("LIBRARY")
      ->allow_extra_args(false);
}

std::vector<std::string> transports_of_plugins() { return plugin_transport_names(); }

}  // namespace orbweaver::tools
