// Event channels and logs with clients of another ORB.
#include <gtest/gtest.h>
#include <orbweaver/orb.h>
#include <orbweaver/services/event_service.h>
#include <orbweaver/services/log_service.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "StandardEventC.h"
#include "base/temporary_folder.h"
#include "platform/process.h"
#include "platform/testing/becomes_true.h"

namespace orbweaver::services {
namespace {

using platform::testing::becomes_true;

/// Reads a line without its end.
std::string read_line(FILE* from) {
  std::string line;
  for (int c = std::fgetc(from); c != EOF && c != '\n'; c = std::fgetc(from)) line += static_cast<char>(c);
  return line;
}

/// Pushes events until the dead consumer has been removed: a call during which it died is not repeated.
bool removed(const EventChannel& channel, const CORBA::Any& event) {
  return becomes_true([&] {
    channel.push(event);
    return channel.counts().consumers == 0;
  });
}

class OmniOrbClient : public ::testing::Test {
 protected:
  OmniOrbClient() {
    std::vector<std::string> words = {"test", "-ORBListen", "tcp:127.0.0.1:0"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int argc = static_cast<int>(words.size());
    orb = CORBA::ORB_init(argc, argv.data());
    root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
  }
  ~OmniOrbClient() override { orb->destroy(); }

  /// Runs the client to its end and returns its line.
  std::string run(const std::string& what, const CORBA::object_reference<CORBA::Object>& object,
                  const std::string& argument = {}) {
    const std::string command = std::string(ORBWEAVER_OMNIORB_CLIENT) + " " + what + " " +
                                orb->object_to_string(object) + " " + argument;
    FILE* const client = popen(command.c_str(), "r");
    std::string line = read_line(client);
    EXPECT_EQ(pclose(client), 0);
    return line;
  }

  IDL::traits<CORBA::ORB>::ref_type orb;
  IDL::traits<PortableServer::POA>::ref_type root;
};

TEST_F(OmniOrbClient, SuppliesAndConsumesEventsOfAChannel) {
  EventService service(root);
  EventChannelOptions options;
  options.poll_ms = 1;
  options.call_timeout_ms = 600'000;
  const EventChannel channel = service.create_channel(options);
  // The client waits for this file before it destroys the channel.
  const TemporaryFolder folder("orbweaver-events");
  const std::string all_received = (folder.path() / "all-received").string();
  std::atomic<int> expected{0}, wrong{0};
  const auto subscription = channel.subscribe([&](const CORBA::Any& any) {
    StandardEvent::DomainManagementObjectRemovedEventType removed;
    const bool found = any >>= removed;
    wrong += !found || removed.producerId() != "omniORB" || removed.sourceId() != std::to_string(++expected);
    if (expected == 53) std::ofstream(all_received) << "all";
  });
  EXPECT_EQ(run("events", channel.reference(), "50 " + all_received),
            "received 53 in order 1 pulled 53 more 0 connected once 1 nil rejected 1 disconnected 1");
  EXPECT_EQ(expected, 53);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(channel.counts().removed, 0u);
  service.shutdown();
}

TEST_F(OmniOrbClient, IsRemovedWhenItsProcessIsKilled) {
  EventService service(root);
  EventChannelOptions options;
  options.retry_ms = 1;
  const EventChannel channel = service.create_channel(options);
  platform::ChildProcess client;
  platform::SpawnRequest request;
  request.program = ORBWEAVER_OMNIORB_CLIENT;
  request.arguments = {"consume", orb->object_to_string(channel.reference())};
  ASSERT_EQ(client.spawn(request), 0);
  ASSERT_TRUE(becomes_true([&] { return channel.counts().consumers == 1; }));
  CORBA::Any event;
  event <<= 1;
  channel.push(event);
  ASSERT_TRUE(becomes_true([&] { return channel.counts().delivered == 1; }));
  client.kill();
  client.reap();
  EXPECT_TRUE(removed(channel, event));
  EXPECT_TRUE(becomes_true([&] { return service.threads() == 0; }));
  EXPECT_EQ(channel.counts().removed, 1u);
  service.shutdown();
}

TEST_F(OmniOrbClient, IsRemovedWhenItsProcessIsKilledInAPush) {
  EventService service(root);
  EventChannelOptions options;
  options.retry_ms = 1;
  options.call_timeout_ms = 600'000;
  const EventChannel channel = service.create_channel(options);
  platform::ChildProcess client;
  platform::SpawnRequest request;
  request.program = ORBWEAVER_OMNIORB_CLIENT;
  request.arguments = {"consume", orb->object_to_string(channel.reference())};
  ASSERT_EQ(client.spawn(request), 0);
  ASSERT_TRUE(becomes_true([&] { return channel.counts().consumers == 1; }));
  CORBA::Any event;
  event <<= 1;
  channel.push(event);
  ASSERT_TRUE(channel.drain(Deadline::never()));  // the connection exists
  client.signal(SIGSTOP);
  waitpid(client.pid(), nullptr, WUNTRACED);  // until it has stopped
  channel.push(event);
  channel.push(event);
  ASSERT_TRUE(becomes_true([&] { return channel.consumers().at(0).queued == 1; }))
      << "one is being delivered";
  client.kill();
  client.reap();
  EXPECT_TRUE(removed(channel, event));
  EXPECT_TRUE(becomes_true([&] { return service.threads() == 0; }));
  const EventChannelCounts counts = channel.counts();
  EXPECT_EQ(counts.delivered, 1u);
  EXPECT_EQ(counts.failed + counts.discarded, counts.accepted - 1);
  service.shutdown();
}

TEST_F(OmniOrbClient, UsesALog) {
  const LightweightLog log(root);
  EXPECT_EQ(run("log", log.reference()),
            "records 3 read 2 next 4 first b level 8 rejected 1 off duty 0 full 0");
  EXPECT_EQ(log.read(1, 10).at(2).producer_id, "omniORB");
}

}  // namespace
}  // namespace orbweaver::services
