#include "server.h"

#include <string>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/omniorb/setup.h"
#include "scale.hh"

namespace orbweaver::bench {
namespace {

class Item final : public POA_Scale::Item {
 public:
  explicit Item(CORBA::ULong number) : number_(number) {}
  CORBA::ULong number() override { return number_; }

 private:
  const CORBA::ULong number_;
};

class Server final : public POA_Scale::Server {
 public:
  explicit Server(PortableServer::POA_ptr poa) : poa_(PortableServer::POA::_duplicate(poa)) {}

  void nothing() override {}
  CORBA::Double activate(CORBA::ULong count) override {
    items_.reserve(count);
    const std::int64_t begin_ns = steady_ns();
    for (CORBA::ULong i = 0; i < count; ++i) {
      const PortableServer::Servant_var<Item> item = new Item(i);
      items_.emplace_back(poa_->activate_object(item));
    }
    return static_cast<double>(steady_ns() - begin_ns) / 1e3;
  }
  Scale::Items* some_items(CORBA::ULong first, CORBA::ULong count) override {
    Scale::Items_var found = new Scale::Items;
    found->length(count);
    for (CORBA::ULong i = 0; i < count; ++i) {
      const CORBA::Object_var object = poa_->id_to_reference(items_.at(first + i));
      found[i] = Scale::Item::_narrow(object);
    }
    return found._retn();
  }

 private:
  const PortableServer::POA_var poa_;
  std::vector<PortableServer::ObjectId_var> items_;
};

/// Where the server listens; callers of this host only.
std::vector<std::string> options_of(const ScaleSettings& settings) {
  const bool all_addresses = settings.part == ScalePart::clients;
  return {"-ORBserverTransportRule", "127.0.0.0/255.0.0.0 tcp", "-ORBendPoint",
          all_addresses ? "giop:tcp:0.0.0.0:" : "giop:tcp:127.0.0.1:"};
}

}  // namespace

void serve_scale(const ScaleServer& side) {
  const CORBA::ORB_var orb =
      tuned_orb("tcp", options_of(side.settings), pool_size(side.settings.threads).value_or(0));
  const CORBA::Object_var root = orb->resolve_initial_references("RootPOA");
  const PortableServer::POA_var poa = PortableServer::POA::_narrow(root);
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  const CORBA::Object_var by_key = orb->resolve_initial_references("omniINSPOA");
  const PortableServer::POA_var keys = PortableServer::POA::_narrow(by_key);
  const PortableServer::POAManager_var manager_of_keys = keys->the_POAManager();
  manager_of_keys->activate();
  const PortableServer::ObjectId_var id = PortableServer::string_to_ObjectId(kScaleKey);
  Server server(poa);
  keys->activate_object_with_id(id, &server);
  side.ready();
  orb->run();
}

}  // namespace orbweaver::bench
