#pragma once

#include <cstdint>

#include <orbweaver/policy.h>

/// @file
/// The policy of bidirectional GIOP (CORBA 3.3 part 2, 9.9): whether objects are called over connections that
/// their own process has opened. docs/bidirectional.md describes its use. `ORB::create_policy` creates it
/// from a value in an any:
///
///     CORBA::Any both;
///     both <<= BiDirPolicy::BOTH;
///     auto policy = orb->create_policy(BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE, both);

/// The module BiDirPolicy (CORBA 3.3 part 2, 9.9).
namespace BiDirPolicy {

/// Whether both ends of a connection may send requests.
using BidirectionalPolicyValue = std::uint16_t;
/// NORMAL, the default: only the end that has opened the connection.
inline constexpr BidirectionalPolicyValue NORMAL = 0;
/// BOTH: either end.
inline constexpr BidirectionalPolicyValue BOTH = 1;

/// Policy type of BidirectionalPolicy; its value in an any is a BidirectionalPolicyValue.
inline constexpr CORBA::PolicyType BIDIRECTIONAL_POLICY_TYPE = 37;

/// With BOTH: of a POA, its objects may be called over connections that this process has opened; of a
/// reference, its connection is offered to the server for such calls; of an ORB, the connections of its
/// references are, and those that it accepts may be used in the same way. Any thread.
class BidirectionalPolicy : public CORBA::Policy {
 public:
  /// NORMAL or BOTH.
  virtual BidirectionalPolicyValue value() const noexcept = 0;
};

}  // namespace BiDirPolicy

namespace IDL {
template <>
struct traits<BiDirPolicy::BidirectionalPolicy>
    : orbweaver::local_interface_traits<BiDirPolicy::BidirectionalPolicy> {};
}  // namespace IDL
