#pragma once

#include <orbweaver/peer.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>

namespace orbweaver {

/// The name under which limits count a peer: "user UID" for a user of this host over a local transport, else
/// the address without its port.
std::string counted_as(const Peer& peer);

/// Chooses the connections to close when all connections together exceed a limit of bytes, such that the peer
/// that holds most loses connections first. Not thread-safe: its owner locks.
class FairEviction {
 public:
  /// The bytes that one peer holds, over all of its connections.
  struct Holdings {
    bool local = false;         ///< A user of this host.
    std::size_t holders = 0;    ///< Connections counted for the peer.
    std::size_t bytes = 0;      ///< For `choose`: the bytes of these connections.
    std::size_t others = 0;     ///< For `choose`: connections that hold bytes, except for `wanting`.
    std::size_t of_others = 0;  ///< For `choose`: the bytes of those.
  };
  using Peers = std::map<std::string, Holdings>;

  /// The bytes that one connection holds.
  struct Holder {
    std::size_t held = 0;            ///< Bytes; set by the caller of `choose`. 0: cannot be chosen.
    std::int64_t held_since_ns = 0;  ///< On CLOCK_MONOTONIC; set by the caller of `choose`.
    bool chosen = false;             ///< The result of `choose`.

   private:
    friend class FairEviction;
    Peers::iterator peer_;
    std::list<Holder*>::iterator place_;
  };

  /// Adds a connection, which is counted for an unknown host until `count_for`. `holder` must stay at its
  /// address until `remove`.
  void add(Holder& holder);
  /// Removes a connection.
  void remove(Holder& holder) noexcept;
  /// Counts a connection for `peer`, in place of the unknown host.
  void count_for(Holder& holder, const Peer& peer);
  bool is_local(const Holder& holder) const noexcept { return holder.peer_->second.local; }
  const std::list<Holder*>& holders() const noexcept { return holders_; }

  /// Chooses holders until the remaining ones have at most `most` bytes. Each is a holder of the peer that
  /// holds most; users of this host are spared while remote hosts hold more than three quarters of `most`. Of
  /// that peer's holders, the one that has waited longest is chosen among those with at least the average
  /// size, so that a small and slow one is spared. False, and none is chosen, if the limit can only be kept
  /// by closing `wanting` itself.
  bool choose(const Holder& wanting, std::size_t most) noexcept;
  /// The part of `most` that remote hosts may hold while local users need memory: three quarters.
  static constexpr std::size_t for_remote(std::size_t most) noexcept { return most - most / 4; }

 private:
  Peers::iterator join(const std::string& name, bool local);
  void leave(Peers::iterator peer) noexcept;
  Holdings& largest(const Holder& wanting, bool spare_local) noexcept;
  Holder* longest_waiting(const Holdings& peer, const Holder& wanting) noexcept;

  Peers peers_;
  std::list<Holder*> holders_;
};

}  // namespace orbweaver
