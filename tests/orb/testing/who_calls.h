#pragma once

#include <orbweaver/peer.h>
#include <orbweaver/poa.h>

#include <optional>

#include "callsS.h"
#include "testing/broker.h"

namespace orbtest {

/// A servant that remembers who called it last. Read what it has seen after the call has returned.
class WhoCalls final : public virtual CORBA::servant_traits<OrbTest::Watcher>::base_type {
 public:
  std::int32_t twice(std::int32_t n) override {
    seen.reset();
    if (orbweaver::peer() != nullptr) seen = *orbweaver::peer();
    return 2 * n;
  }
  std::optional<orbweaver::Peer> seen;
};

/// Activates it in the root POA; its reference, as text.
inline std::string serve(Broker& broker, const CORBA::servant_reference<WhoCalls>& servant) {
  broker.root->activate_object(servant);
  return broker.orb->object_to_string(broker.root->servant_to_reference(servant));
}

}  // namespace orbtest
