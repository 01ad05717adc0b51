#pragma once

#include <orbweaver/object.h>

#include <chrono>

namespace orbweaver::sca {

/// Limit of the question whether an object is an input of some type.
inline constexpr std::chrono::seconds kNarrowLimit{5};

/// A reference to the same object whose calls take at most `limit`, then CORBA::TIMEOUT is raised.
IDL::traits<CORBA::Object>::ref_type with_call_limit(const IDL::traits<CORBA::Object>::ref_type& object,
                                                     std::chrono::milliseconds limit);

/// Narrows a reference of an ORB that has no limit of calls, and raises CORBA::TIMEOUT if the object, which
/// may be asked for its type, does not answer within `limit`. Calls of the result have no limit.
template <class Stub>
typename IDL::traits<Stub>::ref_type narrow_within(const IDL::traits<CORBA::Object>::ref_type& object,
                                                   std::chrono::milliseconds limit) {
  if (!object || object->_reference() == nullptr) return IDL::traits<Stub>::narrow(object);
  if (!IDL::traits<Stub>::narrow(with_call_limit(object, limit))) return nullptr;
  // The object is not asked again: it might not answer any more.
  return IDL::traits<Stub>::ref_type::adopt(Stub::_make(object->_reference()));
}

}  // namespace orbweaver::sca
