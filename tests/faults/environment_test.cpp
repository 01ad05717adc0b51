// Other users, other name spaces, and resources that run out, where roads within a host meet them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "peer.h"
#include "platform/testing/forked.h"
#include "transport/plugins.h"
#include "transport/testing/ends.h"

namespace faulttest {
namespace {

using namespace orbweaver::transport;
using orbweaver::Error;
using orbweaver::Remedy;
using ::testing::HasSubstr;
using orbweaver::platform::testing::Forked;

constexpr unsigned kNobody = 65534;

std::vector<std::string> local_roads() {
  std::vector<std::string> all = roads();
  std::erase(all, "tcp");
  return all;
}

class Environment : public ::testing::TestWithParam<std::string> {
 protected:
  static ChannelOptions options() {
    ChannelOptions some = orbweaver::transport::testing::options_for();
    some.ring_bytes = 4096;
    return some;
  }
  std::unique_ptr<Acceptor> listening() {
    auto acceptor = road.listen("", options());
    EXPECT_TRUE(acceptor);
    return std::move(*acceptor);
  }
  auto connect(const std::string& address, int ms = 5'000) { return road.connect(address, options(), Deadline::in_ms(ms)); }
  /// Both ends here: a frame goes there and back.
  bool a_connection_works() {
    auto acceptor = road.listen("", options());
    if (!acceptor) return false;
    std::unique_ptr<Channel> far;
    std::thread accepting([&] {
      if (auto accepted = (*acceptor)->accept()) far = std::move(*accepted);
    });
    auto near = connect((*acceptor)->address());
    if (!near) (*acceptor)->close();
    accepting.join();
    return near && far && answers(**near, *far);
  }
  static bool answers(Channel& near, Channel& far) {
    using namespace orbweaver::transport::testing;
    return send_frame(near, 3000, 1, Deadline::in_ms(120'000)) && receives(far, 3000, 1) &&
           send_frame(far, 3000, 2, Deadline::in_ms(120'000)) && receives(near, 3000, 2);
  }
  /// Runs in a child, which has to come to its end.
  template <class Body>
  static bool in_child(Body&& body) {
    Forked child([&] {
      if (!body()) Forked::fail();
    });
    return child.reap();
  }

  Transport& road = *find(GetParam());
};

TEST_P(Environment, AClientOfAnotherUserIsTurnedAway) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto acceptor = listening();
  const std::string address = acceptor->address();
  Forked other([&] {
    if (setuid(kNobody) != 0) Forked::fail();
    auto channel = connect(address);
    // Either it is not even let in, or all that it hears is the end.
    if (channel && (*channel)->receive(Deadline::in_ms(120'000)).error().remedy != Remedy::reconnect) Forked::fail();
  });
  std::thread accepting([&] { EXPECT_FALSE(acceptor->accept()); });
  EXPECT_TRUE(other.reap());
  acceptor->close();
  accepting.join();
}

TEST_P(Environment, AServerOfAnotherUserIsNotTrusted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  Forked other([&] {
    if (setuid(kNobody) != 0) Forked::fail();
    auto acceptor = listening();
    const std::string& address = acceptor->address();
    if (write(ready[1], address.data(), address.size()) < 0) Forked::fail();
    (void)acceptor->accept();
    Forked::sleep_for_ever();
  });
  char address[256];
  const ssize_t bytes = read(ready[0], address, sizeof address);
  ASSERT_GT(bytes, 0);
  auto channel = connect(std::string(address, static_cast<std::size_t>(bytes)));
  EXPECT_FALSE(channel);
  if (!channel) {
    EXPECT_THAT(channel.error().message, HasSubstr("user 65534"));
  }
  close(ready[0]);
  close(ready[1]);
}

TEST_P(Environment, NameSpacesApartAreNoHindrance) {
  auto acceptor = listening();
  const std::string address = acceptor->address();
  Forked elsewhere([&] {
    // Processes, mounts and System V objects of its own, and no room in /dev/shm.
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC) != 0) _exit(7);
    const pid_t first = fork();
    if (first == 0) {
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4k");
      auto near = connect(address);
      using namespace orbweaver::transport::testing;
      const bool good = near && send_frame(**near, 3000, 1) && receives(**near, 3000, 2) && a_connection_works();
      _exit(good ? 0 : 1);
    }
    int status = 0;
    waitpid(first, &status, 0);
    _exit(WEXITSTATUS(status));
  });
  std::thread serving([&] {
    using namespace orbweaver::transport::testing;
    auto far = acceptor->accept();
    if (!far) return;
    EXPECT_TRUE(receives(**far, 3000, 1));
    EXPECT_TRUE(ok(send_frame(**far, 3000, 2)));
    (void)(*far)->receive(Deadline::in_ms(120'000));
  });
  const int result = elsewhere.reap_status();
  acceptor->close();
  serving.join();
  if (result == 7) GTEST_SKIP() << "this process may not make name spaces";
  EXPECT_EQ(result, 0);
}

TEST_P(Environment, DescriptorsThatRunOutAnywhereAreAnErrorAndNothingElse) {
  EXPECT_TRUE(in_child([&] {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    for (int spare = 0; spare <= 16; ++spare) {
      auto acceptor = listening();
      const int first_free = dup(0);
      close(first_free);
      orbweaver::platform::testing::limit_descriptors(first_free + spare);
      std::unique_ptr<Channel> far;
      std::thread accepting([&] {
        if (auto accepted = acceptor->accept()) far = std::move(*accepted);
      });
      auto near = connect(acceptor->address(), 200);
      if (!near && near.error().message.empty()) return false;
      if (!near) acceptor->close();
      setrlimit(RLIMIT_NOFILE, &before);
      if (near) {
        // What came about has to work, and to notice its end.
        (*near)->close();
        acceptor->close();
      }
      accepting.join();
      if (far && far->receive(Deadline::in_ms(120'000)).error().remedy != Remedy::reconnect) return false;
      near = Error{Remedy::give_up, "gone"};
      far = nullptr;
      if (!a_connection_works()) return false;
    }
    return true;
  }));
}

INSTANTIATE_TEST_SUITE_P(Roads, Environment, ::testing::ValuesIn(local_roads()), [](const auto& i) { return i.param; });

TEST(EnvironmentOfQueues, AUserWithoutQueuesIsToldWhichLimitItIs) {
  if (geteuid() != 0 || find("mqueue") == nullptr) GTEST_SKIP() << "only root can become a user without queues";
  Forked child([&] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_MSGQUEUE, &none) != 0 || setuid(kNobody) != 0) Forked::fail();
    const ChannelOptions options = orbweaver::transport::testing::options_for();
    auto acceptor = find("mqueue")->listen("", options);
    if (!acceptor) Forked::fail();
    std::thread accepting([&] { (void)(*acceptor)->accept(); });
    auto channel = find("mqueue")->connect((*acceptor)->address(), options, Deadline::in_ms(120'000));
    (*acceptor)->close();
    accepting.join();
    if (channel || channel.error().message.find("RLIMIT_MSGQUEUE") == std::string::npos) Forked::fail();
  });
  EXPECT_TRUE(child.reap());
}

}  // namespace
}  // namespace faulttest
