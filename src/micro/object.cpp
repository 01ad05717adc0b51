#include <orbweaver/object.h>

#include <cstring>

#include <orbweaver/detail/stub.h>

#include "micro/core.h"
#include "micro/reference.h"

namespace CORBA {

Object::Object(orbweaver::Reference* reference) noexcept : reference_(reference) {
  if (reference != nullptr) reference->add_ref();
}

Object::~Object() {
  if (reference_ != nullptr) reference_->release();
}

bool Object::_is_a(const std::string& repository_id) {
  if (repository_id == _interface_id() || (reference_ != nullptr && reference_->type_id() == repository_id))
    return true;
  static constexpr orbweaver::Operation kIsA{"_is_a", 5, false, nullptr, 0};
  bool result = false;
  orbweaver::twoway(
      *this, kIsA, orbweaver::cdr::bound_of(repository_id),
      [&](orbweaver::cdr::Encoder& out) { orbweaver::cdr::encode(out, repository_id); },
      [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, result); });
  return result;
}

bool Object::_non_existent() {
  static constexpr orbweaver::Operation kNonExistent{"_non_existent", 13, false, nullptr, 0};
  bool result = false;
  try {
    orbweaver::twoway(*this, kNonExistent, 0, orbweaver::NoArguments{},
                      [&](orbweaver::cdr::Decoder& in) { orbweaver::cdr::decode(in, result); });
  } catch (const OBJECT_NOT_EXIST&) {
    return true;
  }
  return result;
}

bool Object::_is_equivalent(const object_reference<Object>& other) {
  if (other.get() == this) return true;
  const orbweaver::Reference* const its = other ? other->_reference() : nullptr;
  return reference_ != nullptr && its != nullptr && reference_->profiles() == its->profiles();
}

std::uint32_t Object::_hash(std::uint32_t maximum) {
  std::uint64_t hash = 0;
  if (reference_ != nullptr) {
    for (const char c : reference_->profiles()) hash = hash * 31 + static_cast<unsigned char>(c);
  }
  return static_cast<std::uint32_t>(hash % (std::uint64_t{maximum} + 1));
}

std::string Object::_repository_id() { return reference_ == nullptr ? std::string() : reference_->type_id(); }

object_reference<ORB> Object::_get_orb() {
  return reference_ == nullptr || reference_->core().is_destroyed ? nullptr : reference_->core().orb;
}

std::uint32_t LocalObject::_hash(std::uint32_t maximum) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(this) % (std::uint64_t{maximum} + 1));
}

}  // namespace CORBA

namespace orbweaver {

bool is_ancestor(const Interface& interface, std::string_view repository_id) noexcept {
  for (std::uint32_t i = 0; i < interface.ancestor_count; ++i) {
    if (repository_id == interface.ancestors[i]) return true;
  }
  return repository_id == CORBA::Object::_interface_id();
}

bool has_interface(CORBA::Object& object, const char* repository_id) { return object._is_a(repository_id); }

bool may_be_in_block(const void*, std::size_t) noexcept { return false; }

}  // namespace orbweaver
