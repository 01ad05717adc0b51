// Requests with priorities to the server program that the environment variable INTEROP_SERVER names, by
// default that of omniORB. It knows no Real-time CORBA: its reference is given a priority model, so that each
// request has a service context RTCorbaPriority, which it has to ignore.
#include <gmock/gmock.h>
#include <orbweaver/orb.h>
#include <orbweaver/rtcorba.h>

#include <cstdlib>

#include "giop/ior.h"
#include "giop/priorities.h"
#include "giop/tagged_components.h"
#include "interopC.h"
#include "server.h"

namespace interop {
namespace {

namespace giop = orbweaver::giop;
using WorkshopRef = IDL::traits<Interop::Workshop>::ref_type;

std::string server_program() {
  const char* const named = std::getenv("INTEROP_SERVER");
  return named != nullptr ? named : sibling_program("interop-omniorb-server");
}

/// The reference with the model CLIENT_PROPAGATED.
std::string with_priority_model(const std::string& reference) {
  auto ior = giop::parse_ior(reference);
  EXPECT_TRUE(ior);
  for (auto& profile : ior->profiles) {
    if (profile.tag != giop::profile_tag::kIiop) continue;
    auto iiop = giop::decode_iiop_profile(profile.data);
    EXPECT_TRUE(iiop);
    const giop::PolicyValue model{giop::policy_type::kPriorityModel,
                                  giop::encode_priority_model({true, 2000})};
    iiop->components.push_back({giop::component_tag::kPolicies, giop::encode_policies({model})});
    profile.data = giop::encode_iiop_profile(*iiop);
  }
  return giop::stringify(*ior);
}

TEST(RealTime, CallsOtherOrbsAtThePriorityOfTheThread) {
  const Server server{server_program()};
  std::vector<std::string> words{"real time", "-ORBListen", "inproc", "-ORBTransportPreference", "tcp"};
  for (const std::string& each : options_from_environment()) words.push_back(each);
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  int count = static_cast<int>(arguments.size());
  const auto orb = CORBA::ORB_init(count, arguments.data());
  const auto rt = IDL::traits<RTCORBA::RTORB>::narrow(orb->resolve_initial_references("RTORB"));
  const auto current = IDL::traits<RTCORBA::Current>::narrow(orb->resolve_initial_references("RTCurrent"));
  const auto workshop =
      IDL::traits<Interop::Workshop>::narrow(orb->string_to_object(with_priority_model(server.ior())));
  ASSERT_NE(workshop, nullptr);
  for (const RTCORBA::Priority priority : {RTCORBA::Priority{0}, RTCORBA::Priority{300}}) {
    current->the_priority(priority);
    std::int32_t remainder = 0;
    EXPECT_EQ(workshop->divide(17, 5, remainder), 3);
    EXPECT_EQ(workshop->echo_octets(Interop::Octets(100'000, 7)).size(), 100'000u);
    EXPECT_THROW(workshop->divide(1, 0, remainder), Interop::Refused);
    EXPECT_THROW(workshop->raise_bad_param(7), CORBA::BAD_PARAM);
    EXPECT_EQ(current->the_priority(), priority) << "replies have none";
  }
  current->the_priority(0);
  orb->destroy();
}

}  // namespace
}  // namespace interop
