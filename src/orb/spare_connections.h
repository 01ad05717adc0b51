#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <string>

#include "orb/client_connection.h"
#include "orb/flushable.h"

namespace orbweaver {
struct Road;
}

namespace orbweaver::orb {

class Core;

/// Connections beside the shared one, for two-way calls that must not wait behind another: a call from inside of an
/// upcall may be what the pending one waits for (docs/decisions/0019-a-nested-call-waits-for-no-other.md). Each carries
/// one call at a time. They are kept for the next, closed by the flusher's thread when nobody has used them for
/// -ORBNestedIdle, and with the ORB. Thread-safe.
class SpareConnections final : public Flushable {
 public:
  explicit SpareConnections(Core& core) noexcept : core_(core) {}
  SpareConnections(const SpareConnections&) = delete;
  SpareConnections& operator=(const SpareConnections&) = delete;

  /// One for a call from inside of an upcall, connecting if need be: the caller's until `give_back`. Where `most` are
  /// out to that address, waits for one until the deadline, at most for as long as connecting may take; then raises
  /// NO_RESOURCES. Failures to connect are raised, too.
  ClientConnection& take(const Road& road, std::size_t most, transport::Deadline deadline);
  /// The same for a call that may as well wait on the shared one: null where `most` are out, or none can be made.
  ClientConnection* take_if_free(const Road& road, std::size_t most, transport::Deadline deadline);
  void give_back(ClientConnection& connection) noexcept;

  /// Lets go of those that have failed, whose servers have gone, or that nobody has used for a while.
  void drop_ended();
  /// The ORB shuts down: closes all. Calls in progress fail.
  void close();
  /// The flusher's: as drop_ended, and when to come again; 0 where there are none left.
  std::int64_t flush_due() override;

 private:
  struct Spare {
    ClientConnectionPtr connection;
    bool out = false;
    std::int64_t used_ns = 0;  ///< When it was given back last.
  };
  using Spares = std::list<Spare>;
  /// To one address: the first that is free is taken, so that those no longer needed are the last.
  struct Address {
    Spares spares;
    std::size_t opening = 0;
  };

  ClientConnection* free_one(Address& address);
  Result<ClientConnection*> open(const Road& road, const std::string& name, std::unique_lock<std::mutex>& lock,
                                 transport::Deadline deadline);
  void collect_ended(Spares& ended, std::int64_t now_ns);
  std::int64_t idle_ns() const noexcept;
  void wait(std::unique_lock<std::mutex>& lock, transport::Deadline deadline);

  Core& core_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable freed_;
  std::map<std::string, Address> addresses_;  // by "transport address"
  bool flusher_knows_ = false;
};

}  // namespace orbweaver::orb
