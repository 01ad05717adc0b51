#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "orb/options.h"
#include "transport/transport.h"

namespace orbweaver {
class ClientConnection;
}

namespace orbweaver::orb {

/// The connections that an ORB makes to other processes: how many there may be, and which of them are closed because no
/// call uses them. Whoever holds a connection that was closed so connects again at the next call. docs/options.md has the
/// limits. Thread-safe.
class OutgoingConnections : public std::enable_shared_from_this<OutgoingConnections> {
 public:
  explicit OutgoingConnections(const Options& options) : options_(options) {}

  /// Counts one connection, from before it is made until its descriptors are given back.
  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// From now on the connection is closed where no call uses it. It destroys the place before anything else of itself.
    void watch(ClientConnection& connection) noexcept;

   private:
    friend class OutgoingConnections;
    explicit Place(std::shared_ptr<OutgoingConnections> all) : all_(std::move(all)) {}

    const std::shared_ptr<OutgoingConnections> all_;
    ClientConnection* connection_ = nullptr;
    std::uint64_t seen_messages_ = 0;
    std::int64_t used_ns_ = 0;  // as far as is known
    bool listed_ = false;
    std::list<Place*>::iterator at_;
  };
  /// For a connection that is to be made. Where there are as many as may be, or descriptors are short, the one that was
  /// used least recently of those that no call uses is closed. Remedy::retry: all are in use. Null within the process.
  Result<std::unique_ptr<Place>> take_place(const transport::Transport& transport);

  /// Closes those that no call has used for -ORBOutgoingIdleTimeout. To be called now and then while `busy`.
  void look() noexcept;
  bool busy() const noexcept;
  /// Called, with a lock held that all of these take, when the first connection is there. Null: no more.
  void on_busy(std::function<void()> call);
  std::size_t connections() const noexcept;

 private:
  using Channels = std::list<std::unique_ptr<transport::Channel>>;  // destroyed, and with it closed, without the lock
  std::size_t most() const noexcept;
  void see_uses(std::int64_t now_ns) noexcept;
  bool close_least_recent(Channels& closed);
  bool close(Place& place, const char* why, Channels& closed);
  void forget(Place& place) noexcept;

  const Options options_;
  mutable std::mutex mutex_;  // guards the rest
  std::function<void()> on_busy_;
  std::list<Place*> places_;
};

}  // namespace orbweaver::orb
