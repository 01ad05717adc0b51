#pragma once

#include <orbweaver/object.h>

#include <chrono>
#include <memory>
#include <string>

#include <orbweaver/sca/component.h>
#include <orbweaver/sca/ossie_ports.h>

namespace orbweaver::sca {

/// Limit of calls to components of OSSIE.
inline constexpr std::chrono::seconds kOssieCallLimit{OssieOutput<float>::kCallLimitSeconds};

/// Creates a connection over the ORB from an OSSIE port to `target`: one of a stream if `target` is an OSSIE
/// port of Orbweaver, otherwise one with a two-way call for each packet, which is broken if the call takes
/// longer than `call_limit`. Null if the target does not have the interface of `type`. Calls the target, to
/// learn its type.
std::shared_ptr<OutputConnection> make_ossie_connection(
    SampleType type, const std::string& connection_id, const IDL::traits<CORBA::Object>::ref_type& target,
    std::chrono::milliseconds call_limit = kOssieCallLimit);

}  // namespace orbweaver::sca
