#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/result.h"
#include "transport/transport.h"

namespace orbweaver::orb {

/// Polling interval of a thread that serves requests while it waits for an event without a descriptor: space
/// for a request, or a reply that another thread reads.
inline constexpr std::int64_t kServeInterval_ms = 1;

/// The channel of a client connection and whether it can be used; shared by the parts of the connection.
struct ConnectionState {
  ConnectionState(std::unique_ptr<transport::Channel> c, std::string d)
      : channel(std::move(c)), description(std::move(d)) {}

  /// Marks the connection as unusable if `error` says that it has ended. Returns `error`.
  Error note(Error error) noexcept {
    if (error.kind == ErrorKind::disconnected) mark_unusable();
    return error;
  }
  void mark_unusable() noexcept { usable.store(false, std::memory_order_release); }
  /// Closes the channel. Any thread.
  void close() noexcept {
    mark_unusable();
    const std::lock_guard lock(channel_mutex);
    channel->close();
  }
  /// See ReceiveStatus::undelivered_bytes. Any thread.
  std::size_t undelivered_bytes() const noexcept {
    const std::lock_guard lock(channel_mutex);
    const transport::ReceiveStatus* const status = channel->capabilities().receive_status;
    return status != nullptr ? status->undelivered_bytes() : 0;
  }

  // Replaced once, by `close_if_unused`, which holds the send lock, the reader role and this mutex. A thread
  // that has neither of the first two takes the mutex.
  mutable std::mutex channel_mutex;
  std::unique_ptr<transport::Channel> channel;
  const std::string description;
  /// False once the connection has failed or was closed by either end.
  std::atomic<bool> usable{true};
  /// The server sent CloseConnection.
  std::atomic<bool> closed_orderly{false};
};

}  // namespace orbweaver::orb
