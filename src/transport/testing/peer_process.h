#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "platform/testing/forked_process.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {

/// An acceptor in this process and a child process that connects and calls `body` with its channel.
class PeerProcess {
 public:
  PeerProcess(Transport& transport, std::unique_ptr<Acceptor> acceptor,
              const std::function<void(Channel&)>& body)
      : acceptor_(std::move(acceptor)), child_([&] {
          auto channel = transport.connect(acceptor_->address(), options_for(), hang_deadline());
          if (channel) body(**channel);
        }) {
    auto accepted = acceptor_->accept();
    EXPECT_TRUE(ok(accepted));
    if (accepted) channel_ = std::move(*accepted);
  }
  platform::testing::ForkedProcess& process() { return child_; }
  Channel& channel() { return *channel_; }

 private:
  std::unique_ptr<Acceptor> acceptor_;
  platform::testing::ForkedProcess child_;
  std::unique_ptr<Channel> channel_;
};

inline void sleep_as_peer(Channel&) { platform::testing::ForkedProcess::pause_forever(); }

}  // namespace orbweaver::transport::testing
