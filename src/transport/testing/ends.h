#pragma once

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "platform/clock.h"
#include "platform/testing/waiting_thread.h"
#include "transport/testing/frames.h"
#include "transport/transport.h"

/// Two connected ends, and helper threads of tests.
namespace orbweaver::transport::testing {

inline constexpr std::size_t kRingBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMaxFrameBytes = std::size_t{8} << 20;
inline constexpr std::array kEveryWait{WaitStrategy::spin, WaitStrategy::adaptive, WaitStrategy::block};

inline const char* to_string(WaitStrategy wait) {
  return wait == WaitStrategy::spin ? "spin" : wait == WaitStrategy::adaptive ? "adaptive" : "block";
}

/// Number of repetitions of an exchange; fewer with spinning, where on a busy machine each may take a time
/// slice.
inline std::uint32_t times(WaitStrategy wait, std::uint32_t usual) {
  return wait == WaitStrategy::spin ? usual / 5 : usual;
}

inline ChannelOptions options_for(WaitStrategy wait = WaitStrategy::adaptive) {
  ChannelOptions options;
  options.frame_length = test_frame_length;
  options.wait = wait;
  options.max_frame_bytes = kMaxFrameBytes;
  options.ring_bytes = kRingBytes;
  return options;
}

using platform::testing::CallWhenThisThreadWaits;
using platform::testing::WaitingThread;

inline void pause_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

/// Both ends of one connection: `near` connected, `far` was accepted.
struct Ends {
  std::unique_ptr<Acceptor> acceptor;
  std::unique_ptr<Channel> near, far;
};

inline Ends connect_ends(Transport& transport, const std::string& address, const ChannelOptions& near_options,
                         const ChannelOptions& far_options) {
  Ends ends;
  Result<std::unique_ptr<Acceptor>> acceptor = transport.listen(address, far_options);
  EXPECT_TRUE(ok(acceptor));
  if (!acceptor) return ends;
  ends.acceptor = std::move(*acceptor);
  // A transport may need both ends to agree before either has its channel.
  std::thread accepting([&] {
    Result<std::unique_ptr<Channel>> far = ends.acceptor->accept();
    EXPECT_TRUE(ok(far));
    if (far) ends.far = std::move(*far);
  });
  Result<std::unique_ptr<Channel>> near =
      transport.connect(ends.acceptor->address(), near_options, hang_deadline());
  EXPECT_TRUE(ok(near));
  if (near)
    ends.near = std::move(*near);
  else
    ends.acceptor->close();
  accepting.join();
  return ends;
}

/// Sends every received frame back until the channel ends. The channel must end before this is destroyed.
class Echo {
 public:
  explicit Echo(Channel& channel) : thread_([&channel] { run(channel); }) {}
  ~Echo() { thread_.join(); }

 private:
  static void run(Channel& channel) {
    for (;;) {
      const Result<Bytes> question = channel.receive(Deadline::never());
      if (!question) return;
      Result<MutableBytes> answer = channel.claim(question->size(), Deadline::never());
      if (!answer) return;
      std::copy(question->begin(), question->end(), answer->begin());
      const std::size_t bytes = question->size();
      channel.release();
      if (!channel.commit(bytes, Deadline::never())) return;
    }
  }
  std::thread thread_;
};

/// Sends frames of `bytes`, numbered from 0, until the channel ends; counts the commits.
class Flood {
 public:
  Flood(Channel& channel, std::size_t bytes)
      : thread_([this, &channel, bytes] {
          thread_id_ = platform::testing::this_thread_id();
          for (std::uint32_t i = 0;; ++i) {
            Result<void> sent = send_frame(channel, bytes, i);
            if (!sent) {
              end_ = std::move(sent);
              return;
            }
            ++committed_;
          }
        }) {}
  ~Flood() {
    if (thread_.joinable()) thread_.join();
  }

  std::uint32_t committed() const { return committed_; }
  /// Waits for the end and returns its error.
  const Result<void>& end() {
    if (thread_.joinable()) thread_.join();
    return end_;
  }
  /// Waits until the sender is blocked, and returns the number of commits. A thread that waits for a
  /// processor does not count as blocked.
  std::uint32_t wait_until_blocked() {
    while (thread_id_ == 0) pause_ms(1);
    platform::testing::ThreadObserver watch(thread_id_);
    std::uint32_t before = committed_;
    for (int still = 0; still < 5;) {
      pause_ms(2);
      const bool slept_or_ran = watch.slept_or_ran();
      const std::uint32_t now = committed_;
      if (now != before || now == 0)
        still = 0;
      else if (slept_or_ran)
        ++still;
      before = now;
    }
    return before;
  }

 private:
  std::atomic<pid_t> thread_id_{0};
  std::atomic<std::uint32_t> committed_{0};
  Result<void> end_;
  std::thread thread_;  // last: starts when the other members exist
};

}  // namespace orbweaver::transport::testing
