#include "poa/poa_current_impl.h"

#include "orb/server/upcall_scope.h"
#include "poa/poa_impl.h"
#include "poa/repository_id.h"
#include "poa/unmapped_request.h"

namespace orbweaver::poa {
namespace {

/// The object of the operation that the calling thread executes.
orb::CurrentObject this_object() {
  const orb::CurrentObject object = orb::current_object();
  if (object.slot != nullptr) return object;
  throw PortableServer::Current::NoContext("this thread executes no operation of an object");
}

PoaImpl& poa_of(const orb::CurrentObject& object) noexcept {
  return *static_cast<const ObjectSlot*>(object.slot)->poa;
}

const PortableServer::ObjectId& id_of(const orb::CurrentObject& object) noexcept {
  return object.unmapped == nullptr ? static_cast<const ObjectSlot*>(object.slot)->id
                                    : static_cast<const UnmappedRequest*>(object.unmapped)->id;
}

class CurrentImpl final : public PortableServer::Current {
 public:
  CORBA::object_reference<PortableServer::POA> get_POA() override {
    PoaImpl& poa = poa_of(this_object());
    poa._add_ref();
    return CORBA::object_reference<PortableServer::POA>::adopt(&poa);
  }
  PortableServer::ObjectId get_object_id() override { return id_of(this_object()); }
  CORBA::object_reference<CORBA::Object> get_reference() override { return reference_of(this_object()); }
  CORBA::servant_reference<PortableServer::Servant> get_servant() override {
    PortableServer::Servant* const servant = servant_of(this_object());
    servant->_add_ref();
    return CORBA::servant_reference<PortableServer::Servant>::adopt(servant);
  }
};

}  // namespace

PortableServer::Servant* servant_of(const orb::CurrentObject& object) noexcept {
  return object.unmapped == nullptr ? object.slot->servant : object.unmapped->servant;
}

CORBA::object_reference<CORBA::Object> reference_of(const orb::CurrentObject& object) {
  return poa_of(object).reference_of(id_of(object), *servant_of(object));
}

std::string repository_id_of(const orb::CurrentObject& object) {
  return repository_id_of(*servant_of(object), id_of(object), poa_of(object));
}

CORBA::object_reference<PortableServer::Current> make_poa_current() {
  return CORBA::make_reference<CurrentImpl>();
}

}  // namespace orbweaver::poa
