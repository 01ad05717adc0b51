#pragma once

#include <orbweaver/peer.h>
#include <orbweaver/poa.h>

#include <mutex>
#include <optional>

#include "callsS.h"
#include "testing/broker.h"

namespace orbtest {

/// A servant that remembers who called it last. Any thread: that a call has returned orders nothing for a race detector
/// that cannot see through a socket or a second mapping.
class WhoCalls final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
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

/// Activates it in the root POA; its reference, as text.
inline std::string serve(Broker& broker, const CORBA::servant_reference<WhoCalls>& servant) {
  broker.root->activate_object(servant);
  return broker.orb->object_to_string(broker.root->servant_to_reference(servant));
}

}  // namespace orbtest
