#pragma once

#include <memory>
#include <string>

#include <orbweaver/detail/cdr/decoder.h>

namespace orbweaver::orb {

class Core;

/// Where decoded references come from: the broker of every decoder of this ORB.
class ReferenceSource : public cdr::Broker {
 public:
  /// The ORB of the references.
  virtual std::shared_ptr<Core> core_of_references() = 0;
  /// The peer that has handed the references over, and whose connections may be used to call their objects
  /// (ListenPointClaims); empty: none.
  virtual const std::string& offering_peer() const noexcept = 0;

 protected:
  ~ReferenceSource() = default;
};

}  // namespace orbweaver::orb
