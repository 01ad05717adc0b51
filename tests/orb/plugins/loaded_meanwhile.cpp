// Test plug-in: while its transport is added, another thread loads it and registers the transport.
#include <thread>

#include "transport/plugins.h"

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Late final : public Transport {
 public:
  const char* name() const noexcept override { return "late"; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& o) override {
    return unix_transport().listen(address, o);
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& o,
                                           Deadline deadline) override {
    return unix_transport().connect(address, o, deadline);
  }
};

bool loaded_meanwhile = false;  // no thread changes it after the first call

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  if (!loaded_meanwhile) {
    loaded_meanwhile = true;
    Result<void> loaded;
    std::thread([&] {
      loaded = load_plugin(ORBWEAVER_TEST_PLUGINS "/libplugin-loaded_meanwhile.so");
    }).join();
    if (!loaded) return loaded;
  }
  return registry.add(std::make_unique<Late>());
}
