#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <orbweaver/object.h>

/// Policies: what is asked of an ORB, of one reference, of a POA. CORBA 3.3 part 1, 8.9.
namespace CORBA {

/// One policy, of any kind.
class Policy : public LocalObject {
 public:
  virtual PolicyType policy_type() const = 0;
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

/// The policies of an ORB: resolve_initial_references("ORBPolicyManager"). They hold for references made from then
/// on that have no policy of that kind of their own; a reference that exists stays as it is. Thread-safe.
class PolicyManager : public LocalObject {
 public:
  /// Those of the given types that are set; all of them for an empty list.
  virtual PolicyList get_policy_overrides(const PolicyTypeSeq& types) = 0;
  /// InvalidPolicies changes nothing.
  virtual void set_policy_overrides(const PolicyList& policies, SetOverrideType how) = 0;
};

}  // namespace CORBA

namespace IDL {
template <>
struct traits<CORBA::Policy> : orbweaver::local_interface_traits<CORBA::Policy> {};
template <>
struct traits<CORBA::PolicyManager> : orbweaver::local_interface_traits<CORBA::PolicyManager> {};
}  // namespace IDL

namespace orbweaver {

inline constexpr CORBA::PolicyType TRANSPORT_PREFERENCE_POLICY_TYPE = 0x4f570001;

/// The roads that calls may take, best first, as -ORBTransportPreference has them; others are not tried.
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
