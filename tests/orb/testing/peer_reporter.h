#pragma once

#include <orbweaver/peer.h>
#include <orbweaver/poa.h>

#include <mutex>
#include <optional>

#include "callsS.h"
#include "testing/test_orb.h"

namespace orbtest {

/// A servant that records the peer of its last call. Thread-safe: a race detector does not see that a reply
/// over a socket or a second mapping orders the upcall before the return of the call.
class PeerReporter final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    const std::lock_guard lock(mutex_);
    seen_.reset();
    if (orbweaver::peer() != nullptr) seen_ = *orbweaver::peer();
    return 2 * n;
  }
  std::optional<orbweaver::Peer> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<orbweaver::Peer> seen_;
};

/// Activates the servant in the root POA. Returns its stringified reference.
inline std::string serve(TestOrb& broker, const CORBA::servant_reference<PeerReporter>& servant) {
  broker.root->activate_object(servant);
  return broker.orb->object_to_string(broker.root->servant_to_reference(servant));
}

}  // namespace orbtest
