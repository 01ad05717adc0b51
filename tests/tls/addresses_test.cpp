// TLS addresses of references, and the choice between TLS and plaintext.
#include <gmock/gmock.h>

#include <atomic>

#include "orb/minor_codes.h"
#include "testing/raw_peer.h"
#include "tls_calls.h"

namespace orbtest {
namespace {

using namespace orbweaver;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace association = giop::association;

TEST_F(TlsCalls, PublishATlsOnlyReference) {
  TestOrb serving(server("tls"));
  const auto profile = profile_of(serve(serving, who_));
  EXPECT_EQ(profile.host, "127.0.0.1");
  EXPECT_EQ(profile.port, 0) << "no plain TCP";
  const auto ssl = ssl_of(profile);
  EXPECT_NE(ssl.port, 0);
  EXPECT_TRUE(ssl.requires_protection());
  EXPECT_NE(ssl.target_requires & association::kEstablishTrustInClient, 0);
  EXPECT_NE(ssl.target_supports & association::kEstablishTrustInTarget, 0);
  EXPECT_EQ(ssl.target_supports & association::kNoProtection, 0);
}

TEST_F(TlsCalls, LetTheCallerChooseBetweenTcpAndTls) {
  TestOrb serving(server("tcp,tls")), by_tls(client()), by_tcp({"-ORBTransportPreference", "tcp"});
  const std::string reference = serve(serving, who_);
  EXPECT_NE(profile_of(reference).port, 0);
  EXPECT_FALSE(ssl_of(profile_of(reference)).requires_protection());
  watcher(by_tls, reference)->twice(1);
  EXPECT_EQ(who_->seen()->transport, "tls") << "preferred where it is loaded";
  watcher(by_tcp, reference)->twice(1);
  EXPECT_EQ(who_->seen()->transport, "tcp");
}

TEST_F(TlsCalls, AreNotMadeInPlaintextToAProtectedTarget) {
  TestOrb serving({"-ORBListen", "tcp"});
  auto profile = profile_of(serve(serving, who_));
  const giop::SslAddress ssl{0x7e, association::kConfidentiality, 1};
  profile.components.push_back({tag::kSslSecTrans, giop::encode_ssl_address(ssl)});
  const std::string reference = giop::stringify(
      giop::Ior{"IDL:OrbTest/Watcher:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}});
  TestOrb by_tcp({"-ORBTransportPreference", "tcp"}), by_any(client());
  EXPECT_THAT(call_error(by_tcp, reference), HasSubstr("INV_OBJREF"));
  EXPECT_THAT(call_error(by_any, reference),
              AllOf(HasSubstr("tls address '127.0.0.1:1'"), ::testing::Not(HasSubstr("tcp"))));
  EXPECT_FALSE(who_->seen());
}

/// The reference `by_tcp` with an additional TLS address at `tls_port`.
std::string with_tls_at(const std::string& by_tcp, std::uint16_t tls_port) {
  auto profile = profile_of(by_tcp);
  const giop::SslAddress ssl{0x7f, 0, tls_port};
  profile.components.push_back({tag::kSslSecTrans, giop::encode_ssl_address(ssl)});
  return giop::stringify(
      giop::Ior{"IDL:OrbTest/Watcher:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}});
}

TEST_F(TlsCalls, AreNotMadeInPlaintextToAnUntrustedServer) {
  Authority theirs("Their Authority");
  TestOrb serving(server("tcp,tls"));
  for (const char* fallback : {"off", "on"}) {
    TestOrb untrusting({"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption",
                        "tls.ca=" + theirs.ca(), "-ORBInsecureFallback", fallback});
    EXPECT_THAT(call_error(untrusting, serve(serving, CORBA::make_reference<PeerReporter>())),
                AllOf(HasSubstr("NO_PERMISSION"), HasSubstr("CN=Our Authority"), HasSubstr("tcp 127.0.0.1:"),
                      HasSubstr("a certificate was rejected")));
  }
  EXPECT_FALSE(who_->seen());
}

/// Every operation that connects: a LocateRequest, a one-way call, an operation of CORBA::Object, a call over
/// a further connection (-ORBTune connections-per-peer), each of them twice.
TEST_F(TlsCalls, ConnectInPlaintextForNoOperationWhenTheCertificateIsRejected) {
  Authority theirs("Their Authority");
  const RawServer plaintext_server([](RawPeer&) { ADD_FAILURE() << "a plaintext connection"; });
  TestOrb serving(server("tcp,tls"));
  auto profile = profile_of(serving.serve(CORBA::make_reference<Servant>()));
  profile.port = where(plaintext_server.reference()).port;
  const std::string reference = giop::stringify(
      giop::Ior{"IDL:OrbTest/Calls:1.0", {{giop::profile_tag::kIiop, giop::encode_iiop_profile(profile)}}});
  const std::vector<std::function<void(const CallsRef&)>> uses = {
      [](const CallsRef& calls) {
        CORBA::PolicyList none;
        calls->_validate_connection(none);
      },
      [](const CallsRef& calls) { calls->note(1); },
      [](const CallsRef& calls) { static_cast<void>(calls->_non_existent()); },
      [](const CallsRef& calls) { calls->twice(1); }};
  for (const std::string connections : {"1", "4"}) {
    TestOrb untrusting({"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption",
                        "tls.ca=" + theirs.ca(), "-ORBInsecureFallback", "on", "-ORBTune",
                        "connections-per-peer=" + connections});
    const CallsRef calls = untrusting.unchecked(reference);
    for (int time = 0; time < 2; ++time) {
      for (std::size_t i = 0; i < uses.size(); ++i) {
        EXPECT_THAT(raised_by<CORBA::NO_PERMISSION>([&] { uses[i](calls); }, minor::kAccessDenied),
                    HasSubstr("a certificate was rejected"))
            << i;
      }
    }
  }
}

TEST_F(TlsCalls, AreNotMadeInPlaintextForAnUntrustedClient) {
  Authority theirs("Their Authority");
  TestOrb serving(server("tcp,tls")), stranger(options(theirs.issue({"stranger"})));
  EXPECT_NE(call_error(stranger, serve(serving, who_)), "");
  EXPECT_FALSE(who_->seen());
}

TEST_F(TlsCalls, FallBackOnlyWithInsecureFallback) {
  TestOrb serving({"-ORBListen", "tcp"}), careful(client()),
      careless(client() + Options{"-ORBInsecureFallback", "on"});
  const auto closed = static_cast<std::uint16_t>(std::stoul(free_port()));
  const std::string reference = with_tls_at(serve(serving, who_), closed);
  EXPECT_THAT(call_error(careful, reference),
              AllOf(HasSubstr("TRANSIENT"), HasSubstr("no listener at this address"),
                    HasSubstr("-ORBInsecureFallback on")));
  EXPECT_FALSE(who_->seen());
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(call_error(careless, reference), "");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("unprotected calls"), HasSubstr("no listener at this address")));
  EXPECT_TRUE(who_->seen());
}

/// An object reached in plaintext forwards to a target whose TLS port is closed: the client calls the first
/// object again.
TEST_F(TlsCalls, ReturnToTheForwarderWhenItsTlsTargetIsClosed) {
  const auto closed = static_cast<std::uint16_t>(std::stoul(free_port()));
  TestOrb elsewhere({"-ORBListen", "tcp"}), calling(client());
  const auto ior = giop::parse_ior(with_tls_at(serve(elsewhere, who_), closed));
  std::atomic<int> requests{0};
  RawServer server([&](RawPeer& peer) {
    while (const auto message = peer.receives()) {
      std::uint32_t id = 0;
      std::memcpy(&id, message->data() + 12, 4);
      if (++requests > 1) {
        peer.sends(reply(id).ulong(8).bytes());
        continue;
      }
      Octets forward;
      cdr::Encoder out(forward);
      giop::encode(out, *ior);
      out.finish();
      Octets bytes = reply(id, 3).bytes();
      bytes.insert(bytes.end(), forward.begin(), forward.end());
      const auto body = static_cast<std::uint32_t>(bytes.size() - 12);
      std::memcpy(bytes.data() + 8, &body, 4);
      peer.sends(bytes);
    }
  });
  const auto calls = calling.unchecked(server.reference());
  EXPECT_EQ(calls->twice(4), 8);
  EXPECT_EQ(requests, 2);
  EXPECT_FALSE(who_->seen()) << "called in plaintext although its TLS port is closed";
  calling.destroy();
}

TEST_F(TlsCalls, PublishAProfilePerTlsAddress) {
  TestOrb serving(server("tls:127.0.0.1:0,tls:localhost:0")), calling(client());
  const std::string reference = serve(serving, who_);
  ASSERT_EQ(giop::parse_ior(reference)->profiles.size(), 2u);
  EXPECT_NE(ssl_of(profile_of(reference, 0)).port, ssl_of(profile_of(reference, 1)).port);
  EXPECT_EQ(call_error(calling, reference), "");
}

}  // namespace
}  // namespace orbtest
