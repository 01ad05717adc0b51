// A resource factory with a class of its own, which it selects by the qualifier `subtype`; fails on demand,
// by the exec param `trouble`.
#include <cstdio>
#include <cstdlib>

#include "CFS.h"
#include "platform/shared_library.h"
#include "sca/runtime/component_host.h"
#include "sca/runtime/component_servant.h"
#include "sca/runtime/property_any.h"

namespace {

using namespace orbweaver::sca;

class ForeignFactory final : public virtual CORBA::servant_traits<CF::ResourceFactory>::base_type {
 public:
  ForeignFactory(ComponentHost& host, std::string trouble) : host_(host), trouble_(std::move(trouble)) {}

  std::string identifier() override { return "foreign"; }

  IDL::traits<CF::Resource>::ref_type createResource(const std::string& id,
                                                     const CF::Properties& qualifiers) override {
    if (trouble_ == "failure")
      throw CF::ResourceFactory::CreateResourceFailure(CF::ErrorNumberType::CF_ENOSPC, "no channel is free");
    if (trouble_ == "nil") return nullptr;
    if (trouble_ == "exit") std::_Exit(7);
    if (trouble_ == "system") throw CORBA::NO_RESOURCES();
    if (qualifiers.size() != 1 || qualifiers[0].id() != "subtype" ||
        text_of(qualifiers[0].value()) != "sink") {
      throw CF::ResourceFactory::CreateResourceFailure(
          CF::ErrorNumberType::CF_EINVAL, "there is no such class: " + std::to_string(qualifiers.size()));
    }
    orbweaver::platform::SharedLibrary library;
    if (const std::string error = library.load(ORBWEAVER_RUN_TEST_SINK); !error.empty())
      throw CF::ResourceFactory::CreateResourceFailure(CF::ErrorNumberType::CF_ENOENT, error);
    Context context = Context::with({{"COMPONENT_IDENTIFIER", id}});
    Component& component =
        host_.make(reinterpret_cast<MakeComponent>(library.find("orbweaver_make_component")), context);
    servant_ = CORBA::make_reference<ComponentServant>(component, host_.poa(), [] {});
    return IDL::traits<CF::Resource>::narrow(servant_->activate());
  }

  void releaseResource(const std::string&) override {
    if (trouble_ == "unknown") throw CF::ResourceFactory::InvalidResourceId();
    servant_->releaseObject();
  }

  void shutdown() override {
    host_.end();
    if (trouble_ == "stay") throw CF::ResourceFactory::ShutdownFailure("the lock is held");
  }

 private:
  ComponentHost& host_;
  const std::string trouble_;
  CORBA::servant_reference<ComponentServant> servant_;
};

}  // namespace

int main(int argc, char** argv) {
  ComponentHost host(argc, argv);
  Context context = Context::from_arguments({argv + 1, argv + argc});
  const std::string* const trouble = context.find("trouble");
  const auto factory =
      CORBA::make_reference<ForeignFactory>(host, trouble != nullptr ? *trouble : std::string());
  host.bind(context, host.poa()->id_to_reference(host.poa()->activate_object(factory)));
  host.serve();
}
