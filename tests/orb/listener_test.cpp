// Connections of a listening endpoint that has a thread for each.
#include "orb/server/listener.h"

#include <gmock/gmock.h>

#include <condition_variable>
#include <deque>

#include "orb/core.h"
#include "orb/orb_impl.h"
#include "testing/scripted_channel.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace transport = orbweaver::transport;

/// An acceptor that accepts the channels of the test.
class GivenAcceptor final : public transport::Acceptor {
 public:
  orbweaver::Result<std::unique_ptr<transport::Channel>> accept() noexcept override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !channels_.empty(); });
    if (closed_) return orbweaver::Error{orbweaver::ErrorKind::unavailable, "closed"};
    auto channel = std::move(channels_.front());
    channels_.pop_front();
    return channel;
  }
  void close() noexcept override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  const std::string& address() const noexcept override { return address_; }

  void gives(std::unique_ptr<transport::Channel> channel) {
    const std::lock_guard lock(mutex_);
    channels_.push_back(std::move(channel));
    changed_.notify_all();
  }

 private:
  const std::string address_ = "given";
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<transport::Channel>> channels_;
  bool closed_ = false;
};

/// Freeing the memory of a connection may take long, and thousands may end at once.
TEST(Listener, ServesOthersWhileAConnectionIsDestroyed) {
  Gate may_end;
  std::atomic<bool> destroyed{false};
  TestOrb broker;
  auto given = std::make_unique<GivenAcceptor>();
  GivenAcceptor& acceptor = *given;
  orbweaver::orb::Listener listener(*dynamic_cast<orbweaver::orb::OrbImpl&>(*broker.orb).core(),
                                    transport::tcp_transport(), std::move(given));
  listener.start();

  const auto destroy = [&](ChannelScript* script) {
    may_end.pass(1);
    delete script;
    destroyed = true;
  };
  std::shared_ptr<ChannelScript> ending(new ChannelScript, destroy);
  ending->close();
  acceptor.gives(std::make_unique<ScriptedChannel>(std::move(ending)));
  ASSERT_TRUE(may_end.reached_by(1));

  const auto other = std::make_shared<ChannelScript>();
  other->arrives({'n', 'o', ' ', 'G', 'I', 'O', 'P', ' ', 'a', 't', ' ', 'a', 'l', 'l'});
  acceptor.gives(std::make_unique<ScriptedChannel>(other));
  EXPECT_TRUE(becomes_true([&] { return other->closed(); })) << "its message has been rejected";
  EXPECT_FALSE(destroyed);
  may_end.open();
}

TEST(Listener, JoinsTheThreadsOfEndedConnections) {
  TestOrb broker;
  auto given = std::make_unique<GivenAcceptor>();
  GivenAcceptor& acceptor = *given;
  orbweaver::orb::Listener listener(*dynamic_cast<orbweaver::orb::OrbImpl&>(*broker.orb).core(),
                                    transport::tcp_transport(), std::move(given));
  listener.start();
  for (int i = 0; i < 200; ++i) {
    const auto script = std::make_shared<ChannelScript>();
    acceptor.gives(std::make_unique<ScriptedChannel>(script));
    script->close();
  }
  const auto last = std::make_shared<ChannelScript>();
  acceptor.gives(std::make_unique<ScriptedChannel>(last));
  last->arrives(request(1, {1}, "_non_existent").bytes());
  ASSERT_TRUE(becomes_true([&] { return !last->frames().empty(); })) << "it is served";
  EXPECT_FALSE(listener.join_finished());
  last->close();
  EXPECT_TRUE(becomes_true([&] { return listener.join_finished(); }));
}

}  // namespace
}  // namespace orbtest
