// Test plug-in: its channels are created by a function of the test, whose address is the option `maker` of
// the transport "scripted" or of "unreliable", which may lose frames.
#include <functional>

#include "transport/transport.h"

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Scripted final : public Transport {
 public:
  /// Null: nothing listens at present.
  using Maker = std::function<std::unique_ptr<Channel>()>;

  Scripted(const char* name, const TransportTraits& traits) : name_(name), traits_(traits) {}
  const char* name() const noexcept override { return name_; }
  const TransportTraits& traits() const noexcept override { return traits_; }
  Result<void> check(const Parameters&) override { return {}; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string&, const ChannelOptions&) override {
    return Error{ErrorKind::unavailable, "the scripted transport does not listen"};
  }
  Result<std::unique_ptr<Channel>> connect(const std::string&, const ChannelOptions& options,
                                           Deadline) override {
    auto channel = (*reinterpret_cast<Maker*>(std::stoull(options.parameter("maker"))))();
    if (channel == nullptr) return Error{ErrorKind::transient, "the script has no channel"};
    return channel;
  }

 private:
  const char* const name_;
  const TransportTraits traits_;
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  if (auto added = registry.add(std::make_unique<Scripted>("scripted", TransportTraits())); !added)
    return added;
  return registry.add(std::make_unique<Scripted>("unreliable", TransportTraits{.reliable = false}));
}
