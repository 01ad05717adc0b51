#include "omniorb_workshop.h"

#include "omniorb_types.h"

namespace interop {
namespace {

template <class T>
bool remade(const CORBA::Any& data, CORBA::Any& result) {
  const T* value = nullptr;
  if (!(data >>= value)) return false;
  result <<= *value;
  return true;
}

}  // namespace

namespace {

/// Forwards requests to another workshop.
class MovedWorkshop final : public OmniOrbWorkshop {
 public:
  explicit MovedWorkshop(Interop::Workshop_ptr to) : OmniOrbWorkshop("moved"), to_(to) {}
  char* name() override { throw omniORB::LOCATION_FORWARD(target()); }
  Interop::Octets* echo_octets(const Interop::Octets&) override {
    throw omniORB::LOCATION_FORWARD(target(), true);  // permanent
  }
  CORBA::Long divide(CORBA::Long, CORBA::Long, CORBA::Long&) override {
    throw omniORB::LOCATION_FORWARD(target());
  }

 private:
  CORBA::Object_ptr target() const { return CORBA::Object::_duplicate(to_.in()); }
  const Interop::Workshop_var to_;  // takes over the reference
};

}  // namespace

Interop::Workshop_ptr OmniOrbWorkshop::moved() {
  PortableServer::Servant_var<OmniOrbWorkshop> servant = new MovedWorkshop(itself());
  return servant->_this();
}

CORBA::Any* OmniOrbWorkshop::remake(const CORBA::Any& data) {
  CORBA::Any_var result = new CORBA::Any;
  const CORBA::Any* inner = nullptr;
  if (data >>= inner) {
    const CORBA::Any_var within = remake(*inner);
    result.inout() <<= within.in();
    return result._retn();
  }
  Interop::Colour colour{};
  if (data >>= colour) {
    result.inout() <<= colour;
    return result._retn();
  }
  const bool known = remade<Interop::Record>(data, result) || remade<Interop::Tree>(data, result) ||
                     remade<Interop::Forest>(data, result) || remade<Interop::Shape>(data, result) ||
                     remade<Interop::Names>(data, result) || remade<Interop::Track>(data, result);
  if (!known) result = new CORBA::Any(data);
  return result._retn();
}

CORBA::Long OmniOrbWorkshop::divide(CORBA::Long dividend, CORBA::Long divisor, CORBA::Long& remainder) {
  if (divisor == 0) {
    Interop::Doubles evidence;
    evidence.length(1);
    evidence[0] = dividend;
    throw Interop::Refused("division by zero", dividend, evidence);
  }
  remainder = dividend % divisor;
  return dividend / divisor;
}

void OmniOrbWorkshop::exchange(char*& left, char*& right, CORBA::String_out together) {
  together = CORBA::string_dup((std::string(left) + right).c_str());
  std::swap(left, right);
}

Interop::Track* OmniOrbWorkshop::mirror(const Interop::Track& data, CORBA::ULong& points) {
  Interop::Track_var mirrored = new Interop::Track(data);
  for (CORBA::ULong i = 0; i < mirrored->length(); ++i) std::swap(mirrored[i].x, mirrored[i].y);
  points += mirrored->length();
  return mirrored._retn();
}

void OmniOrbWorkshop::refuse(const char* reason, CORBA::Long code) {
  throw Interop::Refused(reason, code, Interop::Doubles());
}

Interop::Workshop_ptr OmniOrbWorkshop::open_branch(const char* name) {
  PortableServer::Servant_var<OmniOrbWorkshop> branch = new OmniOrbWorkshop(name);
  return branch->_this();
}

void OmniOrbWorkshop::note(const char* text) {
  const std::lock_guard lock(mutex_);
  notes_.emplace_back(text);
}

Interop::Names* OmniOrbWorkshop::notes() {
  const std::lock_guard lock(mutex_);
  Interop::Names_var names = new Interop::Names;
  names->length(static_cast<CORBA::ULong>(notes_.size()));
  for (CORBA::ULong i = 0; i < names->length(); ++i) names[i] = notes_[i].c_str();
  return names._retn();
}

CORBA::Object_ptr OmniOrbWorkshop::types() {
  PortableServer::Servant_var<OmniOrbTypes> servant = new OmniOrbTypes;
  return servant->_this();
}

}  // namespace interop
