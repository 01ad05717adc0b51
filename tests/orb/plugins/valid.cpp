// Test plug-in: the built-in TCP transport under another name.
#include "transport/transport.h"

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Borrowed final : public Transport {
 public:
  const char* name() const noexcept override { return "borrowed"; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& o) override {
    return tcp_transport().listen(address, o);
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& o,
                                           Deadline deadline) override {
    return tcp_transport().connect(address, o, deadline);
  }
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Borrowed>()); }
