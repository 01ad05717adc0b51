// The library's own transports as "mortal-shm", "mortal-unix" and so on: each thing that the ORB does with a channel
// is a step, counted through the whole process, and at the ORBWEAVER_TEST_DIE_AT-th the process kills itself, and
// notes when in the ledger at ORBWEAVER_TEST_LEDGER.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "ledger.h"
#include "platform/clock.h"
#include "transport/testing/decorators.h"
#include "transport/transport.h"

namespace orbweaver::transport::testing {
namespace {

[[noreturn]] void die() {
  if (const char* const path = std::getenv("ORBWEAVER_TEST_LEDGER")) {
    const faulttest::LedgerPage ledger(platform::Fd(open(path, O_RDWR | O_CLOEXEC)));
    ledger->killed_ns = platform::now_ns();
  }
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

void step() noexcept {
  static const char* const text = std::getenv("ORBWEAVER_TEST_DIE_AT");
  static const long last = text == nullptr ? 0 : std::atol(text);
  static std::atomic<long> steps{0};
  if (last != 0 && ++steps == last) die();
}

/// Before and after everything.
template <class Act>
auto stepping(Act&& act) noexcept {
  step();
  auto result = act();
  step();
  return result;
}

class MortalSender final : public BlockSender {
 public:
  bool give(const void* data, std::size_t bytes, BlockDescription& description) noexcept override {
    return stepping([&] { return inner->give(data, bytes, description); });
  }
  BlockSender* inner = nullptr;
};

class MortalReceiver final : public BlockReceiver {
 public:
  const void* take(const BlockDescription& description, std::size_t bytes, std::size_t alignment) noexcept override {
    return stepping([&] { return inner->take(description, bytes, alignment); });
  }
  BlockReceiver* inner = nullptr;
};

class Mortal final : public Decorator {
 public:
  explicit Mortal(std::unique_ptr<Channel> inner) : Decorator(std::move(inner)) {}
  Result<MutableBytes> claim(std::size_t bytes, Deadline deadline) noexcept override {
    return stepping([&] { return Decorator::claim(bytes, deadline); });
  }
  Result<void> commit(std::size_t bytes, Deadline deadline) noexcept override {
    return stepping([&] { return Decorator::commit(bytes, deadline); });
  }
  Result<Bytes> receive(Deadline deadline) noexcept override {
    return stepping([&] { return Decorator::receive(deadline); });
  }
  void release() noexcept override {
    step();
    Decorator::release();
    step();
  }
  BlockSender* block_sender() noexcept override {
    sender_.inner = Decorator::block_sender();
    return sender_.inner != nullptr ? &sender_ : nullptr;
  }
  BlockReceiver* block_receiver() noexcept override {
    receiver_.inner = Decorator::block_receiver();
    return receiver_.inner != nullptr ? &receiver_ : nullptr;
  }

 private:
  MortalSender sender_;
  MortalReceiver receiver_;
};

std::unique_ptr<Channel> mortal(std::unique_ptr<Channel> channel) {
  step();
  return std::make_unique<Mortal>(std::move(channel));
}

class MortalTransport final : public Transport {
 public:
  explicit MortalTransport(Transport& inner) : decorated_(inner, &mortal), name_(std::string("mortal-") + inner.name()) {}
  const char* name() const noexcept override { return name_.c_str(); }
  Result<std::unique_ptr<Acceptor>> listen(const std::string& address, const ChannelOptions& options) noexcept override {
    return decorated_.listen(address, options);
  }
  Result<std::unique_ptr<Channel>> connect(const std::string& address, const ChannelOptions& options,
                                           Deadline deadline) noexcept override {
    return stepping([&] { return decorated_.connect(address, options, deadline); });
  }

 private:
  DecoratedTransport<decltype(&mortal)> decorated_;
  const std::string name_;
};

}  // namespace
}  // namespace orbweaver::transport::testing

ORBWEAVER_TRANSPORT_PLUGIN(registry) {
  using namespace orbweaver::transport;
  for (Transport* each : {&shm(), &unix_sockets(), &mqueue(), &tcp()}) {
    if (auto added = registry.add(std::make_unique<testing::MortalTransport>(*each)); !added) return added;
  }
  return {};
}
