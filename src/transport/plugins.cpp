#include "transport/plugins.h"

#include <algorithm>
#include <iterator>
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

Transport* find_in(const std::vector<Transport*>& transports, const std::string& name) {
  const auto found = std::find_if(transports.begin(), transports.end(),
                                  [&](const Transport* each) { return name == each->name(); });
  return found == transports.end() ? nullptr : *found;
}

std::string names_of(const std::vector<Transport*>& transports) {
  std::string names;
  for (const Transport* each : transports) names += (names.empty() ? "" : ", ") + std::string(each->name());
  return names;
}

Error name_in_use(const std::string& name) {
  return {ErrorKind::invalid, "there is a transport '" + name + "' already"};
}

/// pre: the lock is held.
bool is_loaded_locked(const std::string& path) { return plugins().loaded.count(path) != 0; }

/// Receives the transports of one plug-in. `staged`: those of the plug-ins loaded before.
class PluginRegistry final : public Registry {
 public:
  explicit PluginRegistry(const StagedPlugins& staged) : staged_(staged) {}
  Result<void> add(std::unique_ptr<Transport> transport) override {
    const std::string name = transport->name();
    if (!is_word(name)) {
      return Error{ErrorKind::invalid,
                   "'" + name + "' is not a valid transport name: use letters, digits, '-' and '_'"};
    }
    const bool twice =
        std::any_of(transports.begin(), transports.end(), [&](const auto& t) { return name == t->name(); });
    if (twice || staged_.find(name) != nullptr) return name_in_use(name);
    transports.push_back(std::move(transport));
    return {};
  }
  std::vector<std::unique_ptr<Transport>> transports;

 private:
  const StagedPlugins& staged_;
};

}  // namespace

Result<void> StagedPlugins::load(const std::string& path) {
  if (std::any_of(plugins_.begin(), plugins_.end(), [&](const Plugin& each) { return each.path == path; }))
    return {};
  {
    const std::lock_guard lock(plugins().mutex);
    if (is_loaded_locked(path)) return {};
  }
  const auto reject = [&](const std::string& why) {
    return Error{ErrorKind::invalid, "transport plug-in " + path + ": " + why};
  };
  platform::SharedLibrary module;
  if (const std::string problem = module.load(path); !problem.empty()) return reject(problem);
  const auto* plugin = static_cast<const transport::Plugin*>(module.find("orbweaver_transport_plugin"));
  if (plugin == nullptr) {
    return reject("no symbol orbweaver_transport_plugin: not an Orbweaver transport plug-in");
  }
  if (plugin->contract != kContractVersion) {
    return reject("it was built for version " + std::to_string(plugin->contract) +
                  " of the transport contract, and this Orbweaver has version " +
                  std::to_string(kContractVersion) +
                  ": build it again with the headers installed beside this library");
  }
  PluginRegistry registry(*this);
  if (auto added = plugin->add_transports(registry); !added) {
    const std::lock_guard lock(plugins().mutex);
    if (is_loaded_locked(path)) return {};  // by another thread meanwhile: its names are in use
    return reject(added.error().message);
  }
  plugins_.push_back({path, std::move(registry.transports)});
  return {};
}

std::vector<Transport*> StagedPlugins::all() const {
  std::vector<Transport*> all = transport::all();
  for (const Plugin& plugin : plugins_) {
    for (const auto& each : plugin.transports) all.push_back(each.get());
  }
  return all;
}

Transport* StagedPlugins::find(const std::string& name) const { return find_in(all(), name); }

std::string StagedPlugins::known_names() const { return names_of(all()); }

Result<void> StagedPlugins::commit() {
  const std::lock_guard lock(plugins().mutex);
  std::erase_if(plugins_, [](const Plugin& each) { return is_loaded_locked(each.path); });
  for (const Plugin& plugin : plugins_) {
    for (const auto& each : plugin.transports) {
      if (find_in(all_locked(), each->name()) != nullptr) return name_in_use(each->name());
    }
  }
  for (Plugin& plugin : plugins_) {
    std::move(plugin.transports.begin(), plugin.transports.end(), std::back_inserter(plugins().transports));
    plugins().loaded.insert(plugin.path);
  }
  plugins_.clear();
  return {};
}

Result<void> load_plugin(const std::string& path) {
  StagedPlugins staged;
  if (auto loaded = staged.load(path); !loaded) return loaded;
  return staged.commit();
}

Transport* find(const std::string& name) { return find_in(all(), name); }

std::vector<Transport*> all() {
  const std::lock_guard lock(plugins().mutex);
  return all_locked();
}

std::vector<Transport*> all_of(EndpointForm form) {
  std::vector<Transport*> found = all();
  std::erase_if(found, [form](const Transport* each) { return each->traits().form != form; });
  return found;
}

std::string known_names() { return names_of(all()); }

std::span<const PluginLibrary> plugin_libraries() {
  static constexpr PluginLibrary kLibraries[] = {{"tls", EndpointForm::ssl, "liborbweaver-tls.so"}};
  return kLibraries;
}

}  // namespace orbweaver::transport
