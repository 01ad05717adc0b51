#include <orbweaver/detail/stub.h>
#include <orbweaver/object.h>
#include <orbweaver/poa.h>

#include <algorithm>
#include <functional>

#include "orb/client/client_call.h"
#include "orb/client/locate_object.h"
#include "orb/core.h"
#include "orb/minor_codes.h"
#include "orb/server/upcall_scope.h"
#include "orb/system_exceptions.h"

namespace orbweaver {
namespace {

constexpr Operation operation(const char* name, std::uint32_t bytes) {
  return {name, bytes, false, nullptr, 0};
}
constexpr Operation kIsA = operation("_is_a", 5);
constexpr Operation kNonExistent = operation("_non_existent", 13);
constexpr Operation kComponent = operation("_component", 10);
constexpr Operation kInterface = operation("_interface", 10);

constexpr const char* kObjectId = "IDL:omg.org/CORBA/Object:1.0";

struct ServantUnpin {
  orb::ObjectFinder& finder;
  orb::ServantPin& pin;
  ~ServantUnpin() { finder.leave(pin); }
};

/// Calls `ask(servant)` if the object is collocated; no endpoint is used. Returns false if it is not, or if
/// the request is to be made over a connection.
template <class Ask>
bool ask_collocated(Reference& reference, Ask&& ask, bool& answer) {
  orb::ObjectFinder* finder = reference.core().finder();
  if (!reference.calls_directly() || reference.is_forwarded() || finder == nullptr) return false;
  orb::ServantPin pin;
  orb::LookupStatus found;
  try {
    found = finder->enter(reference.object_key(), pin);
  } catch (const PortableServer::ForwardRequest&) {  // of a servant activator: the request follows it
    return false;
  }
  if (found == orb::LookupStatus::remote) return false;
  if (found != orb::LookupStatus::found) orb::raise_lookup_failure(found);
  const ServantUnpin leave{*finder, pin};
  const orb::PinScope current(pin);
  answer = ask(pin.servant());
  return true;
}

/// Creates another reference to the same object.
CORBA::object_reference<CORBA::Object> make_reference_like(const Reference& of,
                                                           Reference::ConnectionSharing connections,
                                                           orb::ClientPolicies policies) {
  auto* reference =
      new Reference(of.shared_core(), of.ior(), connections, std::move(policies), of.offering_peer());
  auto result = CORBA::object_reference<CORBA::Object>::adopt(CORBA::Object::_make(reference));
  reference->_remove_ref();
  return result;
}

}  // namespace

bool is_ancestor(const Interface& interface, std::string_view repository_id) noexcept {
  for (std::uint32_t i = 0; i < interface.ancestor_count; ++i) {
    if (repository_id == interface.ancestors[i]) return true;
  }
  return repository_id == kObjectId;
}

bool has_interface(CORBA::Object& object, const char* repository_id) {
  // The type in the reference needs no request; for any other the object is asked.
  if (object._repository_id() == repository_id) return true;
  return object._is_a(repository_id);
}

CORBA::object_reference<CORBA::Object> with_private_connection(
    const CORBA::object_reference<CORBA::Object>& object) {
  if (!object || object->_reference() == nullptr) return object;
  const Reference& shared = *object->_reference();
  return make_reference_like(shared, Reference::ConnectionSharing::not_shared, shared.policies());
}

}  // namespace orbweaver

namespace CORBA {

using orbweaver::Reference;

Object::Object(Reference* reference) noexcept : reference_(reference) {
  if (reference_) reference_->_add_ref();
}

Object::~Object() {
  if (reference_) reference_->_remove_ref();
}

bool Object::_is_a(const std::string& repository_id) {
  if (repository_id == orbweaver::kObjectId) return true;
  if (reference_ == nullptr) return false;
  bool answer = false;
  if (orbweaver::ask_collocated(
          *reference_, [&](auto& servant) { return servant._is_a(repository_id); }, answer)) {
    return answer;
  }
  orbweaver::twoway(
      *this, orbweaver::kIsA, orbweaver::cdr::bound_of(repository_id),
      [&](orbweaver::cdr::Encoder& out) { orbweaver::cdr::encode(out, repository_id); },
      [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, answer); });
  return answer;
}

bool Object::_non_existent() {
  if (reference_ == nullptr) return false;
  bool answer = false;
  try {
    if (orbweaver::ask_collocated(
            *reference_, [](auto& servant) { return servant._non_existent(); }, answer))
      return answer;
    orbweaver::twoway(
        *this, orbweaver::kNonExistent, 0, [](orbweaver::cdr::Encoder&) {},
        [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, answer); });
  } catch (const OBJECT_NOT_EXIST&) {
    return true;
  }
  return answer;
}

bool Object::_is_equivalent(const object_reference<Object>& other) {
  if (!other) return false;
  if (other.get() == this) return true;
  const Reference* theirs = other->_reference();
  if (reference_ == nullptr || theirs == nullptr) return false;
  if (reference_ == theirs || reference_->ior().profiles == theirs->ior().profiles) return true;
  // The same key at the same address denotes the same object, whatever the rest of the profiles.
  const auto& a = reference_->endpoints();
  const auto& b = theirs->endpoints();
  return std::any_of(a.begin(), a.end(), [&](const auto& left) {
    return std::any_of(b.begin(), b.end(), [&](const auto& right) {
      return left.transport == right.transport && left.address == right.address &&
             left.object_key == right.object_key;
    });
  });
}

std::uint32_t Object::_hash(std::uint32_t maximum) {
  if (reference_ == nullptr) return 0;
  const auto key = reference_->object_key();
  const std::size_t h =
      std::hash<std::string_view>()({reinterpret_cast<const char*>(key.data()), key.size()});
  return maximum == 0xffffffffu ? static_cast<std::uint32_t>(h)
                                : static_cast<std::uint32_t>(h % (std::size_t{maximum} + 1));
}

object_reference<Object> Object::_set_policy_overrides(const PolicyList& policies, SetOverrideType how) {
  if (reference_ == nullptr) {
    throw NO_IMPLEMENT(orbweaver::minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                       "a local object has no policies");
  }
  return orbweaver::make_reference_like(*reference_, reference_->connections(),
                                        reference_->policies().with(policies, how));
}

PolicyList Object::_get_policy_overrides(const PolicyTypeSeq& types) {
  return reference_ == nullptr ? PolicyList() : reference_->policies().list(types);
}

object_reference<Policy> Object::_get_policy(PolicyType type) { return _get_client_policy(type); }

object_reference<Policy> Object::_get_client_policy(PolicyType type) {
  if (reference_ == nullptr) {
    throw NO_IMPLEMENT(orbweaver::minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                       "a local object has no policies");
  }
  orbweaver::orb::Core& core = reference_->core();
  auto policy = reference_->policies().find(type);
  if (!policy) policy = core.policy_current()->policies().find(type);
  if (!policy) policy = core.policy_manager()->policies().find(type);
  if (orbweaver::orb::RealTime* const real_time = core.real_time(); real_time != nullptr && !policy)
    policy = real_time->published_policy(*reference_, type);
  return policy ? policy : orbweaver::orb::default_client_policy(type, core.options());
}

object_reference<Object> Object::_get_component() {
  object_reference<Object> component;
  bool unused = false;
  if (reference_ == nullptr || orbweaver::ask_collocated(
                                   *reference_, [](auto&) { return true; }, unused))
    return component;
  try {
    orbweaver::twoway(
        *this, orbweaver::kComponent, 0, [](orbweaver::cdr::Encoder&) {},
        [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, component); });
  } catch (const BAD_OPERATION&) {  // a server without components
  } catch (const NO_IMPLEMENT&) {
  }
  return component;
}

object_reference<Object> Object::_get_interface() {
  if (reference_ == nullptr) {
    throw NO_IMPLEMENT(orbweaver::minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                       "a local object is not in an interface repository");
  }
  bool unused = false;
  if (orbweaver::ask_collocated(
          *reference_, [](auto&) { return true; }, unused))
    orbweaver::orb::raise_no_repository();
  object_reference<Object> interface;
  orbweaver::twoway(
      *this, orbweaver::kInterface, 0, [](orbweaver::cdr::Encoder&) {},
      [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, interface); });
  return interface;
}

bool Object::_validate_connection(PolicyList& inconsistent_policies) {
  if (reference_ == nullptr) {
    throw NO_IMPLEMENT(orbweaver::minor::kLocalObject, CompletionStatus::COMPLETED_NO,
                       "a local object has no connection");
  }
  inconsistent_policies.clear();
  reference_->follow_kept_forward();
  bool unused = false;
  if (!orbweaver::ask_collocated(
          *reference_, [](auto&) { return true; }, unused)) {
    if (orbweaver::orb::RealTime* const real_time = reference_->core().real_time())
      real_time->reconnect(*reference_);
    orbweaver::orb::locate(orbweaver::orb::reference_of_call(*reference_));
  }
  return true;
}

std::string Object::_repository_id() { return reference_ ? reference_->ior().type_id : std::string(); }

std::uint32_t LocalObject::_hash(std::uint32_t maximum) {
  const std::size_t h = std::hash<const void*>()(this);
  return maximum == 0xffffffffu ? static_cast<std::uint32_t>(h)
                                : static_cast<std::uint32_t>(h % (std::size_t{maximum} + 1));
}

}  // namespace CORBA
