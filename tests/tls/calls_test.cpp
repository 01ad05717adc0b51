// Calls over TLS.
#include <gmock/gmock.h>

#include <optional>

#include "orb/minor_codes.h"
#include "platform/process_identity.h"
#include "testing/anys.h"
#include "testing/anys_servant.h"
#include "testing/raw_peer.h"
#include "testing/server_process.h"
#include "tls_calls.h"
#include "transport/plugins.h"

namespace orbtest {
namespace {

using namespace orbweaver;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST_F(TlsCalls, RejectAPeerAtItsLimitBeforeTheHandshake) {
  TestOrb serving(server("tls") + Options{"-ORBTransportOption", "tls.handshake-timeout-ms=600000",
                                          "-ORBTune", "max-connections-per-peer=1"}),
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
  for (const std::string threads : {"connection", "pool:2", "unordered:2", "single"}) {
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

TEST_F(TlsCalls, AreServedInAnyOrderByAnUnorderedPool) {
  TestOrb serving(server("tls") + Options{"-ORBThreads", "unordered:2"}), calling(client());
  const auto servant = CORBA::make_reference<Servant>();
  const auto calls = calling.at(serving.serve(servant));
  calls->note_at_gate(1);
  ASSERT_TRUE(servant->gate.reached_by(1));
  calls->note(2);
  calls->open_gate(1);
  EXPECT_TRUE(becomes_true([&] { return servant->notes().size() == 2; }));
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

TEST_F(TlsCalls, WithoutACertificateAreAdmittedByTheUserOnThisHost) {
  const Options optional{"-ORBTransportOption", "tls.verify=optional"};
  const std::string user = std::to_string(platform::user_id());
  TestOrb serving(server("tls") + optional),
      denying(server("tls") + optional + Options{"-ORBDeny", "user:" + user});
  TestOrb anonymous(
      {"-ORBTransportPlugin", "liborbweaver-tls.so", "-ORBTransportOption", "tls.ca=" + ours_.ca()});
  EXPECT_EQ(call_error(anonymous, serve(serving, who_)), "");
  ASSERT_TRUE(who_->seen());
  EXPECT_EQ(who_->seen()->subject, "");
  EXPECT_EQ(std::to_string(who_->seen()->uid), user);
  const std::string denied = serve(denying, CORBA::make_reference<PeerReporter>());
  EXPECT_THAT(call_error(anonymous, denied), AllOf(HasSubstr("NO_PERMISSION"), HasSubstr("access rules")));
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
