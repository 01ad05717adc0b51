#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/object.h>

/// @file
/// Policies of an ORB, a reference, a thread or a POA. CORBA 3.3 part 1, 8.9.

namespace CORBA {

/// Base of all policies. Immutable. Any thread.
class Policy : public LocalObject {
 public:
  /// The kind of the policy.
  virtual PolicyType policy_type() const = 0;
  /// Returns this policy, which is immutable.
  object_reference<Policy> copy() {
    _add_ref();
    return object_reference<Policy>::adopt(this);
  }
  /// No effect: policies are reference-counted.
  void destroy() noexcept {}
};

/// Reason of a PolicyError.
using PolicyErrorCode = std::int16_t;
inline constexpr PolicyErrorCode BAD_POLICY = 0;  ///< Unknown policy type.
/// Policy type that create_policy, or this ORB, does not support.
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY = 1;
inline constexpr PolicyErrorCode BAD_POLICY_TYPE = 2;           ///< The any contains a value of another type.
inline constexpr PolicyErrorCode BAD_POLICY_VALUE = 3;          ///< Invalid value.
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY_VALUE = 4;  ///< Not supported by this ORB.

/// Raised by ORB::create_policy.
class PolicyError final : public orbweaver::UserExceptionWithDetail {
 public:
  /// `reason`: see reason(); `detail`: message.
  explicit PolicyError(PolicyErrorCode reason = BAD_POLICY, std::string detail = {})
      : UserExceptionWithDetail(std::move(detail)), reason_(reason) {}
  /// One of the constants above.
  PolicyErrorCode reason() const noexcept { return reason_; }
  const char* _name() const noexcept override { return "CORBA::PolicyError"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/PolicyError:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 2; }
  void _encode(orbweaver::cdr::Encoder& out) const override { out.put(reason_); }

 private:
  PolicyErrorCode reason_;
};

/// Raised for a list of policies of which some cannot be set here, are nil, or are of the same kind as
/// another one.
class InvalidPolicies final : public orbweaver::UserExceptionWithDetail {
 public:
  /// `indices`: see indices(); `detail`: message.
  explicit InvalidPolicies(std::vector<std::uint16_t> indices = {}, std::string detail = {})
      : UserExceptionWithDetail(std::move(detail)), indices_(std::move(indices)) {}
  /// Indices of these policies in the list, from 0.
  const std::vector<std::uint16_t>& indices() const noexcept { return indices_; }
  const char* _name() const noexcept override { return "CORBA::InvalidPolicies"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/InvalidPolicies:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 8 + 2 * indices_.size(); }
  void _encode(orbweaver::cdr::Encoder& out) const override {
    out.put(static_cast<std::uint32_t>(indices_.size()));
    for (const std::uint16_t index : indices_) out.put(index);
  }

 private:
  std::vector<std::uint16_t> indices_;
};

/// Policies of an ORB: resolve_initial_references("ORBPolicyManager"). In effect for calls for which neither
/// the reference nor the thread has a policy of that kind; a TransportPreference takes effect for references
/// created afterwards. Thread-safe.
class PolicyManager : public LocalObject {
 public:
  /// Returns the policies of the given types that are set; all of them for an empty list.
  virtual PolicyList get_policy_overrides(const PolicyTypeSeq& types) = 0;
  /// Sets or adds policies. Raises InvalidPolicies, and then leaves them unchanged.
  virtual void set_policy_overrides(const PolicyList& policies, SetOverrideType how) = 0;
};

/// Policies of the calling thread: resolve_initial_references("PolicyCurrent"). In effect for its calls
/// through this ORB for which the reference has no policy of that kind, until the thread sets others, also in
/// upcalls. Raises InvalidPolicies for a TransportPreference, which only references and ORBs can have.
class PolicyCurrent : public PolicyManager {};

}  // namespace CORBA

namespace IDL {
template <>
struct traits<CORBA::Policy> : orbweaver::local_interface_traits<CORBA::Policy> {};
template <>
struct traits<CORBA::PolicyManager> : orbweaver::local_interface_traits<CORBA::PolicyManager> {};
template <>
struct traits<CORBA::PolicyCurrent> : orbweaver::local_interface_traits<CORBA::PolicyCurrent> {};
}  // namespace IDL

namespace orbweaver {

/// Policy type of TransportPreferencePolicy, in Orbweaver's vendor range.
inline constexpr CORBA::PolicyType TRANSPORT_PREFERENCE_POLICY_TYPE = 0x4f570001;

/// Transports that calls may use, in order of preference, as -ORBTransportPreference; others are not tried.
/// For create_policy, the any contains a sequence<string>.
class TransportPreferencePolicy : public CORBA::Policy {
 public:
  /// Names of the transports; valid as long as the policy.
  virtual const std::vector<std::string>& transports() const noexcept = 0;
};

/// Creates a TransportPreferencePolicy, for `_set_policy_overrides` of a reference or for the ORB's
/// PolicyManager:
///
///     auto by_tcp = calls->_set_policy_overrides({orbweaver::make_transport_preference({"tcp"})},
///                                                CORBA::SetOverrideType::ADD_OVERRIDE);
///
/// Any thread. Raises BAD_PARAM (0x4f57003e) if the list is empty or has an unknown transport.
CORBA::object_reference<CORBA::Policy> make_transport_preference(std::vector<std::string> transports);

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<orbweaver::TransportPreferencePolicy>
    : orbweaver::local_interface_traits<orbweaver::TransportPreferencePolicy> {};
}  // namespace IDL
