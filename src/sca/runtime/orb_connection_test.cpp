// Connections of output ports over the ORB.
#include "sca/runtime/orb_connection.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <span>

#include <orbweaver/sca/ossie_ports.h>
#include "StandardInterfacesS.h"
#include "sca/runtime/input_servant.h"
#include "sca/runtime/stream_types.h"
#include "sca/runtime/testing/object_server.h"

namespace orbweaver::sca {
namespace {

using testing::ObjectClient;
using testing::ObjectServer;
using namespace std::chrono_literals;

/// An object of another type that does not tell it.
class SilentObject final : public virtual CORBA::servant_traits<standardInterfaces::realFloat>::base_type {
 public:
  bool _is_a(const std::string&) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return released_; });
    return true;
  }
  void pushPacket(std::span<const float>) override {}
  void release() {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
};

struct FloatPorts : Component {
  using Component::Component;
  ~FloatPorts() override { shut_down(); }
  Input<float> in{*this, "in", [](const Packet<float>&) {}};
  Output<float> out{*this, "out"};
  OssieOutput<float> ossie{*this, "ossie"};
};

TEST(OrbConnection, IsNotMadeToAnObjectThatDoesNotAnswer) {
  const auto silent = CORBA::make_reference<SilentObject>();
  const ObjectServer server(silent);
  const ObjectClient client;
  Context context;
  FloatPorts source(context);
  EXPECT_THROW(make_orb_connection(source.out, "c1", client.object(server), 100ms), CORBA::TIMEOUT);
  silent->release();
}

TEST(OrbConnection, HasNoLimitOfItsCalls) {
  Context context;
  FloatPorts component(context);
  const ObjectServer server(make_input_servant(component.in, component));
  const ObjectClient client;
  const auto input = narrow_within<StreamInterface<float>::Stub>(client.object(server), 1h);
  ASSERT_TRUE(input);
  EXPECT_TRUE(input->_get_policy_overrides({}).empty());
}

}  // namespace
}  // namespace orbweaver::sca
