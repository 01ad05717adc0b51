// Threads that need a connection to the same server at the same time.
#include "orb/client/connection_cache.h"

#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "platform/testing/waiting_thread.h"

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

}  // namespace
}  // namespace orbtest
