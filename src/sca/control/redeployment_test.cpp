#include "sca/control/redeployment.h"

#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>
#include <orbweaver/result.h>

#include "CFS.h"

namespace orbweaver::sca {
namespace {

/// An application of a domain manager that is not Orbweaver's.
class OtherApplication final : public virtual CORBA::servant_traits<CF::Application>::base_type {
 public:
  CF::Application::ComponentElementSequence componentNamingContexts() override { return {}; }
  CF::Application::ComponentProcessIdSequence componentProcessIds() override { return {}; }
  CF::DeviceAssignmentSequence componentDevices() override { return {}; }
  CF::Application::ComponentElementSequence componentImplementations() override { return {}; }
  std::string profile() override { return {}; }
  std::string name() override { return "rx"; }
  std::string identifier() override { return "DCE:1"; }
  void initialize() override {}
  void releaseObject() override {}
  void start() override {}
  void stop() override {}
  void runTest(std::uint32_t, CF::Properties&) override {}
  void configure(const CF::Properties&) override {}
  void query(CF::Properties&) override {}
  IDL::traits<CORBA::Object>::ref_type getPort(const std::string&) override { return nullptr; }
};

TEST(Redeployment, OfACreatedApplicationThatCannotBeSetSaysThatItExists) {
  static char program[] = "test";
  static char* argv[] = {program, nullptr};
  int argc = 1;
  const auto orb = CORBA::ORB_init(argc, argv, "redeployment test");
  const auto poa = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  poa->the_POAManager()->activate();
  const auto application = IDL::traits<CF::Application>::narrow(
      poa->id_to_reference(poa->activate_object(CORBA::make_reference<OtherApplication>())));
  std::string message;
  try {
    set_redeploy_of_created(application, "rx", "DCE:1");
  } catch (const Error& error) {
    message = error.message;
  }
  EXPECT_EQ(message.find("application 'rx' (DCE:1) is created, and is not created again"), 0u) << message;
  orb->destroy();
}

}  // namespace
}  // namespace orbweaver::sca
