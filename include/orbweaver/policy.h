#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/object.h>

/// Policies: what is asked of an ORB, of one reference, of a POA. CORBA 3.3 part 1, 8.9.
namespace CORBA {

/// One policy, of any kind. A value: it never changes.
class Policy : public LocalObject {
 public:
  virtual PolicyType policy_type() const = 0;
  /// As good as another one.
  object_reference<Policy> copy() {
    _add_ref();
    return object_reference<Policy>::adopt(this);
  }
  /// References do it.
  void destroy() noexcept {}
};

/// Why there is no such policy: PolicyError.
using PolicyErrorCode = std::int16_t;
inline constexpr PolicyErrorCode BAD_POLICY = 0;                ///< No policy has this type.
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY = 1;        ///< Not by create_policy, or not by this ORB.
inline constexpr PolicyErrorCode BAD_POLICY_TYPE = 2;           ///< The any holds something else.
inline constexpr PolicyErrorCode BAD_POLICY_VALUE = 3;
inline constexpr PolicyErrorCode UNSUPPORTED_POLICY_VALUE = 4;

/// ORB::create_policy cannot make it.
class PolicyError final : public UserException {
 public:
  explicit PolicyError(PolicyErrorCode reason = BAD_POLICY) : reason_(reason) {}
  PolicyErrorCode reason() const noexcept { return reason_; }
  const char* _name() const noexcept override { return "CORBA::PolicyError"; }
  const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/PolicyError:1.0"; }
  [[noreturn]] void _raise() const override { throw *this; }
  std::size_t _bound() const override { return 2; }
  void _encode(orbweaver::cdr::Encoder& out) const override { out.put(reason_); }

 private:
  PolicyErrorCode reason_;
};

/// A list of policies holds one that cannot be set here, is nil, or is of the kind of another: their indices.
class InvalidPolicies final : public UserException {
 public:
  explicit InvalidPolicies(std::vector<std::uint16_t> indices = {}) : indices_(std::move(indices)) {}
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

/// The policies of an ORB: resolve_initial_references("ORBPolicyManager"). They hold for calls of which neither the
/// reference nor the thread says otherwise; a TransportPreference for references made from then on, while one that
/// exists stays as it is. Thread-safe.
class PolicyManager : public LocalObject {
 public:
  /// Those of the given types that are set; all of them for an empty list.
  virtual PolicyList get_policy_overrides(const PolicyTypeSeq& types) = 0;
  /// InvalidPolicies changes nothing.
  virtual void set_policy_overrides(const PolicyList& policies, SetOverrideType how) = 0;
};

/// The policies of the calling thread: resolve_initial_references("PolicyCurrent"). They hold for its calls through
/// this ORB whose reference says nothing else, until the thread sets others, also when it serves. InvalidPolicies for
/// a TransportPreference: roads are a reference's.
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

inline constexpr CORBA::PolicyType TRANSPORT_PREFERENCE_POLICY_TYPE = 0x4f570001;

/// The roads that calls may take, best first, as -ORBTransportPreference has them; others are not tried. For
/// create_policy: an any with a sequence<string>.
class TransportPreferencePolicy : public CORBA::Policy {
 public:
  virtual const std::vector<std::string>& transports() const noexcept = 0;
};

/// For `_set_policy_overrides` of a reference, or the ORB's PolicyManager:
///
///   auto by_tcp = calls->_set_policy_overrides({orbweaver::make_transport_preference({"tcp"})},
///                                              CORBA::SetOverrideType::ADD_OVERRIDE);
///
/// BAD_PARAM where the list is empty, or a transport is not known.
CORBA::object_reference<CORBA::Policy> make_transport_preference(std::vector<std::string> transports);

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<orbweaver::TransportPreferencePolicy>
    : orbweaver::local_interface_traits<orbweaver::TransportPreferencePolicy> {};
}  // namespace IDL
