#include "server.h"

#include <string>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/orbweaver/setup.h"
#include "scaleS.h"

namespace orbweaver::bench {
namespace {

using PoaRef = IDL::traits<PortableServer::POA>::ref_type;

class Item final : public virtual CORBA::servant_traits<Scale::Item>::base_type {
 public:
  explicit Item(std::uint32_t number) : number_(number) {}
  std::uint32_t number() override { return number_; }

 private:
  const std::uint32_t number_;
};

class Server final : public virtual CORBA::servant_traits<Scale::Server>::base_type {
 public:
  explicit Server(PoaRef poa) : poa_(std::move(poa)) {}

  void nothing() override {}
  double activate(std::uint32_t count) override {
    items_.reserve(count);
    const std::int64_t begin_ns = steady_ns();
    for (std::uint32_t i = 0; i < count; ++i)
      items_.push_back(poa_->activate_object(CORBA::make_reference<Item>(i)));
    return static_cast<double>(steady_ns() - begin_ns) / 1e3;
  }
  Scale::Items some_items(std::uint32_t first, std::uint32_t count) override {
    Scale::Items found;
    for (std::uint32_t i = first; i - first < count; ++i)
      found.push_back(IDL::traits<Scale::Item>::narrow(poa_->id_to_reference(items_.at(i))));
    return found;
  }

 private:
  const PoaRef poa_;
  std::vector<PortableServer::ObjectId> items_;
};

/// Options of docs/options.md for more connections than a server accepts by default, and callers of this host
/// only.
std::vector<std::string> options_of(const ScaleSettings& settings) {
  std::vector<std::string> options{"-ORBWait", "block", "-ORBThreads", settings.threads};
  if (settings.part != ScalePart::clients) return options;
  const std::string most = std::to_string(2 * connections_for(settings));
  for (const std::string& option :
       {std::string("-ORBListen"), std::string("tcp:0.0.0.0:0"), std::string("-ORBPublishHost"),
        std::string("127.0.0.1"), std::string("-ORBAllow"), std::string("net:127.0.0.0/8"),
        std::string("-ORBTune"), "max-connections=" + most + ",max-connections-per-peer=" + most})
    options.push_back(option);
  return options;
}

}  // namespace

void serve_scale(const ScaleServer& side) {
  const OrbRef orb = orb_over("tcp", options_of(side.settings));
  const PoaRef root = active_root_poa(orb);
  const auto by_key =
      IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("CorbalocPOA"));
  const PortableServer::ObjectId id = PortableServer::string_to_ObjectId(kScaleKey);
  by_key->activate_object_with_id(id, CORBA::make_reference<Server>(root));
  (void)orb->object_to_string(by_key->id_to_reference(id));  // the ORB listens from its first reference on
  side.ready();
  orb->run();
}

}  // namespace orbweaver::bench
