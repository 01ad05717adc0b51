// Decorators of the built-in transports, named "kill-point-shm", "kill-point-unix" and so on. Each operation
// on a channel is a step, counted over the whole process. At step ORBWEAVER_TEST_DIE_AT, the process records
// the time in the call log at ORBWEAVER_TEST_CALL_LOG and kills itself.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "call_log.h"
#include "platform/clock.h"
#include "transport/testing/decorators.h"
#include "transport/transport.h"

namespace orbweaver::transport::testing {
namespace {

[[noreturn]] void die() {
  if (const char* const path = std::getenv("ORBWEAVER_TEST_CALL_LOG")) {
    const faulttest::CallLogPage call_log(platform::Fd(open(path, O_RDWR | O_CLOEXEC)));
    call_log->killed_ns = platform::now_ns();
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void kill_point() noexcept {
  static const char* const text = std::getenv("ORBWEAVER_TEST_DIE_AT");
  static const long last = text == nullptr ? 0 : std::atol(text);
  static std::atomic<long> steps{0};
  if (last != 0 && ++steps == last) die();
}

/// Calls `act` with a kill point before and after it.
template <class Act>
auto with_kill_points_around(Act&& act) noexcept {
  kill_point();
  auto result = act();
  kill_point();
  return result;
}

class KillPointBlockSender final : public BlockSender {
 public:
  bool export_block(const void* data, std::size_t bytes, BlockDescription& description) noexcept override {
    return with_kill_points_around([&] { return inner->export_block(data, bytes, description); });
  }
  BlockSender* inner = nullptr;
};

class KillPointBlockReceiver final : public BlockReceiver {
 public:
  const void* import_block(const BlockDescription& description, std::size_t bytes,
                           std::size_t alignment) noexcept override {
    return with_kill_points_around([&] { return inner->import_block(description, bytes, alignment); });
  }
  BlockReceiver* inner = nullptr;
};

class KillPointChannel final : public Decorator {
 public:
  explicit KillPointChannel(std::unique_ptr<Channel> channel) : Decorator(std::move(channel)) {
    sender_.inner = inner().capabilities().block_sender;
    if (sender_.inner != nullptr) capabilities_.block_sender = &sender_;
    receiver_.inner = inner().capabilities().block_receiver;
    if (receiver_.inner != nullptr) capabilities_.block_receiver = &receiver_;
  }
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    return with_kill_points_around([&] { return Decorator::claim(bytes, deadline); });
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    return with_kill_points_around([&] { return Decorator::commit(bytes, deadline); });
  }
  Result<Bytes> receive(Deadline deadline) noexcept override {
    return with_kill_points_around([&] { return Decorator::receive(deadline); });
  }
  void release() noexcept override {
    kill_point();
    Decorator::release();
    kill_point();
  }

 private:
  KillPointBlockSender sender_;
  KillPointBlockReceiver receiver_;
};

std::unique_ptr<Channel> with_kill_points(std::unique_ptr<Channel> channel) {
  kill_point();
  return std::make_unique<KillPointChannel>(std::move(channel));
}

class KillPointTransport final : public Transport {
 public:
  explicit KillPointTransport(Transport& inner)
      : decorated_(inner, &with_kill_points), name_(std::string("kill-point-") + inner.name()) {}
  const char* name() const noexcept override { return name_.c_str(); }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address,
                                           const ChannelOptions& options) override {
    return decorated_.listen(address, options);
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) override {
    return with_kill_points_around([&] { return decorated_.connect(address, options, deadline); });
  }

 private:
  DecoratedTransport<decltype(&with_kill_points)> decorated_;
  const std::string name_;
};

}  // namespace
}  // namespace orbweaver::transport::testing

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  using namespace orbweaver::transport;
  for (Transport* transport : {&shm_transport(), &unix_transport(), &mqueue_transport(), &tcp_transport()}) {
    if (auto added = registry.add(std::make_unique<testing::KillPointTransport>(*transport)); !added)
      return added;
  }
  return {};
}
