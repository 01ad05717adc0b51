#include "transport/plugins.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "platform/shared_library.h"

namespace orbweaver::transport {
namespace {

struct Plugins {
  std::mutex mutex;
  std::set<std::string> loaded;
  // never destroyed: channels may live until the process ends
  std::vector<std::unique_ptr<Transport>> transports;
};

Plugins& plugins() {
  static auto* all = new Plugins;  // never destroyed: static objects may own channels
  return *all;
}

/// pre: the lock is held.
std::vector<Transport*> all_locked() {
  std::vector<Transport*> all = builtin_transports();
  for (const auto& each : plugins().transports) all.push_back(each.get());
  return all;
}

bool is_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// pre: the lock is held.
Transport* find_locked(const std::string& name) {
  for (Transport* each : all_locked()) {
    if (name == each->name()) return each;
  }
  return nullptr;
}

/// The transports of one plug-in, before they are registered together.
class StagedRegistry final : public Registry {
 public:
  Result<void> add(std::unique_ptr<Transport> transport) override {
    const std::string name = transport->name();
    if (!is_word(name)) {
      return Error{ErrorKind::invalid,
                   "'" + name + "' is not a valid transport name: use letters, digits, '-' and '_'"};
    }
    const bool twice =
        std::any_of(brought.begin(), brought.end(), [&](const auto& b) { return name == b->name(); });
    if (twice || find_locked(name) != nullptr) {
      return Error{ErrorKind::invalid, "there is a transport '" + name + "' already"};
    }
    brought.push_back(std::move(transport));
    return {};
  }
  std::vector<std::unique_ptr<Transport>> brought;
};

}  // namespace

Result<void> load_plugin(const std::string& path) {
  const std::lock_guard lock(plugins().mutex);
  if (plugins().loaded.count(path) != 0) return {};
  const auto refuse = [&](const std::string& why) {
    return Error{ErrorKind::invalid, "transport plug-in " + path + ": " + why};
  };
  platform::SharedLibrary module;
  if (const std::string problem = module.load(path); !problem.empty()) return refuse(problem);
  const auto* plugin = static_cast<const Plugin*>(module.find("orbweaver_transport_plugin"));
  if (plugin == nullptr) {
    return refuse("no symbol orbweaver_transport_plugin: not an Orbweaver transport plug-in");
  }
  if (plugin->contract != kContractVersion) {
    return refuse("it was built for version " + std::to_string(plugin->contract) +
                  " of the transport contract, and this Orbweaver has version " +
                  std::to_string(kContractVersion) +
                  ": build it again with the headers installed beside this library");
  }
  StagedRegistry bringing;
  if (auto added = plugin->add_transports(bringing); !added) return refuse(added.error().message);
  for (auto& transport : bringing.brought) plugins().transports.push_back(std::move(transport));
  plugins().loaded.insert(path);
  return {};
}

Transport* find(const std::string& name) {
  const std::lock_guard lock(plugins().mutex);
  return find_locked(name);
}

std::vector<Transport*> all() {
  const std::lock_guard lock(plugins().mutex);
  return all_locked();
}

std::vector<Transport*> all_of(EndpointForm form) {
  std::vector<Transport*> found = all();
  std::erase_if(found, [form](const Transport* each) { return each->traits().form != form; });
  return found;
}

std::string known_names() {
  std::string names;
  for (const Transport* each : all()) names += (names.empty() ? "" : ", ") + std::string(each->name());
  return names;
}

std::span<const PluginLibrary> plugin_libraries() {
  static constexpr PluginLibrary kLibraries[] = {{"tls", EndpointForm::ssl, "liborbweaver-tls.so"}};
  return kLibraries;
}

}  // namespace orbweaver::transport
