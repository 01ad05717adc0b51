#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "base/log.h"
#include "platform/fd.h"
#include "tls/testing/ends.h"

/// Tests of certificate verification, and of its error texts.
namespace orbweaver::tls::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TlsTrust : public ::testing::Test {
 protected:
  Authority ours_{"Our Authority"}, theirs_{"Their Authority"};
  Parameters server_ = trusting(ours_) + with_certificate(ours_.issue({"server"}));
  Parameters client_ =
      trusting(ours_) + with_certificate(ours_.issue({"radio-7", "DNS:radio-7.example,IP:10.0.0.7"}));
};

TEST_F(TlsTrust, ReportsTheVerifiedSubjectAtBothEnds) {
  Server server(server_);
  auto channel = connect(server.address(), client_);
  ASSERT_TRUE(transport::testing::ok(channel));
  ASSERT_TRUE(transport::testing::ok(exchange(**channel)));
  EXPECT_EQ((*channel)->peer().subject, "CN=server,O=Orbweaver Tests");
  EXPECT_THAT((*channel)->peer().names, ElementsAre("IP:127.0.0.1", "IP:0:0:0:0:0:0:0:1", "DNS:localhost"));
  ASSERT_EQ(server.peers().size(), 1u);
  EXPECT_EQ(server.peers()[0].subject, "CN=radio-7,O=Orbweaver Tests");
  EXPECT_THAT(server.peers()[0].names, ElementsAre("DNS:radio-7.example", "IP:10.0.0.7"));
}

TEST_F(TlsTrust, RejectsAClientWithoutACertificate) {
  Server server(server_);
  for (const char* version : {"1.2", "1.3"}) {
    EXPECT_THAT(call_error(server.address(), trusting(ours_) + Parameters{{"min-version", version}}),
                HasSubstr("tls.certificate"));
  }
  EXPECT_THAT(server.peers(), IsEmpty());
}

TEST_F(TlsTrust, RejectsAClientOfAnotherAuthority) {
  Server server(server_);
  EXPECT_THAT(call_error(server.address(), trusting(ours_) + with_certificate(theirs_.issue({"stranger"}))),
              AllOf(HasSubstr("unknown CA"), HasSubstr("tls.ca")));
  EXPECT_THAT(server.peers(), IsEmpty());
}

TEST_F(TlsTrust, RejectsAClientWithAServerCertificate) {
  Server server(server_);
  CertificateRequest request{"not-a-client"};
  request.usage = "serverAuth";
  EXPECT_THAT(call_error(server.address(), trusting(ours_) + with_certificate(ours_.issue(request))),
              HasSubstr("alert"));
  EXPECT_THAT(server.peers(), IsEmpty());
}

TEST_F(TlsTrust, RejectsAServerOfAnotherAuthority) {
  Server server(server_ + with_certificate(theirs_.issue({"server"})));
  const auto channel = connect(server.address(), client_);
  ASSERT_FALSE(channel);
  EXPECT_EQ(channel.error().kind, ErrorKind::permission_denied);
  EXPECT_THAT(channel.error().message,
              AllOf(HasSubstr("CN=server"), HasSubstr("CN=Their Authority"), HasSubstr("tls.ca")));
}

TEST_F(TlsTrust, RejectsAServerWithAnotherName) {
  Server server(server_ + with_certificate(ours_.issue({"server", "DNS:elsewhere.example"})));
  EXPECT_THAT(call_error(server.address(), client_),
              AllOf(HasSubstr("DNS:elsewhere.example"), HasSubstr("not for '127.0.0.1'"),
                    HasSubstr("tls.peer-name")));
  EXPECT_EQ(call_error(server.address(), client_ + Parameters{{"peer-name", "elsewhere.example"}}), "");
}

TEST_F(TlsTrust, VerifiesTheCalledNameOrAddress) {
  Server server(server_ + with_certificate(ours_.issue({"server", "DNS:localhost"})));
  EXPECT_EQ(call_error("localhost:" + std::to_string(server.port()), client_), "");
  EXPECT_NE(call_error(server.address(), client_), "");
}

TEST_F(TlsTrust, RejectsExpiredAuthorities) {
  // An end checks its own certificate before using it; the certificates above it are checked by the peer.
  Authority old("Old Authority", -3600);
  Server server(server_ + with_certificate(old.issue({"server"})));
  EXPECT_THAT(
      call_error(server.address(), client_ + trusting(old)),
      AllOf(HasSubstr("above its own (CN=Old Authority"), HasSubstr("expired on"), HasSubstr("renewed")));
}

TEST_F(TlsTrust, AcceptsAMissingButNotAnInvalidCertificateWhenOptional) {
  Server server(server_ + Parameters{{"verify", "optional"}});
  EXPECT_EQ(call_error(server.address(), trusting(ours_)), "");
  EXPECT_EQ(call_error(server.address(), client_), "");
  EXPECT_NE(call_error(server.address(), trusting(ours_) + with_certificate(theirs_.issue({"stranger"}))),
            "");
  ASSERT_EQ(server.peers().size(), 2u);
  EXPECT_EQ(server.peers()[0].subject, "");
  EXPECT_EQ(server.peers()[1].subject, "CN=radio-7,O=Orbweaver Tests");
}

TEST_F(TlsTrust, ReportsNoSubjectWhenVerifyIsNone) {
  Server server(with_certificate(theirs_.issue({"server"})) + Parameters{{"verify", "none"}});
  auto channel = connect(server.address(), {{"verify", "none"}});
  ASSERT_TRUE(transport::testing::ok(channel));
  EXPECT_TRUE(transport::testing::ok(exchange(**channel)));
  EXPECT_EQ((*channel)->peer().subject, "");
}

TEST_F(TlsTrust, HonoursVersionsAndCiphers) {
  Server old(server_ + Parameters{{"ciphers", "ECDHE-ECDSA-CHACHA20-POLY1305"}});
  Server fresh(server_ + Parameters{{"min-version", "1.3"}, {"ciphersuites", "TLS_AES_128_GCM_SHA256"}});
  EXPECT_EQ(call_error(old.address(), client_), "");
  EXPECT_EQ(call_error(fresh.address(), client_), "");
  EXPECT_THAT(
      call_error(fresh.address(), client_ + Parameters{{"ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"}}),
      HasSubstr("cipher"));
}

TEST_F(TlsTrust, UsesARenewedCertificateFromTheNextConnection) {
  const Files files = ours_.issue({"server"});
  Server server(server_ + with_certificate(files));
  auto before = connect(server.address(), client_);
  ASSERT_TRUE(transport::testing::ok(before));
  const Files renewed = ours_.issue({"renewed-server"});
  std::filesystem::rename(renewed.key, files.key);
  EXPECT_EQ(call_error(server.address(), client_), "")
      << "with only one file renewed, the old pair remains in use";
  std::filesystem::rename(renewed.certificate, files.certificate);
  auto after = connect(server.address(), client_);
  ASSERT_TRUE(transport::testing::ok(after));
  EXPECT_EQ((*after)->peer().subject, "CN=renewed-server,O=Orbweaver Tests");
  EXPECT_TRUE(transport::testing::ok(exchange(**before)));
}

/// Opening a FIFO blocks until another process opens it.
TEST_F(TlsTrust, KeepsTheCertificateWhileAFileIsAFifo) {
  for (const bool of_the_key : {false, true}) {
    const Files files = ours_.issue({"server"});
    Server server(server_ + with_certificate(files));
    const std::string& replaced = of_the_key ? files.key : files.certificate;
    const std::string aside = replaced + ".aside";
    std::filesystem::rename(replaced, aside);
    ASSERT_EQ(mkfifo(replaced.c_str(), 0600), 0);
    orbweaver::log::reset_limits();
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(call_error(server.address(), client_), "");
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("keeps its current certificate"), HasSubstr("it is no regular file")));
    const platform::Fd unblock(open(replaced.c_str(), O_RDWR | O_NONBLOCK));  // a thread that has opened it
    std::filesystem::rename(aside, replaced);
    EXPECT_EQ(call_error(server.address(), client_), "");
  }
}

}  // namespace
}  // namespace orbweaver::tls::testing
