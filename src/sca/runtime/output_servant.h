#pragma once

#include <cstdint>
#include <string>

#include <orbweaver/sca/component.h>
#include "FrameworkS.h"

namespace orbweaver::sca {

/// Servant of an output port: connects and disconnects it. The port outlives it.
class OutputServant final : public virtual CORBA::servant_traits<::orbweaver::framework::Output>::base_type {
 public:
  explicit OutputServant(OutputPort& port) : port_(port) {}

  void connectPort(IDL::traits<CORBA::Object>::ref_type connection, const std::string& connectionId) override;
  void disconnectPort(const std::string& connectionId) override;
  ::orbweaver::framework::ConnectionStatisticsList connections() override;
  std::uint64_t dropped() override { return port_.dropped(); }
  std::uint64_t copied_bytes() override { return port_.copied_bytes(); }

 private:
  OutputPort& port_;
};

}  // namespace orbweaver::sca
