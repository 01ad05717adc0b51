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

/// Limits of outgoing connections: their number, and the idle time after which they are closed
/// (docs/options.md). A closed connection is opened again by the next call of its references. Thread-safe.
class OutgoingConnections : public std::enable_shared_from_this<OutgoingConnections> {
 public:
  explicit OutgoingConnections(const Options& options) : options_(options) {}

  /// Registration of one connection, from before it is opened until its descriptors are closed.
  class Place {
   public:
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    /// Allows the connection to be closed while no call uses it. The connection destroys this registration
    /// before its other members.
    void watch(ClientConnection& connection) noexcept;

   private:
    friend class OutgoingConnections;
    explicit Place(std::shared_ptr<OutgoingConnections> all) : all_(std::move(all)) {}

    const std::shared_ptr<OutgoingConnections> all_;
    ClientConnection* connection_ = nullptr;
    std::uint64_t seen_messages_ = 0;
    std::int64_t used_ns_ = 0;  // last known use
    bool listed_ = false;
    std::list<Place*>::iterator at_;
  };
  /// Registers a connection that is about to be opened. If the limit is reached or descriptors are short, the
  /// least recently used idle connection is closed. Null for a connection within the process. Errors:
  /// transient if all connections are in use.
  Result<std::unique_ptr<Place>> take_place(const transport::Transport& transport);

  /// Closes connections that no call has used for -ORBTune outgoing-idle-timeout-ms. Called periodically
  /// while `busy`.
  void enforce() noexcept;
  bool busy() const noexcept;
  /// Sets a function that is called, under the lock of this class, when the first connection is registered.
  /// Null: none.
  void on_busy(std::function<void()> call);
  std::size_t connections() const noexcept;

 private:
  // destroyed, and thereby closed, after the lock is released
  using Channels = std::list<std::unique_ptr<transport::Channel>>;
  std::size_t limit() const noexcept;  // 0: none
  std::string make_room(std::size_t needed, Channels& closed);
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
