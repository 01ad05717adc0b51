// References with several profiles and alternate addresses, which the client tries in their order.
#include <gmock/gmock.h>

#include <optional>

#include "giop/ior.h"
#include "giop/tagged_components.h"
#include "orb/minor_codes.h"
#include "testing/giop_builder.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

namespace giop = orbweaver::giop;
using ::testing::HasSubstr;

const Options kOverTcp{"-ORBTransportPreference", "tcp", "-ORBCallTimeout", "120000"};

/// A server whose only endpoint is a TCP address, and whose servant has a number.
struct TcpServer {
  explicit TcpServer(std::int32_t number) { servant->value(number); }

  giop::TaggedData profile() { return giop::parse_ior(reference)->profiles.at(0); }
  giop::IiopAddress address() { return {"127.0.0.1", where(reference).port}; }

  const ServantRef servant = CORBA::make_reference<Servant>();
  std::optional<TestOrb> broker{std::in_place, Options{"-ORBListen", "tcp:127.0.0.1:0"}};
  const std::string reference = broker->serve(servant);
};

/// A profile of an address where nobody listens.
giop::TaggedData unreachable(const std::vector<giop::TaggedData>& components = {}) {
  const giop::IiopProfile profile{
      giop::kGiop12, "127.0.0.1", static_cast<std::uint16_t>(std::stoi(free_port())), {1}, components};
  return {giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)};
}

std::string reference_of(const std::vector<giop::TaggedData>& profiles) {
  return giop::stringify({"IDL:OrbTest/Calls:1.0", profiles});
}

struct Profiles : ::testing::Test {
  TcpServer first{1}, second{2};
  TestOrb client{kOverTcp};
};

TEST_F(Profiles, AreTriedInTheirOrder) {
  EXPECT_EQ(client.unchecked(reference_of({first.profile(), second.profile()}))->value(), 1);
  EXPECT_EQ(client.unchecked(reference_of({second.profile(), first.profile()}))->value(), 2);
}

TEST_F(Profiles, ThatCannotBeReachedArePassedOver) {
  const CallsRef calls = client.unchecked(reference_of({unreachable(), unreachable(), second.profile()}));
  EXPECT_EQ(calls->value(), 2);
  EXPECT_EQ(calls->value(), 2);
}

TEST_F(Profiles, OfOtherProtocolsAndMalformedOnesArePassedOver) {
  const giop::TaggedData components{giop::profile_tag::kMultipleComponents, giop::encode_components({})},
      unknown{0x4f574f57, {1, 2, 3}}, malformed{giop::profile_tag::kIiop, {0, 1}};
  EXPECT_EQ(client.unchecked(reference_of({components, unknown, malformed, second.profile()}))->value(), 2);
}

TEST_F(Profiles, AreTriedAgainWhenAServerHasEnded) {
  const CallsRef calls = client.unchecked(reference_of({first.profile(), second.profile()}));
  EXPECT_EQ(calls->value(), 1);
  first.broker.reset();
  EXPECT_EQ(calls->value(), 2);
  second.broker.reset();
  EXPECT_THAT(raised_by<CORBA::TRANSIENT>([&] { calls->value(); }, orbweaver::minor::kNoUsableEndpoint),
              HasSubstr("tcp"));
}

TEST_F(Profiles, KeepTheirObjectKeys) {
  // The key of each profile leads to another servant of one server.
  const auto third = CORBA::make_reference<Servant>();
  third->value(3);
  const giop::TaggedData other = giop::parse_ior(second.broker->serve(third))->profiles.at(0);
  EXPECT_EQ(client.unchecked(reference_of({unreachable(), other, second.profile()}))->value(), 3);
}

TEST_F(Profiles, AreSentToOthersInTheirOrder) {
  const std::string text = reference_of({unreachable(), second.profile(), first.profile()});
  const CallsRef calls = client.unchecked(text);
  EXPECT_EQ(client.orb->object_to_string(calls), text);
}

TEST_F(Profiles, AreTriedAfterTheAlternateAddressesOfThoseBefore) {
  const auto alternate = [](const giop::IiopAddress& address) {
    return giop::TaggedData{giop::component_tag::kAlternateIiopAddress,
                            giop::encode_alternate_address(address)};
  };
  auto profile = giop::decode_iiop_profile(first.profile().data);
  ASSERT_TRUE(profile);
  const auto nowhere = static_cast<std::uint16_t>(std::stoi(free_port()));
  profile->port = nowhere;
  profile->components = {alternate({"127.0.0.1", nowhere}), alternate(first.address())};
  const giop::TaggedData moved{giop::profile_tag::kIiop, giop::encode_iiop_profile(*profile)};
  EXPECT_EQ(client.unchecked(reference_of({moved, second.profile()}))->value(), 1);
}

}  // namespace
}  // namespace orbtest
