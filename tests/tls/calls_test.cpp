// Calls over TLS, and references with TLS addresses.
#include <gmock/gmock.h>

#include <optional>

#include "giop/tagged_components.h"
#include "orb/minor_codes.h"
#include "testing/anys.h"
#include "testing/anys_servant.h"
#include "testing/peer_reporter.h"
#include "testing/raw_peer.h"
#include "testing/server_process.h"
#include "testing/test_orb.h"
#include "tls/testing/authority.h"
#include "transport/plugins.h"

namespace orbtest {
namespace {

using namespace orbweaver;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tls::testing::Authority;
using tls::testing::Files;
using WatcherRef = IDL::traits<OrbTest::Watcher>::ref_type;
namespace association = giop::association;
namespace tag = giop::component_tag;

Options operator+(Options all, const Options& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

giop::IiopProfile profile_of(const std::string& reference, std::size_t number = 0) {
  const auto ior = giop::parse_ior(reference);
  EXPECT_TRUE(ior && ior->profiles.size() > number);
  return *giop::decode_iiop_profile(ior->profiles.at(number).data);
}

giop::SslAddress ssl_of(const giop::IiopProfile& profile) {
  const giop::TaggedData* const component = giop::find(profile.components, tag::kSslSecTrans);
  EXPECT_NE(component, nullptr);
  return component == nullptr ? giop::SslAddress{} : *giop::decode_ssl_address(component->data);
}

class TlsCalls : public ::testing::Test {
 protected:
  Options options(const Files& files) const {
    return {"-ORBTransportPlugin", "liborbweaver-tls.so",
            "-ORBTransportOption", "tls.certificate=" + files.certificate,
            "-ORBTransportOption", "tls.key=" + files.key,
            "-ORBTransportOption", "tls.ca=" + ours_.ca()};
  }
  Options server(const std::string& listen) {
    return options(ours_.issue({"server"})) + Options{"-ORBListen", listen};
  }
  Options client() { return options(ours_.issue({"radio-7", "DNS:radio-7.example"})); }
  static WatcherRef watcher(TestOrb& broker, const std::string& reference) {
    return IDL::traits<OrbTest::Watcher>::narrow(broker.orb->string_to_object(reference));
  }
  /// The text of the exception that a call raises; empty: none.
  static std::string call_error(TestOrb& broker, const std::string& reference) {
    try {
      watcher(broker, reference)->twice(1);
    } catch (const CORBA::SystemException& e) {
      return e.what();
    }
    return {};
  }

  Authority ours_{"Our Authority"};
  CORBA::servant_reference<PeerReporter> who_ = CORBA::make_reference<PeerReporter>();
};

TEST_F(TlsCalls, RejectAPeerAtItsLimitBeforeTheHandshake) {
  TestOrb serving(server("tls") + Options{"-ORBTransportOption", "tls.handshake-timeout=600000", "-ORBTune",
                                          "max-connections-per-peer=1"}),
      calling(client());
  const std::string reference = serve(serving, who_);
  EXPECT_EQ(watcher(calling, reference)->twice(21), 42);
  RawPeer silent = RawPeer::to(ssl_of(profile_of(reference)).port);
  EXPECT_TRUE(silent.is_closed());
  calling.destroy();
  TestOrb another(client());
  EXPECT_TRUE(becomes_true([&] { return call_error(another, reference).empty(); }))
      << "the first connection is closed";
}

TEST_F(TlsCalls, SendLargeRepliesInFragments) {
  TestOrb serving(server("tcp,tls") + Options{"-ORBTune", "fragment-bytes=1024"});
  const std::string reference = serving.serve(CORBA::make_reference<Servant>());
  transport::ChannelOptions options;
  options.frame_length = &giop::frame_length;
  const Files files = ours_.issue({"radio-7"});
  options.parameters = std::make_shared<const transport::Parameters>(
      transport::Parameters{{"certificate", files.certificate}, {"key", files.key}, {"ca", ours_.ca()}});
  const auto channel = transport::find("tls")->connect(
      "127.0.0.1:" + std::to_string(ssl_of(profile_of(reference)).port), options, Deadline::in_ms(30'000));
  ASSERT_TRUE(channel) << channel.error().message;
  const Octets question = request(1, where(reference).key, "echo").octets(Octets(100'000)).bytes();
  const auto buffer = (*channel)->claim(question.size(), Deadline::in_ms(30'000));
  ASSERT_TRUE(buffer);
  std::copy(question.begin(), question.end(), buffer->begin());
  ASSERT_TRUE((*channel)->commit(question.size(), Deadline::in_ms(30'000)));
  std::size_t frames = 0;
  for (bool more = true; more; ++frames) {
    const auto frame = (*channel)->receive(Deadline::in_ms(30'000));
    ASSERT_TRUE(frame) << frame.error().message;
    const auto header = giop::parse_header(*frame);
    EXPECT_EQ(header->type, frames == 0 ? giop::MessageType::reply : giop::MessageType::fragment);
    EXPECT_LE(frame->size(), 1024u);
    more = header->more_fragments;
    (*channel)->release();
  }
  EXPECT_GE(frames, 100u);
}

TEST_F(TlsCalls, ReassembleFragments) {
  for (const std::string threads : {"connection", "pool:2", "single"}) {
    TestOrb serving(server("tls") + Options{"-ORBTune", "fragment-bytes=1024", "-ORBThreads", threads}),
        calling(client() + Options{"-ORBTune", "fragment-bytes=1024", "-ORBTransportPreference", "tls"});
    const std::string reference = serving.serve(CORBA::make_reference<Servant>());
    std::thread running;
    if (threads == "single") running = std::thread([&] { serving.orb->run(); });
    const CallsRef calls = calling.at(reference);
    for (std::size_t n = 900; n < 1'000'000; n = 3 * n + 1) {
      OrbTest::Octets octets(n);
      for (std::size_t i = 0; i < n; ++i) octets[i] = static_cast<std::uint8_t>(i * 7 / 5);
      EXPECT_EQ(calls->echo(octets), octets) << threads << " " << n;
    }
    serving.orb->shutdown(false);
    if (running.joinable()) running.join();
  }
}

TEST_F(TlsCalls, ReportTheCallersCertificateToTheServant) {
  TestOrb serving(server("tls")), calling(client());
  EXPECT_EQ(watcher(calling, serve(serving, who_))->twice(21), 42);
  ASSERT_TRUE(who_->seen());
  EXPECT_EQ(who_->seen()->transport, "tls");
  EXPECT_EQ(who_->seen()->subject, "CN=radio-7,O=Orbweaver Tests");
  EXPECT_THAT(who_->seen()->names, ElementsAre("DNS:radio-7.example"));
  EXPECT_THAT(who_->seen()->address, HasSubstr("127.0.0.1:"));
}

TEST_F(TlsCalls, DoNotDeadlockWhenNested) {
  const Options only{"-ORBTransportPreference", "tls"};
  TestOrb a(server("tls") + only), b(server("tls") + only);
  const auto at_a = CORBA::make_reference<Servant>(), at_b = CORBA::make_reference<Servant>();
  const std::string to_a = a.serve(at_a), to_b = b.serve(at_b);
  const OrbTest::Circle circle{a.at(to_a), a.at(to_b)};
  EXPECT_EQ(circle[1]->pass(circle, 7), 7);
}

TEST_F(TlsCalls, PassLargeArgumentsFromManyThreads) {
  TestOrb serving(server("tls")), calling(client());
  const auto servant = CORBA::make_reference<Servant>();
  const auto calls = calling.at(serving.serve(servant));
  const std::vector<double> samples(400'000, 0.5);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) EXPECT_EQ(calls->sum(samples), 200'000);
      for (int n = 0; n < 100; ++n) EXPECT_EQ(calls->greet("Ada"), calls->greet("Ada"));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(TlsCalls, DistinguishCallersInAPool) {
  TestOrb serving(server("tls") + Options{"-ORBThreads", "pool:2"});
  const std::string reference = serve(serving, who_);
  std::vector<std::unique_ptr<TestOrb>> calling;
  for (int i = 0; i < 4; ++i)
    calling.push_back(std::make_unique<TestOrb>(options(ours_.issue({"radio-" + std::to_string(i)}))));
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < calling.size(); ++i) {
      EXPECT_EQ(watcher(*calling[i], reference)->twice(4), 8);
      ASSERT_TRUE(who_->seen());
      EXPECT_EQ(who_->seen()->subject, "CN=radio-" + std::to_string(i) + ",O=Orbweaver Tests");
    }
  }
  const auto servant = CORBA::make_reference<Servant>();
  EXPECT_EQ(calling[0]->at(serving.serve(servant))->echo(std::vector<std::uint8_t>(1'000'000, 7)).size(),
            1'000'000u);
}

TEST_F(TlsCalls, PassAnys) {
  TestOrb serving(server("tls")), calling(client());
  const auto servant = CORBA::make_reference<AnysServant>();
  serving.root->activate_object(servant);
  const std::string text = serving.orb->object_to_string(serving.root->servant_to_reference(servant));
  const auto anys = IDL::traits<OrbTest::Anys>::narrow(calling.orb->string_to_object(text));
  CORBA::Any b = any_of(std::string("was b"));
  CORBA::typecode_reference type;
  EXPECT_EQ(printed(anys->turn(any_of(OrbTest::Point(1, 2)), b, type)), "string(\"was b\")");
  EXPECT_EQ(printed(b), "Point{x: 1, y: 2}");
  EXPECT_TRUE(type->equal(OrbTest::_tc_Point));
  anys->hold(any_of(OrbTest::Doubles(10'000, 0.5)));  // one-way, larger than a TLS record
  OrbTest::Doubles found;
  EXPECT_TRUE(anys->held() >>= found);
  EXPECT_EQ(found, OrbTest::Doubles(10'000, 0.5));
  EXPECT_THROW(anys->refuse(any_of(1.5)), OrbTest::Odd);
  anys->held(any_of(anys));
  AnysRef back;
  ASSERT_TRUE(anys->held() >>= back);
  EXPECT_EQ(printed(back->type_held()), "Anys");
  anys->held(CORBA::Any());  // otherwise the servant keeps a reference to itself
}

/// Both ORBs serve in the thread of ORB::run or while they wait for a reply, and call each other back.
TEST_F(TlsCalls, WorkInSingleThreadMode) {
  const Options single{"-ORBThreads", "single", "-ORBCallTimeout", "120000"};
  TestOrb serving(server("tls") + single), calling(server("tls") + single);
  const auto servant = CORBA::make_reference<Servant>(), watcher = CORBA::make_reference<Servant>();
  const std::string reference = serving.serve(servant);
  std::thread running([&] { serving.orb->run(); });
  {
    const auto calls = calling.at(reference), here = calling.at(calling.serve(watcher));
    for (std::int32_t i = 0; i < 20; ++i) ASSERT_EQ(calls->ask(here, i), 2 * i);
    for (const std::size_t bytes : {0u, 1u, 16'384u, 40'000u, 3'000'000u}) {
      const OrbTest::Octets sent(bytes, static_cast<std::uint8_t>(bytes));
      ASSERT_TRUE(calls->echo(sent) == sent) << bytes;
    }
    std::vector<std::unique_ptr<TestOrb>> others;
    for (int i = 0; i < 3; ++i) {
      others.push_back(std::make_unique<TestOrb>(client()));
      EXPECT_EQ(others.back()->at(reference)->greet("Ada"), calls->greet("Ada"));
    }
    for (std::int32_t i = 0; i < 50; ++i) calls->note(i);
    EXPECT_EQ(calls->notes().size(), 50u);
  }
  serving.orb->shutdown(false);
  running.join();
}

TEST_F(TlsCalls, BatchOneWaysInOrder) {
  TestOrb serving(server("tls")), calling(client() + Options{"-ORBTune", "batch-delay-us=1000000"});
  const auto servant = CORBA::make_reference<Servant>();
  const auto calls = calling.at(serving.serve(servant));
  for (std::int32_t i = 0; i < 300; ++i) calls->note(i);
  const auto notes = calls->notes();
  ASSERT_EQ(notes.size(), 300u);
  for (std::int32_t i = 0; i < 300; ++i) ASSERT_EQ(notes[static_cast<std::size_t>(i)], i);
}

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

/// A server which is killed and restarted at the same port.
struct RestartedTlsServer : TlsCalls {
  const std::string port = free_port();
  const Options serving = server("tls:127.0.0.1:" + port);
  std::optional<ServerProcess> process{std::in_place, serving};
  TestOrb calling{client() + Options{"-ORBTransportPreference", "tls"}};
  CallsRef calls = calling.at(process->persistent());

  void restart() {
    process->kill();
    process.emplace(serving);
  }
};

TEST_F(RestartedTlsServer, IsCalledWithoutAnException) {
  const std::int32_t first = calls->process();
  restart();
  EXPECT_NE(calls->process(), first);
}

TEST_F(RestartedTlsServer, ReceivesOneWayCallsWithoutLoss) {
  calls->process();
  restart();
  calls->note(7);
  EXPECT_THAT(calls->notes(), ElementsAre(7));
}

TEST_F(RestartedTlsServer, IsNotSentARequestTwice) {
  calls->process();
  TestOrb asking{client()};
  const CallsRef other_calls = asking.at(process->persistent());
  std::thread killing([&] {
    EXPECT_TRUE(becomes_true([&] { return other_calls->most_at_once() == 1; }));  // in the servant
    process->kill();
  });
  try {
    calls->slow(60'000, 1);
    ADD_FAILURE() << "a killed server has replied";
  } catch (const CORBA::COMM_FAILURE& e) {
    EXPECT_EQ(e.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
  killing.join();
}

TEST_F(TlsCalls, AreAdmittedByTheSubjectOfTheCallersCertificate) {
  TestOrb serving(server("tls") + Options{"-ORBAllow", "subject:CN=radio-7,O=Orbweaver Tests"});
  const std::string reference = serve(serving, who_);
  TestOrb admitted(client()), refused(options(ours_.issue({"radio-8"})));
  EXPECT_EQ(call_error(admitted, reference), "");
  EXPECT_THAT(call_error(refused, reference), AllOf(HasSubstr("NO_PERMISSION"), HasSubstr("access rules")));
}

TEST_F(TlsCalls, PublishAProfilePerTlsAddress) {
  TestOrb serving(server("tls:127.0.0.1:0,tls:localhost:0")), calling(client());
  const std::string reference = serve(serving, who_);
  ASSERT_EQ(giop::parse_ior(reference)->profiles.size(), 2u);
  EXPECT_NE(ssl_of(profile_of(reference, 0)).port, ssl_of(profile_of(reference, 1)).port);
  EXPECT_EQ(call_error(calling, reference), "");
}

TEST_F(TlsCalls, ExplainARejectedCertificate) {
  Authority theirs("Their Authority");
  TestOrb serving(server("tls")), stranger(options(theirs.issue({"stranger"})));
  const std::string reference = serve(serving, who_);
  EXPECT_THAT(call_error(stranger, reference), HasSubstr("unknown CA"));
  TestOrb untrusting(
      {"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption", "tls.ca=" + theirs.ca()});
  EXPECT_THAT(call_error(untrusting, reference), AllOf(HasSubstr("CN=Our Authority"), HasSubstr("tls.ca")));
  EXPECT_FALSE(who_->seen());
}

TEST_F(TlsCalls, RejectInvalidOptionsInOrbInit) {
  const auto option_error = [](const Options& options) {
    try {
      const TestOrb broker(options);
    } catch (const CORBA::SystemException& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const Options plugin{"-ORBTransportPlugin", "liborbweaver-tls.so"};
  EXPECT_THAT(
      option_error(plugin + Options{"-ORBTransportOption", "tls.certificate=/no/such.pem"}),
      AllOf(HasSubstr("BAD_PARAM"), HasSubstr("tls.certificate /no/such.pem: there is no such file")));
  EXPECT_THAT(option_error(plugin + Options{"-ORBTransportOption", "tls.colour=red"}),
              HasSubstr("tls has no option 'colour'"));
  TestOrb serving(plugin + Options{"-ORBListen", "tls"});
  EXPECT_THAT(raised_by<CORBA::INITIALIZE>([&] { serve(serving, who_); }, minor::kCannotListen),
              HasSubstr("tls.certificate=FILE"));
}

}  // namespace
}  // namespace orbtest
