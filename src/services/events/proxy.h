#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "services/events/channel_core.h"

namespace orbweaver::services::events {

/// What the four kinds of proxies have in common: they are created unconnected, are connected once, and end.
/// A proxy that has ended raises OBJECT_NOT_EXIST. Thread-safe.
class Proxy {
 public:
  Proxy(std::shared_ptr<ChannelCore> core, bool evictable_when_idle)
      : core_(std::move(core)), evictable_when_idle_(evictable_when_idle), used_ns_(now_ns()) {}
  virtual ~Proxy() = default;
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  /// Ends the proxy, and tells its consumer or supplier. False if it has ended before.
  bool end() noexcept;
  /// As end(), if the proxy is unused; otherwise returns false.
  bool end_if_unused(std::int64_t idle_ms) noexcept;
  /// Whether the proxy may end to make space for another one: it has not been connected, or its peer has been
  /// silent. Takes no lock.
  bool unused(std::int64_t idle_ms) const noexcept;
  /// Whether nothing has called the proxy for `idle_ms`.
  bool idle(std::int64_t idle_ms) const noexcept { return now_ns() - used_ns() >= idle_ms * 1'000'000; }
  bool connected() const noexcept { return state_.load() == State::connected; }
  /// Time of the last call, or of the creation.
  std::int64_t used_ns() const noexcept { return used_ns_.load(std::memory_order_relaxed); }

 protected:
  /// Called by end(), without the lock, once: `connected` tells whether it was connected.
  virtual void on_end(bool connected) = 0;

  /// For connect operations: calls `connect()` with the lock held. Raises OBJECT_NOT_EXIST, AlreadyConnected
  /// and what `connect` raises; the proxy then stays unconnected.
  void connect_once(const std::function<void()>& connect);
  /// For events: raises Disconnected if the proxy is not connected.
  void check_connected();
  /// For disconnect operations: as end(); raises OBJECT_NOT_EXIST if it has ended before.
  void disconnect();
  /// Calls `call()`, which tells a peer of the end, in a thread of the service. Its failure has no effect.
  void notify(std::function<void()> call) noexcept;

  const std::shared_ptr<ChannelCore> core_;

 private:
  enum class State { unconnected, connected, ended };
  bool end(std::unique_lock<std::mutex>& lock) noexcept;

  const bool evictable_when_idle_;
  std::atomic<std::int64_t> used_ns_;
  std::mutex mutex_;
  std::atomic<State> state_{State::unconnected};  // changed with the lock held
};

}  // namespace orbweaver::services::events
