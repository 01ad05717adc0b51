#include "etcd/etcd_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base64/base64.h"
#include "etcd/etcd_messages.h"
#include "etcd/testing/etcd_server.h"
#include "platform/socket.h"
#include "platform/testing/becomes_true.h"
#include "state/testing/record_store_contract.h"

namespace orbweaver::etcd {
namespace {

using platform::testing::becomes_true;
using ::testing::AllOf;
using ::testing::ElementsAre;
using testing::EtcdServer;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::StartsWith;

using Json = nlohmann::json;

/// A process that shares the state "test/" of an etcd, and leads or waits in a thread of its own.
class Member {
 public:
  explicit Member(const EtcdServer& server, const std::string& name = "first", bool is_patient = false,
                  int lease_seconds = 10) {
    LeadershipOptions options;
    options.etcd = server.options();
    options.prefix = "test/";
    options.name = name;
    options.lease = std::chrono::seconds(lease_seconds);
    options.is_patient = is_patient;
    state_ = make_etcd_state(options);
  }
  ~Member() {
    cancelled_.notify();
    if (thread_.joinable()) thread_.join();
    state_->resign();
  }

  Result<bool> lead() {
    return state_->lead(
        cancelled_.fd(),
        [this](const std::string& reason) {
          const std::lock_guard lock(mutex_);
          waits_for_ = reason;
        },
        [this](const std::string& reason) {
          const std::lock_guard lock(mutex_);
          lost_ = reason;
        });
  }
  void start() {
    thread_ = std::thread([this] {
      const auto led = lead();
      EXPECT_TRUE(led) << led.error().message;
      leads = led && *led;
    });
  }
  void cancel() { cancelled_.notify(); }
  std::string waits_for() {
    const std::lock_guard lock(mutex_);
    return waits_for_;
  }
  std::string lost() {
    const std::lock_guard lock(mutex_);
    return lost_;
  }
  void resign() { state_->resign(); }
  std::unique_ptr<state::RecordStore> open(const std::string& part = "records") { return state_->open(part); }
  std::string text() const { return state_->text(); }

  std::atomic<bool> leads = false;

 private:
  platform::WakeupFd cancelled_;
  std::unique_ptr<state::SharedState> state_;
  std::mutex mutex_;
  std::string waits_for_, lost_;  // mutex_
  std::thread thread_;
};

// ---- the contract of all stores ----

class EtcdFixture final : public state::testing::RecordStoreFixture {
 public:
  std::unique_ptr<state::RecordStore> open() override {
    member_.reset();
    member_ = std::make_unique<Member>(server_);
    const auto leads = member_->lead();
    EXPECT_TRUE(leads && *leads);
    return member_->open();
  }

 private:
  EtcdServer server_;
  std::unique_ptr<Member> member_;
};

std::unique_ptr<state::testing::RecordStoreFixture> make_etcd_fixture() {
  return EtcdServer::is_installed() ? std::make_unique<EtcdFixture>() : nullptr;
}

}  // namespace
}  // namespace orbweaver::etcd

namespace orbweaver::state::testing {

INSTANTIATE_TEST_SUITE_P(Etcd, RecordStoreContract,
                         ::testing::Values(RecordStoreCase{"Etcd", true, etcd::make_etcd_fixture}),
                         record_store_case_name);

}  // namespace orbweaver::state::testing

namespace orbweaver::etcd {
namespace {

// ---- one leads ----

class EtcdState : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!EtcdServer::is_installed()) GTEST_SKIP() << "etcd is not installed (Debian: etcd-server)";
    server_ = std::make_unique<EtcdServer>();
    client_ = std::make_unique<EtcdClient>(server_->options());
  }
  Json call(const std::string& path, const Json& request) {
    auto reply = client_->call(path, request, platform::Deadline::in_ms(120'000));
    EXPECT_TRUE(reply) << reply.error().message;
    return reply ? *reply : Json::object();
  }
  void put(const std::string& key, const std::string& value) {
    call("/v3/kv/put", {{"key", to_base64(key)}, {"value", to_base64(value)}});
  }
  void remove(const std::string& key) { call("/v3/kv/deleterange", {{"key", to_base64(key)}}); }
  /// The error of becoming the leader.
  Error refusal(const EtcdServer& server) {
    Member member(server);
    auto led = member.lead();
    return led ? Error{ErrorKind::transient, "no error"} : led.take_error();
  }
  static void expect_lost(Member& member, state::RecordStore& store, const std::string& reason) {
    EXPECT_TRUE(becomes_true([&] { return !member.lost().empty(); }));
    EXPECT_THAT(member.lost(), HasSubstr(reason));
    const auto committed = store.commit({{"a", "lost"}});
    ASSERT_FALSE(committed);
    EXPECT_EQ(committed.error().kind, ErrorKind::unavailable);
    EXPECT_THAT(committed.error().message, HasSubstr("does not lead its domain any more"));
  }

  std::unique_ptr<EtcdServer> server_;
  std::unique_ptr<EtcdClient> client_;
};

TEST_F(EtcdState, LetsOneMemberLeadAndTheNextOneWhenItResigns) {
  Member first(*server_), second(*server_, "second");
  ASSERT_TRUE(*first.lead());
  ASSERT_TRUE(first.open()->commit({{"a", "1"}}));
  second.start();
  EXPECT_TRUE(becomes_true([&] { return second.waits_for() == "standing by: first leads"; }));
  EXPECT_FALSE(second.leads);
  first.resign();
  EXPECT_TRUE(becomes_true([&] { return second.leads.load(); }));
  const auto records = second.open()->read_all();
  ASSERT_TRUE(records);
  EXPECT_THAT(*records, ElementsAre(Pair("a", "1")));
  EXPECT_EQ(first.lost(), "");
}

TEST_F(EtcdState, EndsToStandByWhenItIsCancelled) {
  Member first(*server_), second(*server_);
  ASSERT_TRUE(*first.lead());
  second.start();
  EXPECT_TRUE(becomes_true([&] { return !second.waits_for().empty(); }));
  second.cancel();
  const auto third = std::make_unique<Member>(*server_);
  third->cancel();
  const auto led = third->lead();
  ASSERT_TRUE(led);
  EXPECT_FALSE(*led);
}

TEST_F(EtcdState, KeepsItsLeaseAlive) {
  Member first(*server_);
  ASSERT_TRUE(*first.lead());
  const std::string lease = number(call("/v3/kv/range", get_request("test/leader"))["kvs"][0], "lease");
  int before = 10;
  EXPECT_TRUE(becomes_true([&] {  // its remaining time grows
    const int left = std::stoi(number(call("/v3/lease/timetolive", {{"ID", lease}}), "TTL"));
    return left > std::exchange(before, left);
  }));
  EXPECT_EQ(first.lost(), "");
  EXPECT_TRUE(first.open()->commit({{"a", "1"}}));
}

TEST_F(EtcdState, RejectsTheChangesOfAMemberThatDoesNotLeadAnyMore) {
  Member first(*server_), second(*server_, "second");
  ASSERT_TRUE(*first.lead());
  const auto old = first.open(), names = first.open("names");
  ASSERT_TRUE(old->commit({{"a", "1"}}));
  remove("test/leader");  // as when its lease expires while it is stopped
  second.start();
  EXPECT_TRUE(becomes_true([&] { return second.leads.load(); }));
  ASSERT_TRUE(second.open()->commit({{"a", "2"}}));
  EXPECT_FALSE(old->commit({{"a", "3"}, {"b", "3"}}));
  EXPECT_FALSE(names->commit({{"a", "3"}}));
  expect_lost(first, *old, "another process leads");
  EXPECT_THAT(*second.open()->read_all(), ElementsAre(Pair("a", "2")));
  EXPECT_THAT(*second.open("names")->read_all(), IsEmpty());
}

TEST_F(EtcdState, IsLostWhenTheLeaseHasExpired) {
  Member first(*server_);
  ASSERT_TRUE(*first.lead());
  const auto store = first.open();
  const std::string lease = number(call("/v3/kv/range", get_request("test/leader"))["kvs"][0], "lease");
  call("/v3/lease/revoke", {{"ID", lease}});
  expect_lost(first, *store, "its lease has expired");
}

TEST_F(EtcdState, IsLostWhenEtcdDoesNotAnswer) {
  Member first(*server_, "first", false, 5);
  ASSERT_TRUE(*first.lead());
  const auto store = first.open();
  server_->stop();
  expect_lost(first, *store, "lease");  // not renewed in time, or expired
  server_->go_on();
}

TEST_F(EtcdState, StoresAChangeThatEtcdCouldNotTakeForAMoment) {
  Member first(*server_);
  ASSERT_TRUE(*first.lead());
  const auto store = first.open();
  server_->kill();
  std::atomic<bool> has_begun = false;
  Result<void> committed;
  std::thread writer([&] {
    has_begun = true;
    committed = store->commit({{"a", "1"}});
  });
  EXPECT_TRUE(becomes_true([&] { return has_begun.load(); }));
  server_->start();
  writer.join();
  // Beside a load that delays the restart beyond the lease, it has failed, and nothing is stored.
  Member second(*server_, "second");
  first.resign();
  ASSERT_TRUE(*second.lead());
  EXPECT_EQ(second.open()->read_all()->size(), committed ? 1u : 0u);
}

// ---- what cannot be used ----

TEST_F(EtcdState, SaysThatEtcdCannotBeReached) {
  server_->kill();
  const Error error = refusal(*server_);
  EXPECT_EQ(error.kind, ErrorKind::unavailable);
  EXPECT_THAT(error.message,
              AllOf(HasSubstr("etcd at 127.0.0.1:"), HasSubstr("cannot be connected to; start it")));
  Member patient(*server_, "patient", true);
  patient.start();
  EXPECT_TRUE(becomes_true([&] { return patient.waits_for().starts_with("waiting for etcd: etcd at"); }));
  server_->start();
  EXPECT_TRUE(becomes_true([&] { return patient.leads.load(); }));
}

TEST_F(EtcdState, TriesAllServers) {
  Member member(*server_);
  LeadershipOptions options;
  options.etcd = server_->options();
  options.etcd.servers.insert(options.etcd.servers.begin(), "127.0.0.1:1");
  options.prefix = "test/";
  const auto state = make_etcd_state(options);
  EXPECT_EQ(state->text(), "etcd://127.0.0.1:1," + server_->options().servers[0]);
  const platform::WakeupFd never;
  const auto led = state->lead(
      never.fd(), [](auto&) {}, [](auto&) {});
  ASSERT_TRUE(led) << led.error().message;
  EXPECT_TRUE(*led);
  EXPECT_TRUE(state->open("records")->commit({{"a", "1"}}));
}

TEST_F(EtcdState, RejectsOtherKeys) {
  put("test/other", "");
  EXPECT_THAT(refusal(*server_).message, HasSubstr("'test/other' is no part of the state"));
  remove("test/other");
  put("test/records/a", "");  // without "format"
  EXPECT_THAT(refusal(*server_).message, HasSubstr("'test/records/a' is no part of the state"));
  remove("test/records/a");
  put("test", "");
  put("test0", "");
  Member member(*server_);
  EXPECT_TRUE(*member.lead());
}

TEST_F(EtcdState, RejectsALaterFormat) {
  put("test/format", "2");
  const Error error = refusal(*server_);
  EXPECT_EQ(error.kind, ErrorKind::invalid);
  EXPECT_THAT(error.message, HasSubstr("their format is '2', and this program knows format 1"));
}

TEST_F(EtcdState, RejectsARecordThatIsTooLarge) {
  Member member(*server_);
  ASSERT_TRUE(*member.lead());
  const auto store = member.open();
  ASSERT_TRUE(store->commit({{"a", "1"}}));
  const auto committed = store->commit({{"b", std::string(2'000'000, 'x')}});
  ASSERT_FALSE(committed);
  EXPECT_EQ(committed.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(committed.error().message, AllOf(HasSubstr("the record 'records/b' has 2000000 octets"),
                                               HasSubstr("--max-request-bytes")));
  EXPECT_TRUE(store->commit({{"c", "3"}}));
  EXPECT_THAT(*store->read_all(), ElementsAre(Pair("a", "1"), Pair("c", "3")));
}

TEST_F(EtcdState, CompletesTheJournalOfAnEarlierLeader) {
  {
    Member first(*server_);
    ASSERT_TRUE(*first.lead());
    ASSERT_TRUE(first.open()->commit({{"a", "1"}, {"b", "1"}}));
  }
  const Json journal =
      Json::array({Json::array({to_base64("a"), nullptr}), Json::array({to_base64("c"), to_base64("3")})});
  put("test/journal/records", journal.dump());
  Member second(*server_);
  ASSERT_TRUE(*second.lead());
  EXPECT_THAT(*second.open()->read_all(), ElementsAre(Pair("b", "1"), Pair("c", "3")));
  EXPECT_FALSE(call("/v3/kv/range", get_request("test/journal/records")).contains("kvs"));
  put("test/journal/records", "x");
  const auto damaged = second.open()->read_all();
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("'test/journal/records' of etcd is damaged"));
}

TEST_F(EtcdState, SaysThatAServerIsNoEtcd) {
  put("x", "");
  EtcdClient client(server_->options());
  const auto reply = client.call("/v9/none", Json::object(), platform::Deadline::in_ms(120'000));
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message, HasSubstr("it is no etcd of version 3.4 or later"));
}

TEST_F(EtcdState, UsesTlsWithCertificates) {
  std::string folder = std::filesystem::temp_directory_path() / "orbweaver-etcd-tls-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string certificate = folder + "/cert.pem", key = folder + "/key.pem";
  const std::string command =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=etcd -keyout " + key + " -out " +
      certificate +
      " -addext subjectAltName=IP:127.0.0.1 -addext extendedKeyUsage=serverAuth,clientAuth 2> " + folder +
      "/log";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "openssl is not installed (Debian: openssl)";
  EtcdOptions client;
  client.tls = true;
  client.ca_file = client.certificate = certificate;
  client.key = key;
  const EtcdServer server(client, {"--cert-file", certificate, "--key-file", key, "--trusted-ca-file",
                                   certificate, "--client-cert-auth"});
  {
    Member member(server);
    const auto led = member.lead();
    ASSERT_TRUE(led) << led.error().message;
    EXPECT_TRUE(member.open()->commit({{"a", "1"}}));
    EXPECT_THAT(member.text(), StartsWith("etcds://127.0.0.1:"));
  }
  const auto is_rejected = [&](EtcdOptions options) {
    options.servers = server.options().servers;
    const auto reply =
        EtcdClient(options).call("/v3/kv/range", get_request("a"), platform::Deadline::in_ms(1'000));
    return !reply;
  };
  EtcdOptions unknown = client, anonymous = client;
  unknown.ca_file.clear();
  anonymous.certificate = anonymous.key = "";
  EXPECT_TRUE(becomes_true([&] { return !is_rejected(client); }));
  EXPECT_TRUE(is_rejected(unknown));
  EXPECT_TRUE(is_rejected(anonymous));
  std::filesystem::remove_all(folder);
}

TEST_F(EtcdState, AuthenticatesAUser) {
  for (const auto& [path, request] : std::vector<std::pair<std::string, Json>>{
           {"/v3/auth/user/add", {{"name", "root"}, {"password", "secret"}}},
           {"/v3/auth/role/add", {{"name", "root"}}},
           {"/v3/auth/user/grant", {{"user", "root"}, {"role", "root"}}},
           {"/v3/auth/enable", Json::object()}})
    call(path, request);
  EXPECT_EQ(refusal(*server_).kind, ErrorKind::permission_denied);
  EXPECT_THAT(refusal(*server_).message, HasSubstr("give --etcd-user"));
  LeadershipOptions options;
  options.etcd = server_->options();
  options.prefix = "test/";
  options.etcd.user = "root";
  options.etcd.password = "wrong";
  const platform::WakeupFd never;
  const auto lead = [&](const std::unique_ptr<state::SharedState>& state) {
    return state->lead(
        never.fd(), [](auto&) {}, [](auto&) {});
  };
  const auto rejected = lead(make_etcd_state(options));
  ASSERT_FALSE(rejected);
  EXPECT_EQ(rejected.error().kind, ErrorKind::permission_denied);
  EXPECT_THAT(rejected.error().message, HasSubstr("correct --etcd-user"));
  options.etcd.password = "secret";
  const auto state = make_etcd_state(options);
  const auto led = lead(state);
  ASSERT_TRUE(led) << led.error().message;
  const auto store = state->open("records");
  EXPECT_TRUE(store->commit({{"a", "1"}}));
  server_->kill();  // which forgets the tokens
  server_->start();
  const auto again = store->commit({{"a", "2"}});
  EXPECT_TRUE(again || again.error().message.find("does not lead") != std::string::npos)
      << again.error().message;
}

}  // namespace
}  // namespace orbweaver::etcd
