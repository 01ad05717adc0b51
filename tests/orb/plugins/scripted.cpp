// Test plug-in: its channels are created by a function of the test, whose address is the option `maker`.
#include <functional>

#include "transport/transport.h"

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Scripted final : public Transport {
 public:
  using Maker = std::function<std::unique_ptr<Channel>()>;

  const char* name() const noexcept override { return "scripted"; }
  Result<void> check(const Parameters&) override { return {}; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string&, const ChannelOptions&) override {
    return Error{ErrorKind::unavailable, "the scripted transport does not listen"};
  }
  Result<std::unique_ptr<Channel>> connect(const std::string&, const ChannelOptions& options,
                                           Deadline) override {
    return (*reinterpret_cast<Maker*>(std::stoull(options.parameter("maker"))))();
  }
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) { return registry.add(std::make_unique<Scripted>()); }
