#include "sca/deployment/profile_reference.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sca/deployment/testing/fake_domain.h"

namespace orbweaver::sca {
namespace {

using testing::FakeDomain;

struct ProfileReference : ::testing::Test {
  IDL::traits<CORBA::Object>::ref_type object(const std::string& reference) {
    return object_in_profile(domain.orb(), calls, reference);
  }
  FakeDomain domain;
  const LimitedCalls calls{domain.orb(), std::chrono::milliseconds(50)};
};

TEST_F(ProfileReference, IsAnIorOrAnUrlOfAnObject) {
  const std::string ior = domain.orb()->object_to_string(domain.root);
  EXPECT_TRUE(object(ior)->_is_equivalent(domain.root));
  EXPECT_TRUE(object("corbaloc::127.0.0.1:1/x"));
  EXPECT_TRUE(object("corbaname::127.0.0.1:1")) << "a context, which is not called";
}

TEST_F(ProfileReference, IsNoFile) {
  const std::string path = std::filesystem::temp_directory_path() / "orbweaver-profile-reference.ior";
  std::ofstream(path) << domain.orb()->object_to_string(domain.root);
  EXPECT_THROW(object("file://" + path), std::runtime_error);
  EXPECT_THROW(object("FILE://" + path), std::runtime_error);
  EXPECT_THROW(object(""), std::runtime_error);
  std::filesystem::remove(path);
}

TEST_F(ProfileReference, IsResolvedForALimitedTimeByANamingServiceThatHangs) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);  // accepts connections, and never answers
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 8), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
  EXPECT_THROW(object("corbaname::127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "#a"),
               CORBA::TIMEOUT);
  ::close(listener);
}

TEST_F(ProfileReference, IsResolvedInANamingService) {
  domain.orb()->register_initial_reference("ProfileNames", domain.root);
  domain.root->bind({CosNaming::NameComponent("a b", "")}, domain.candidates[0].reference);
  EXPECT_TRUE(object("corbaname:rir:/ProfileNames#a%20b")->_is_equivalent(domain.candidates[0].reference));
  EXPECT_THROW(object("corbaname:rir:/ProfileNames#c"), CosNaming::NamingContext::NotFound);
}

}  // namespace
}  // namespace orbweaver::sca
