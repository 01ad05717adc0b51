// Factories of value types, and references to abstract interfaces of which nothing is known.
#include <orbweaver/abstract_interface.h>
#include <orbweaver/orb.h>
#include <orbweaver/typecode.h>

namespace orbweaver {
namespace {

class AbstractObject final : public virtual CORBA::AbstractBase, public virtual CORBA::Object {
 public:
  explicit AbstractObject(Reference* reference) : CORBA::Object(reference) {}
};

}  // namespace

}  // namespace orbweaver

namespace CORBA {

AbstractBase* AbstractBase::_make(orbweaver::Reference* reference) {
  return new orbweaver::AbstractObject(reference);
}

object_reference<ValueFactoryBase> ORB::register_value_factory(
    const std::string& id, const object_reference<ValueFactoryBase>& factory) {
  return orbweaver::register_value_factory(id, factory);
}
void ORB::unregister_value_factory(const std::string& id) { orbweaver::unregister_value_factory(id); }
object_reference<ValueFactoryBase> ORB::lookup_value_factory(const std::string& id) {
  return orbweaver::lookup_value_factory(id);
}

}  // namespace CORBA
