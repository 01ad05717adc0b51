#include "transport/plugins.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "platform/module.h"

namespace orbweaver::transport {
namespace {

struct Plugins {
  std::mutex mutex;
  std::set<std::string> loaded;
  std::vector<std::unique_ptr<Transport>> transports;  // never given back: channels may live as long as we do
};

Plugins& plugins() {
  static auto* all = new Plugins;  // for good: channels of other statics may still be closed at the end
  return *all;
}

std::vector<Transport*> own() { return {&inproc(), &shm(), &unix_sockets(), &mqueue(), &tcp(), &udp()}; }

bool is_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

/// Under the lock.
Transport* find_locked(const std::string& name) {
  for (Transport* each : own()) {
    if (name == each->name()) return each;
  }
  for (const auto& each : plugins().transports) {
    if (name == each->name()) return each.get();
  }
  return nullptr;
}

/// What one plug-in brings, until all of it has been taken.
class Bringing final : public Registry {
 public:
  Result<void> add(std::unique_ptr<Transport> transport) override {
    const std::string name = transport->name();
    if (!is_word(name)) {
      return Error{Remedy::mend, "'" + name + "' is no name for a transport: use letters, digits, '-' and '_'"};
    }
    const bool twice = std::any_of(brought.begin(), brought.end(), [&](const auto& b) { return name == b->name(); });
    if (twice || find_locked(name) != nullptr) {
      return Error{Remedy::mend, "there is a transport '" + name + "' already"};
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
  const auto refuse = [&](const std::string& why) { return Error{Remedy::mend, "transport plug-in " + path + ": " + why}; };
  platform::Module module;
  if (const std::string problem = module.load(path); !problem.empty()) return refuse(problem);
  const auto* plugin = static_cast<const Plugin*>(module.find("orbweaver_transport_plugin"));
  if (plugin == nullptr) {
    return refuse("it exports no orbweaver_transport_plugin: is it a plug-in of Orbweaver?");
  }
  if (plugin->contract != kContract) {
    return refuse("it was built for version " + std::to_string(plugin->contract) +
                  " of the transport contract, and this Orbweaver has version " + std::to_string(kContract) +
                  ": build it again with the headers installed beside this library");
  }
  Bringing bringing;
  if (auto added = plugin->add_transports(bringing); !added) return refuse(added.error().message);
  for (auto& transport : bringing.brought) plugins().transports.push_back(std::move(transport));
  plugins().loaded.insert(path);
  return {};
}

Transport* find(const std::string& name) {
  const std::lock_guard lock(plugins().mutex);
  return find_locked(name);
}

std::string known_names() {
  const std::lock_guard lock(plugins().mutex);
  std::string names;
  for (Transport* each : own()) names += (names.empty() ? "" : ", ") + std::string(each->name());
  for (const auto& each : plugins().transports) names += std::string(", ") + each->name();
  return names;
}

}  // namespace orbweaver::transport
