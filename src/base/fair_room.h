#pragma once

#include <orbweaver/peer.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>

namespace orbweaver {

/// The name under which limits count a peer: a user of this host, or a host of any number of ports.
std::string counted_as(const Peer& peer);

/// Chooses connections to end when all of them hold more than a limit allows, so that a peer pays for what it holds
/// itself. Not thread-safe: its owner has a lock.
class FairRoom {
 public:
  /// One peer, of any number of connections.
  struct Holdings {
    bool local = false;         ///< A user of this host.
    std::size_t holders = 0;    ///< That are counted for it.
    std::size_t bytes = 0;      ///< Of `choose`: what they hold,
    std::size_t others = 0;     ///< … and how many of them do, the one that wants more aside,
    std::size_t of_others = 0;  ///< … with so many bytes.
  };
  using Peers = std::map<std::string, Holdings>;

  /// What one connection holds.
  struct Holder {
    std::size_t held = 0;       ///< Set before `choose`. 0: it is not to be chosen.
    std::int64_t held_since_ns = 0;
    bool chosen = false;        ///< By `choose`.

   private:
    friend class FairRoom;
    Peers::iterator peer_;
    std::list<Holder*>::iterator place_;
  };

  /// `holder` is counted for an unknown host, until `count_for`. It stays where it is until `remove`.
  void add(Holder& holder);
  void remove(Holder& holder) noexcept;
  void count_for(Holder& holder, const Peer& peer);
  bool is_local(const Holder& holder) const noexcept { return holder.peer_->second.local; }
  const std::list<Holder*>& holders() const noexcept { return holders_; }

  /// Chooses holders until the others have no more than `most` bytes. Each is one of the peer that holds most in all;
  /// users of this host are spared while hosts hold more than three quarters. Of that peer's holders it is the one that
  /// has waited longest among those with at least the average: not a small one that is slow. False: what `wanting` itself
  /// holds is what is too much; nobody is chosen.
  bool choose(const Holder& wanting, std::size_t most) noexcept;
  /// What hosts may have of `most` where local users want a part.
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
