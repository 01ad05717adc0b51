#pragma once

#include <orbweaver/messaging.h>
#include <orbweaver/orb.h>

#include <cstdint>
#include <map>
#include <string>

#include "FrameworkC.h"
#include "platform/clock.h"
#include "sca/deployment/limited_calls.h"

namespace orbweaver::sca {

/// Time limit of each call of a reading.
inline constexpr std::chrono::milliseconds kMonitorCallLimit{300};
/// Time that a reading may take; what it does not reach is read next time.
inline constexpr std::int64_t kMonitorReadingNs = 2'000'000'000;
/// Time without calls to an object that did not answer.
inline constexpr std::int64_t kMonitorPauseNs = 10'000'000'000;

/// Objects of one interface that are read again and again, by their references. An object that does not
/// answer is not called for ten seconds, so that objects that hang delay a reading once. One thread.
template <class Interface>
class Peers {
 public:
  using Ref = typename IDL::traits<Interface>::ref_type;

  explicit Peers(const IDL::traits<CORBA::ORB>::ref_type& orb) : orb_(orb), calls_(orb, kMonitorCallLimit) {}

  /// The outcome of a reading.
  enum class Outcome { read, other_interface, no_answer, not_reached };

  /// Calls `read(object)`, unless the object has another interface, is paused, or `deadline` has passed.
  template <class Read>
  Outcome read(const std::string& reference, platform::Deadline deadline, Read read) {
    Peer& peer = peers_[reference];
    peer.used = true;
    if (platform::now_ns() < peer.paused_until_ns) return Outcome::no_answer;
    if (deadline.passed()) return Outcome::not_reached;
    try {
      if (!peer.narrowed) {
        peer.object = calls_.narrow<Interface>(orb_->string_to_object(reference));
        peer.narrowed = true;
      }
      if (!peer.object) return Outcome::other_interface;
      read(peer.object);
      return Outcome::read;
    } catch (const std::exception&) {  // also what cannot be made of its answer
      peer.paused_until_ns = platform::now_ns() + kMonitorPauseNs;
      return Outcome::no_answer;
    }
  }

  /// Forgets the objects that have not been read since the last call.
  void forget_unused() {
    for (auto each = peers_.begin(); each != peers_.end();) {
      each = each->second.used ? std::next(each) : peers_.erase(each);
    }
    for (auto& [reference, peer] : peers_) peer.used = false;
  }

 private:
  struct Peer {
    Ref object;
    bool narrowed = false;
    bool used = false;
    std::int64_t paused_until_ns = 0;
  };

  IDL::traits<CORBA::ORB>::ref_type orb_;
  LimitedCalls calls_;
  std::map<std::string, Peer> peers_;
};

}  // namespace orbweaver::sca
