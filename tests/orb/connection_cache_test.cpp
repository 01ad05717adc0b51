// Threads that need a connection to the same server at the same time, and connections to many servers.
#include "orb/client/connection_cache.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "platform/testing/waiting_thread.h"
#include "testing/scripted_channel.h"
#include "transport/testing/decorators.h"

namespace orbtest {
namespace {

namespace transport = orbweaver::transport;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::Result;
using orbweaver::platform::testing::WaitingThread;
using transport::Deadline;

/// A transport whose server answers no attempt to connect until the test refuses all of them.
class UnresponsiveTransport final : public transport::Transport {
 public:
  const char* name() const noexcept override { return "unresponsive"; }
  Result<std::unique_ptr<transport::Acceptor>> listen(const std::string&,
                                                      const transport::ChannelOptions&) noexcept override {
    return Error{ErrorKind::unavailable, "this transport does not listen"};
  }
  Result<std::unique_ptr<transport::Channel>> connect(const std::string&, const transport::ChannelOptions&,
                                                      Deadline deadline) noexcept override {
    std::unique_lock lock(mutex_);
    ++attempts_;
    changed_.notify_all();
    const std::chrono::steady_clock::time_point until{std::chrono::nanoseconds(deadline.ns)};
    if (!changed_.wait_until(lock, until, [this] { return refuses_; }))
      return Error{ErrorKind::timed_out, "no answer"};
    return Error{ErrorKind::transient, "refused"};
  }

  void refuse() {
    const std::lock_guard lock(mutex_);
    refuses_ = true;
    changed_.notify_all();
  }
  int attempts() {
    const std::lock_guard lock(mutex_);
    return attempts_;
  }
  void wait_for_attempt(int number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return attempts_ >= number; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int attempts_ = 0;
  bool refuses_ = false;
};

class ConnectionCacheTest : public ::testing::Test {
 protected:
  ConnectionCacheTest() { options_.connect_timeout_ms = 120'000; }

  Error failure(Deadline deadline) {
    auto connection = cache_.connect(server_, "address", deadline);
    return connection ? Error{ErrorKind::invalid, "connected"} : connection.take_error();
  }

  UnresponsiveTransport server_;
  orbweaver::orb::Options options_;
  orbweaver::orb::Flusher flusher_;
  orbweaver::orb::ShutdownState shutdown_;
  orbweaver::orb::ConnectionCache cache_{options_, nullptr, flusher_, nullptr, shutdown_};
};

TEST_F(ConnectionCacheTest, EndsACallAtItsDeadlineWhileAnotherThreadConnects) {
  WaitingThread without_deadline([this] { EXPECT_EQ(failure(Deadline::never()).message, "refused"); });
  server_.wait_for_attempt(1);
  EXPECT_EQ(failure(Deadline::in_ms(10)).kind, ErrorKind::timed_out);
  EXPECT_EQ(server_.attempts(), 1);
  server_.refuse();
}

TEST_F(ConnectionCacheTest, SharesTheFailureOfAnAttemptWithTheThreadsThatWaitForIt) {
  const auto connect = [this] { EXPECT_EQ(failure(Deadline::never()).message, "refused"); };
  WaitingThread first(connect);
  server_.wait_for_attempt(1);
  WaitingThread second(connect), third(connect);
  ASSERT_TRUE(second.waits());
  ASSERT_TRUE(third.waits());
  server_.refuse();
  first.join();
  second.join();
  third.join();
  EXPECT_EQ(server_.attempts(), 1);
  EXPECT_EQ(failure(Deadline::never()).message, "refused");  // a later call tries again
  EXPECT_EQ(server_.attempts(), 2);
}

TEST_F(ConnectionCacheTest, TriesAgainAfterAnAttemptThatItsOwnDeadlineEnded) {
  WaitingThread with_deadline(
      [this] { EXPECT_EQ(failure(Deadline::in_ms(200)).kind, ErrorKind::timed_out); });
  server_.wait_for_attempt(1);
  WaitingThread without_deadline([this] { EXPECT_EQ(failure(Deadline::never()).message, "refused"); });
  server_.wait_for_attempt(2);
  with_deadline.join();
  server_.refuse();
}

/// A channel that counts how often it has been asked for a frame.
class CountingChannel final : public transport::testing::Decorator {
 public:
  CountingChannel(std::unique_ptr<transport::Channel> inner, int& checks)
      : Decorator(std::move(inner)), checks_(checks) {}
  Result<orbweaver::Bytes> receive(Deadline deadline) noexcept override {
    ++checks_;
    return Decorator::receive(deadline);
  }

 private:
  int& checks_;
};

/// A transport with a server at each address, which sends nothing. One thread.
class SilentTransport final : public transport::Transport {
 public:
  struct Server {
    std::shared_ptr<ChannelScript> script = std::make_shared<ChannelScript>();
    int checks = 0;
    bool has_client() const { return script.use_count() > 1; }
  };

  const char* name() const noexcept override { return "silent"; }
  Result<std::unique_ptr<transport::Acceptor>> listen(const std::string&,
                                                      const transport::ChannelOptions&) noexcept override {
    return Error{ErrorKind::unavailable, "this transport does not listen"};
  }
  Result<std::unique_ptr<transport::Channel>> connect(const std::string& address,
                                                      const transport::ChannelOptions&, Deadline) override {
    Server& server = servers[address];
    return std::unique_ptr<transport::Channel>(
        new CountingChannel(std::make_unique<ScriptedChannel>(server.script), server.checks));
  }

  int checks() const {
    int all = 0;
    for (const auto& [address, server] : servers) all += server.checks;
    return all;
  }
  std::map<std::string, Server> servers;
};

/// Connections to many servers.
class ConnectionsToMany : public ::testing::Test {
 protected:
  static constexpr int kServers = 200;
  /// Connects that check each of the connections at least once, with a few for each.
  static constexpr int kRound = kServers / 10;

  ConnectionsToMany() {
    for (int i = 0; i < kServers; ++i) connect("first " + std::to_string(i));
  }
  ~ConnectionsToMany() override { cache_.close(); }
  void connect(const std::string& address) {
    EXPECT_TRUE(cache_.connect(transport_, address, Deadline::never())) << address;
  }

  SilentTransport transport_;
  orbweaver::orb::Options options_;
  orbweaver::orb::Flusher flusher_;
  orbweaver::orb::ShutdownState shutdown_;
  orbweaver::orb::ConnectionCache cache_{options_, nullptr, flusher_, nullptr, shutdown_};
};

TEST_F(ConnectionsToMany, AreCheckedAFewAtATimeAndInTurn) {
  for (int i = 0; i < kRound; ++i) {
    const int before = transport_.checks();
    connect("second " + std::to_string(i));
    EXPECT_LE(transport_.checks() - before, 16) << "a connect checks as many connections as there are";
  }
  for (int i = 0; i < kServers; ++i)
    EXPECT_GE(transport_.servers["first " + std::to_string(i)].checks, 1) << i;
}

TEST_F(ConnectionsToMany, AreDroppedByLaterOnesWhenTheirServersHaveClosed) {
  for (auto& [address, server] : transport_.servers) server.script->close();
  for (int i = 0; i < kRound; ++i) connect("second " + std::to_string(i));
  for (const auto& [address, server] : transport_.servers)
    EXPECT_EQ(server.has_client(), address.starts_with("second")) << address;
}

TEST_F(ConnectionsToMany, AreAllCheckedAfterAFailure) {
  for (auto& [address, server] : transport_.servers) server.script->close();
  cache_.drop_closed();
  for (const auto& [address, server] : transport_.servers) EXPECT_FALSE(server.has_client()) << address;
}

}  // namespace
}  // namespace orbtest
