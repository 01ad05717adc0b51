// The warning of a server whose POA manager holds requests for long.
#include <gmock/gmock.h>
#include <unistd.h>

#include <orbweaver/request_queue.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "platform/testing/thread_observer.h"
#include "testing/test_orb.h"

namespace orbtest {
namespace {

using ::testing::HasSubstr;

/// Captures stderr during its lifetime. The text can be read meanwhile.
class ErrorOutput {
 public:
  ErrorOutput() : file_(std::tmpfile()), before_(::dup(STDERR_FILENO)) {
    ::dup2(::fileno(file_), STDERR_FILENO);
  }
  ~ErrorOutput() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    std::fclose(file_);
  }
  ErrorOutput(const ErrorOutput&) = delete;
  ErrorOutput& operator=(const ErrorOutput&) = delete;

  std::string text() const {
    std::ifstream in("/proc/self/fd/" + std::to_string(::fileno(file_)), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::FILE* file_;
  int before_;
};

/// Number of occurrences of `part` in `text`.
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class HoldingPoaManager : public ::testing::TestWithParam<const char*> {};

TEST_P(HoldingPoaManager, IsLoggedOnceWithASolution) {
  TestOrb server{Options{"-ORBThreads", GetParam()}}, client{Options{"-ORBTransportPreference", "unix"}};
  const ServantRef servant = CORBA::make_reference<Servant>();
  const PoaRef poa = make_poa(server.root, "sleepy");
  poa->activate_object(servant);
  const CallsRef calls = client.at(server.reference(poa, servant));
  poa->the_POAManager()->hold_requests(false);
  const ErrorOutput output;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      TestOrb another{Options{"-ORBTransportPreference", "unix"}};
      EXPECT_EQ(another.unchecked(server.reference(poa, servant))->twice(2), 4);
    });
  }
  EXPECT_TRUE(becomes_true([&] { return !output.text().empty(); }));
  poa->the_POAManager()->activate();
  for (std::thread& caller : callers) caller.join();
  const std::string text = output.text();
  EXPECT_THAT(
      text, HasSubstr("warn: requests for objects of POA 'sleepy' have been held for 1 s: its POA manager is "
                      "holding; call the_POAManager()->activate() on that POA"));
  EXPECT_EQ(count(text, "have been held"), 1u);
}

/// Also after the warning, when nothing else ends the wait; with a request queue, too.
TEST_P(HoldingPoaManager, RejectsRequestsForAnObjectThatIsDeactivated) {
  TestOrb server{Options{"-ORBThreads", GetParam()}};
  for (const bool has_queue : {false, true}) {
    const ServantRef servant = CORBA::make_reference<Servant>();
    const PoaRef poa = make_poa(
        server.root, has_queue ? "queued" : "plain",
        has_queue ? CORBA::PolicyList{orbweaver::make_request_queue_policy(2, 10'000)} : CORBA::PolicyList{});
    poa->activate_object(servant);
    poa->the_POAManager()->hold_requests(false);
    const ErrorOutput output;
    std::thread caller([&] {
      TestOrb client{Options{"-ORBTransportPreference", "unix", "-ORBCallTimeout", "120000"}};
      EXPECT_THROW(client.unchecked(server.reference(poa, servant))->twice(2), CORBA::OBJECT_NOT_EXIST);
    });
    EXPECT_TRUE(becomes_true([&] { return count(output.text(), "have been held") == 1; }));
    EXPECT_TRUE(becomes_true([] { return orbweaver::platform::testing::other_threads_sleep(); }));
    poa->deactivate_object(poa->servant_to_id(servant));
    caller.join();
  }
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, HoldingPoaManager,
                         ::testing::Values("connection", "pool:2", "unordered:2"),
                         [](const auto& tested) { return std::string(tested.param).substr(0, 4); });

}  // namespace
}  // namespace orbtest
