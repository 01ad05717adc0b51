#include "omniorb_workshop.h"

namespace interop {
namespace {

template <class T>
bool remade(const CORBA::Any& data, CORBA::Any& made) {
  const T* value = nullptr;
  if (!(data >>= value)) return false;
  made <<= *value;
  return true;
}

}  // namespace

CORBA::Any* OmniWorkshop::remake(const CORBA::Any& data) {
  CORBA::Any_var made = new CORBA::Any;
  const CORBA::Any* inner = nullptr;
  if (data >>= inner) {
    const CORBA::Any_var within = remake(*inner);
    made.inout() <<= within.in();
    return made._retn();
  }
  Interop::Colour colour{};
  if (data >>= colour) {
    made.inout() <<= colour;
    return made._retn();
  }
  const bool known = remade<Interop::Record>(data, made) || remade<Interop::Tree>(data, made) ||
                     remade<Interop::Forest>(data, made) || remade<Interop::Shape>(data, made) ||
                     remade<Interop::Names>(data, made) || remade<Interop::Track>(data, made);
  if (!known) made = new CORBA::Any(data);
  return made._retn();
}

CORBA::Long OmniWorkshop::divide(CORBA::Long dividend, CORBA::Long divisor, CORBA::Long& remainder) {
  if (divisor == 0) {
    Interop::Doubles evidence;
    evidence.length(1);
    evidence[0] = dividend;
    throw Interop::Refused("division by zero", dividend, evidence);
  }
  remainder = dividend % divisor;
  return dividend / divisor;
}

void OmniWorkshop::exchange(char*& left, char*& right, CORBA::String_out together) {
  together = CORBA::string_dup((std::string(left) + right).c_str());
  std::swap(left, right);
}

Interop::Track* OmniWorkshop::mirror(const Interop::Track& data, CORBA::ULong& points) {
  Interop::Track_var mirrored = new Interop::Track(data);
  for (CORBA::ULong i = 0; i < mirrored->length(); ++i) std::swap(mirrored[i].x, mirrored[i].y);
  points += mirrored->length();
  return mirrored._retn();
}

void OmniWorkshop::refuse(const char* reason, CORBA::Long code) {
  throw Interop::Refused(reason, code, Interop::Doubles());
}

Interop::Workshop_ptr OmniWorkshop::open_branch(const char* name) {
  PortableServer::Servant_var<OmniWorkshop> branch = new OmniWorkshop(name);
  return branch->_this();
}

void OmniWorkshop::note(const char* text) {
  const std::lock_guard lock(mutex_);
  notes_.emplace_back(text);
}

Interop::Names* OmniWorkshop::notes() {
  const std::lock_guard lock(mutex_);
  Interop::Names_var names = new Interop::Names;
  names->length(static_cast<CORBA::ULong>(notes_.size()));
  for (CORBA::ULong i = 0; i < names->length(); ++i) names[i] = notes_[i].c_str();
  return names._retn();
}

}  // namespace interop
