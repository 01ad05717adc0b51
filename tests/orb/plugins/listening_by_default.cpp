// Test plug-in: its transport, Unix sockets under another name, listens by default.
#include "transport/transport.h"

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Listening final : public Transport {
 public:
  const char* name() const noexcept override { return "listening"; }
  const TransportTraits& traits() const noexcept override {
    static constexpr TransportTraits kTraits{.preference_rank = 90, .listens_by_default = true};
    return kTraits;
  }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& o) override {
    return unix_transport().listen(address, o);
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& o,
                                           Deadline deadline) override {
    return unix_transport().connect(address, o, deadline);
  }
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Listening>()); }
