// Test plug-in: its second transport has the name of a built-in one.
#include <orbweaver/transport.h>

namespace {

using namespace orbweaver;
using namespace orbweaver::transport;

class Named final : public Transport {
 public:
  explicit Named(const char* name) : name_(name) {}
  const char* name() const noexcept override { return name_; }
  Result<std::unique_ptr<Acceptor>> listen(const std::string&, const ChannelOptions&) override {
    return Error{ErrorKind::unavailable, "never listens"};
  }
  Result<std::unique_ptr<Channel>> connect(const std::string&, const ChannelOptions&, Deadline) override {
    return Error{ErrorKind::unavailable, "never connects"};
  }

 private:
  const char* name_;
};

}  // namespace

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  if (auto added = registry.add(std::make_unique<Named>("novel")); !added) return added;
  return registry.add(std::make_unique<Named>("tcp"));
}
