// The requests of one thread to one object are dispatched in call order: over every transport, under every
// thread policy except `unordered`, and in the request queue of the object under this one, too.
#include <gmock/gmock.h>

#include <orbweaver/any.h>
#include <orbweaver/messaging.h>
#include <orbweaver/request_queue.h>

#include <optional>
#include <ostream>
#include <thread>

#include "platform/process_identity.h"
#include "platform/testing/thread_observer.h"
#include "testing/consecutive.h"
#include "testing/recorder.h"
#include "testing/test_orb.h"
#include "testing/thread_mode.h"

namespace orbtest {
namespace {

using RecorderRef = IDL::traits<OrderTest::Recorder>::ref_type;

struct Case {
  std::string threads, transport;
  bool queued = false;  // the object has a request queue
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.threads << " over " << c.transport << (c.queued ? ", with a request queue" : "");
}

class Order : public ::testing::TestWithParam<Case> {
 protected:
  Order() { start_server(); }
  ~Order() override { stop_server(); }

  void start_server() {
    server_.emplace(
        Options{"-ORBThreads", GetParam().threads, "-ORBListen", GetParam().transport + address_});
    using namespace PortableServer;
    CORBA::PolicyList policies{server_->root->create_lifespan_policy(LifespanPolicyValue::PERSISTENT),
                               server_->root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)};
    if (GetParam().queued) policies.push_back(orbweaver::make_request_queue_policy(4, 30'000));
    poa_ = make_poa(server_->root, "recorders", policies);
    poa_->activate_object_with_id({1}, recorder_);
    reference_ = server_->orb->object_to_string(poa_->servant_to_reference(recorder_));  // listens
    if (GetParam().threads == "single") running_ = std::thread([orb = server_->orb] { orb->run(); });
  }
  void stop_server() {
    server_->orb->shutdown(false);
    if (running_.joinable()) running_.join();
    poa_ = nullptr;
    server_.reset();
  }
  /// A client whose calls are recorded; the numbers begin at 0.
  void connect(Options options = {}) {
    options.insert(options.end(), {"-ORBTransportPreference", GetParam().transport, "-ORBCallTimeout",
                                   "120000", "-ORBTune", "fragment-bytes=1024"});
    client_.emplace(options);
    recorder = narrow(client_->orb->string_to_object(reference_));
  }
  static RecorderRef narrow(const ObjectRef& object) {
    return IDL::traits<OrderTest::Recorder>::narrow(object);
  }
  RecorderRef with(Messaging::SyncScope scope) {
    CORBA::Any value;
    value <<= scope;
    return narrow(recorder->_set_policy_overrides(
        {client_->orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value)},
        CORBA::SetOverrideType::ADD_OVERRIDE));
  }
  /// Sends one-way calls, and a two-way call after every tenth: datagrams are lost if too many are unread.
  void send(const RecorderRef& to, std::int32_t count, const std::vector<std::size_t>& sizes) {
    for (std::int32_t i = 0; i < count; ++i) {
      if (i % 10 == 9) {
        EXPECT_EQ(to->record_and_count(next_), next_ + 1) << "a two-way call overtook a one-way call";
      } else {
        const std::size_t bytes = sizes[static_cast<std::size_t>(next_) % sizes.size()];
        to->record(next_, OrderTest::Octets(std::min(bytes, max_bytes_)));
      }
      ++next_;
    }
  }
  void expect_all_in_order() {
    EXPECT_TRUE(becomes_true([&] { return recorder_->numbers().size() >= static_cast<std::size_t>(next_); }));
    EXPECT_EQ(recorder_->numbers(), consecutive(0, next_ - 1));
  }

  RecorderRef recorder;
  PoaRef poa_;
  std::optional<TestOrb> server_, client_;

 private:
  const std::string address_ =
      GetParam().transport == "tcp" || GetParam().transport == "udp"
          ? ":127.0.0.1:" + free_port()
          : (GetParam().transport == "unix" ? ":@orbweaver-order-" : ":orbweaver-order-") +
                std::to_string(orbweaver::platform::process_id());
  const CORBA::object_reference<Recorder> recorder_ = CORBA::make_reference<Recorder>();
  const std::size_t max_bytes_ = GetParam().transport == "udp" ? 1'500 : SIZE_MAX;
  std::string reference_;
  std::thread running_;
  std::int32_t next_ = 0;
};

TEST_P(Order, IsKeptForMessagesOfAllSizes) {
  connect();
  send(recorder, 300, {0, 40'000, 0, 100, 5'000, 1'500});  // in one frame, and in fragments
  expect_all_in_order();
}

TEST_P(Order, IsKeptForBatches) {
  connect({"-ORBTune", "batch-delay-us=10000000", "-ORBTune", "batch-bytes=2048"});
  send(recorder, 300, {0, 0, 0, 3'000, 0, 0, 100});
  recorder->_non_existent();  // sends the last batch
  expect_all_in_order();
}

TEST_P(Order, IsKeptForAllSyncScopes) {
  connect();
  const RecorderRef scopes[] = {with(Messaging::SYNC_NONE), with(Messaging::SYNC_WITH_TRANSPORT),
                                with(Messaging::SYNC_WITH_SERVER), with(Messaging::SYNC_WITH_TARGET)};
  for (std::size_t i = 0; i < 100; ++i) send(scopes[i * 7 % 4], 1, {0, 2'000});
  expect_all_in_order();
}

TEST_P(Order, IsKeptWhileAPoaManagerHoldsRequests) {
  connect();
  send(recorder, 10, {0});
  for (int i = 0; i < 5; ++i) {
    poa_->the_POAManager()->hold_requests(false);
    send(recorder, 2, {0});  // fewer than fill the smallest queue
    poa_->the_POAManager()->activate();
    send(recorder, 1, {0});
    expect_all_in_order();
  }
}

TEST_P(Order, IsKeptAcrossAReconnect) {
  if (GetParam().transport == "udp") GTEST_SKIP() << "calls to a server that has gone are lost";
  connect();
  for (int i = 0; i < 3; ++i) {
    send(recorder, 50, {0, 1'500});
    expect_all_in_order();
    stop_server();
    // A claim over shm detects the end once the thread that watches connections has reported it.
    EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
    start_server();
  }
  send(recorder, 50, {0});
  expect_all_in_order();
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* transport : {"inproc", "shm", "unix", "mqueue", "tcp", "udp"}) {
    for (const char* threads : {"connection", "pool:2", "single"}) all.push_back({threads, transport});
    for (const char* threads : {"connection", "pool:2", "unordered:2", "single"})
      all.push_back({threads, transport, true});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Cases, Order, ::testing::ValuesIn(cases()), [](const auto& tested) {
  return name_of_value(tested.param.threads + "_" + tested.param.transport +
                       (tested.param.queued ? "_queued" : ""));
});

}  // namespace
}  // namespace orbtest
