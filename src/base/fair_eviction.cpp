#include "base/fair_eviction.h"

#include "base/peer_address.h"

namespace orbweaver {

std::string counted_as(const Peer& peer) {
  if (is_local_user(peer)) return "user " + std::to_string(peer.uid);
  return peer.address.substr(0, peer.address.rfind(':'));
}

FairEviction::Peers::iterator FairEviction::join(const std::string& name, bool local) {
  const auto peer = peers_.try_emplace(name).first;
  peer->second.local = local;
  ++peer->second.holders;
  return peer;
}

void FairEviction::leave(Peers::iterator peer) noexcept {
  if (--peer->second.holders == 0) peers_.erase(peer);
}

void FairEviction::add(Holder& holder) {
  std::list<Holder*> entry{&holder};
  holder.peer_ = join({}, false);
  holder.place_ = entry.begin();
  holders_.splice(holders_.end(), entry);
}

void FairEviction::remove(Holder& holder) noexcept {
  leave(holder.peer_);
  holders_.erase(holder.place_);
}

void FairEviction::count_for(Holder& holder, const Peer& peer) {
  const auto known = join(counted_as(peer), is_local_user(peer));
  leave(holder.peer_);
  holder.peer_ = known;
}

/// The peer that holds most; if two hold the same, the one of `wanting`. `spare_local`: users of this host
/// are not considered.
FairEviction::Holdings& FairEviction::largest(const Holder& wanting, bool spare_local) noexcept {
  Holdings* most = nullptr;
  for (auto peer = peers_.begin(); peer != peers_.end(); ++peer) {
    Holdings& held = peer->second;
    if (spare_local && held.local) continue;
    if (most == nullptr || held.bytes > most->bytes || (held.bytes == most->bytes && peer == wanting.peer_))
      most = &held;
  }
  return *most;
}

FairEviction::Holder* FairEviction::longest_waiting(const Holdings& peer, const Holder& wanting) noexcept {
  Holder* longest = nullptr;
  for (Holder* const each : holders_) {
    if (each == &wanting || each->chosen || each->held == 0 || &each->peer_->second != &peer) continue;
    if (each->held < peer.of_others / peer.others) continue;
    if (longest == nullptr || each->held_since_ns < longest->held_since_ns) longest = each;
  }
  return longest;
}

bool FairEviction::choose(const Holder& wanting, std::size_t most) noexcept {
  for (auto& [name, peer] : peers_) peer.bytes = peer.others = peer.of_others = 0;
  std::size_t all = 0, remote = 0;
  for (Holder* const each : holders_) {
    each->chosen = false;
    if (each->held == 0) continue;
    Holdings& peer = each->peer_->second;
    all += each->held;
    if (!peer.local) remote += each->held;
    peer.bytes += each->held;
    if (each == &wanting) continue;
    ++peer.others;
    peer.of_others += each->held;
  }
  while (all > most) {
    Holdings& peer = largest(wanting, remote > for_remote(most));
    Holder* const victim = longest_waiting(peer, wanting);
    if (victim == nullptr) {
      for (Holder* const each : holders_) each->chosen = false;
      return false;
    }
    victim->chosen = true;
    all -= victim->held;
    if (!peer.local) remote -= victim->held;
    peer.bytes -= victim->held;
    peer.of_others -= victim->held;
    --peer.others;
  }
  return true;
}

}  // namespace orbweaver
