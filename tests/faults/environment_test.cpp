// Other users, other namespaces and exhausted resources, over the transports within a host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "peer.h"
#include "platform/testing/forked_process.h"
#include "transport/plugins.h"
#include "transport/testing/ends.h"

namespace faulttest {
namespace {

using namespace orbweaver::transport;
using orbweaver::Error;
using orbweaver::ErrorKind;
using orbweaver::platform::testing::ForkedProcess;
using ::testing::HasSubstr;

constexpr unsigned kNobody = 65534;

std::vector<std::string> local_transports() {
  std::vector<std::string> all = transports();
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
    auto acceptor = transport.listen("", options());
    EXPECT_TRUE(acceptor);
    return std::move(*acceptor);
  }
  auto connect(const std::string& address, int ms = 5'000) {
    return transport.connect(address, options(), Deadline::in_ms(ms));
  }
  /// Whether a frame can be sent in both directions between two ends in this process.
  bool a_connection_works() {
    auto acceptor = transport.listen("", options());
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
  /// Whether `body` returns true in a child process.
  template <class Body>
  static bool in_child(Body&& body) {
    ForkedProcess child([&] {
      if (!body()) ForkedProcess::fail();
    });
    return child.reap();
  }

  Transport& transport = *find(GetParam());
};

TEST_P(Environment, RejectsAClientOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto acceptor = listening();
  const std::string address = acceptor->address();
  ForkedProcess other([&] {
    if (setuid(kNobody) != 0) ForkedProcess::fail();
    auto channel = connect(address);
    // Either the connect fails, or the server closes the connection at once.
    if (channel && (*channel)->receive(Deadline::in_ms(120'000)).error().kind != ErrorKind::disconnected)
      ForkedProcess::fail();
  });
  std::thread accepting([&] { EXPECT_FALSE(acceptor->accept()); });
  EXPECT_TRUE(other.reap());
  acceptor->close();
  accepting.join();
}

TEST_P(Environment, RejectsAServerOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  ForkedProcess other([&] {
    if (setuid(kNobody) != 0) ForkedProcess::fail();
    auto acceptor = listening();
    const std::string& address = acceptor->address();
    if (write(ready[1], address.data(), address.size()) < 0) ForkedProcess::fail();
    (void)acceptor->accept();
    ForkedProcess::pause_forever();
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

TEST_P(Environment, WorksAcrossNamespaces) {
  auto acceptor = listening();
  const std::string address = acceptor->address();
  ForkedProcess elsewhere([&] {
    // Its own PID, mount and IPC namespaces, and a /dev/shm of 4 KiB.
    if (unshare(CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC) != 0) _exit(7);
    const pid_t first = fork();
    if (first == 0) {
      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
      mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=4k");
      auto near = connect(address);
      using namespace orbweaver::transport::testing;
      const bool good =
          near && send_frame(**near, 3000, 1) && receives(**near, 3000, 2) && a_connection_works();
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
  if (result == 7) GTEST_SKIP() << "this process may not create namespaces";
  EXPECT_EQ(result, 0);
}

TEST_P(Environment, FailsCleanlyWhenOutOfDescriptors) {
  EXPECT_TRUE(in_child([&] {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    for (int spare = 0; spare <= 16; ++spare) {
      auto acceptor = listening();
      const int first_free = dup(0);
      close(first_free);
      orbweaver::platform::testing::set_descriptor_limit(first_free + spare);
      std::unique_ptr<Channel> far;
      std::thread accepting([&] {
        if (auto accepted = acceptor->accept()) far = std::move(*accepted);
      });
      auto near = connect(acceptor->address(), 200);
      if (!near && near.error().message.empty()) return false;
      if (!near) acceptor->close();
      setrlimit(RLIMIT_NOFILE, &before);
      if (near) {
        // An established connection must detect its close.
        (*near)->close();
        acceptor->close();
      }
      accepting.join();
      if (far && far->receive(Deadline::in_ms(120'000)).error().kind != ErrorKind::disconnected) return false;
      near = Error{ErrorKind::unavailable, "closed"};
      far = nullptr;
      if (!a_connection_works()) return false;
    }
    return true;
  }));
}

INSTANTIATE_TEST_SUITE_P(Transports, Environment, ::testing::ValuesIn(local_transports()),
                         [](const auto& i) { return i.param; });

TEST(MessageQueueEnvironment, ReportsTheExhaustedQueueLimit) {
  if (geteuid() != 0 || find("mqueue") == nullptr)
    GTEST_SKIP() << "only root can become a user without queues";
  ForkedProcess child([&] {
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_MSGQUEUE, &none) != 0 || setuid(kNobody) != 0) ForkedProcess::fail();
    const ChannelOptions options = orbweaver::transport::testing::options_for();
    auto acceptor = find("mqueue")->listen("", options);
    if (!acceptor) ForkedProcess::fail();
    std::thread accepting([&] { (void)(*acceptor)->accept(); });
    auto channel = find("mqueue")->connect((*acceptor)->address(), options, Deadline::in_ms(120'000));
    (*acceptor)->close();
    accepting.join();
    if (channel || channel.error().message.find("RLIMIT_MSGQUEUE") == std::string::npos)
      ForkedProcess::fail();
  });
  EXPECT_TRUE(child.reap());
}

}  // namespace
}  // namespace faulttest
