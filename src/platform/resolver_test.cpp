// Resolving host names with a deadline. This program replaces getaddrinfo, so that a name server need not
// answer.
#include "platform/resolver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "platform/testing/becomes_true.h"
#include "platform/testing/waiting_thread.h"

namespace {

/// The name server of the zone "example".
struct NameServer {
  std::mutex mutex;
  std::condition_variable changed;
  bool answers = false;
  int asked = 0;
  int waiting = 0;
};
NameServer& name_server() {
  static NameServer& instance = *new NameServer;
  return instance;
}

}  // namespace

extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* hints, addrinfo** found) {
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  static const auto system = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "getaddrinfo"));
  const bool is_numeric = (hints->ai_flags & AI_NUMERICHOST) != 0;
  if (host == nullptr || is_numeric || std::strstr(host, ".example") == nullptr)
    return system(host, service, hints, found);
  NameServer& server = name_server();
  std::unique_lock lock(server.mutex);
  ++server.asked;
  ++server.waiting;
  server.changed.notify_all();
  server.changed.wait_for(lock, orbweaver::platform::testing::kHangTimeout, [&] { return server.answers; });
  --server.waiting;
  server.changed.notify_all();
  if (std::strcmp(host, "unknown.example") == 0) return EAI_NONAME;
  return system("127.0.0.1", service, hints, found);
}

namespace orbweaver::platform {
namespace {

class ResolverTest : public ::testing::Test {
 protected:
  ~ResolverTest() override {
    answer(true);
    {
      std::unique_lock lock(name_server().mutex);
      name_server().changed.wait(lock, [] { return name_server().waiting == 0; });
    }
    // No lookup is left to the next test: each has ended once others can begin.
    for (std::size_t i = 0; i < kMaxLookups; ++i) EXPECT_EQ(resolve(hang_deadline(), i).problem, "");
    answer(false);
  }
  static Deadline hang_deadline() { return Deadline::in_ms(120'000); }
  static ResolvedAddresses resolve(Deadline deadline, std::size_t number = 0) {
    return resolve_tcp("host" + std::to_string(number) + ".example", 4711, false, deadline);
  }
  static void answer(bool answers) {
    const std::lock_guard lock(name_server().mutex);
    name_server().answers = answers;
    name_server().asked = 0;
    name_server().changed.notify_all();
  }
  static void wait_for_lookups(int number) {
    std::unique_lock lock(name_server().mutex);
    name_server().changed.wait(lock, [&] { return name_server().asked >= number; });
  }
};

TEST_F(ResolverTest, ReturnsAtTheDeadlineWithoutAnAnswer) {
  const ResolvedAddresses result = resolve(Deadline::in_ms(10));
  EXPECT_TRUE(result.timed_out);
  EXPECT_TRUE(result.temporary);
  EXPECT_EQ(result.problem, "the name server did not answer in time");
}

TEST_F(ResolverTest, ReturnsAnAnswerThatArrivesBeforeTheDeadline) {
  ResolvedAddresses result;
  testing::WaitingThread caller([&] { result = resolve(hang_deadline()); });
  wait_for_lookups(1);
  ASSERT_TRUE(caller.waits());
  answer(true);
  caller.join();
  ASSERT_EQ(result.problem, "");
  EXPECT_EQ(result.addresses.at(0).text(), "127.0.0.1:4711");
}

TEST_F(ResolverTest, LimitsTheLookupsInProgress) {
  for (std::size_t i = 0; i < kMaxLookups; ++i) EXPECT_TRUE(resolve(Deadline::in_ms(1), i).timed_out);
  wait_for_lookups(static_cast<int>(kMaxLookups));
  EXPECT_TRUE(resolve(Deadline::in_ms(10), kMaxLookups).timed_out);
  const std::lock_guard lock(name_server().mutex);
  EXPECT_EQ(name_server().asked, static_cast<int>(kMaxLookups));
}

TEST_F(ResolverTest, ResolvesNumericAddressesWhileNoLookupIsFree) {
  for (std::size_t i = 0; i < kMaxLookups; ++i) EXPECT_TRUE(resolve(Deadline::in_ms(1), i).timed_out);
  EXPECT_EQ(resolve_tcp("127.0.0.1", 1, false, Deadline::in_ms(1)).addresses.at(0).text(), "127.0.0.1:1");
  EXPECT_EQ(resolve_tcp("::1", 1, false, Deadline::in_ms(1)).addresses.at(0).text(), "[::1]:1");
}

TEST_F(ResolverTest, AsksOnceForANameThatSeveralCallersWaitFor) {
  for (std::size_t i = 0; i < 2 * kMaxLookups; ++i) EXPECT_TRUE(resolve(Deadline::in_ms(1)).timed_out);
  wait_for_lookups(1);
  ResolvedAddresses first, second;
  testing::WaitingThread caller([&] { first = resolve(hang_deadline()); });
  testing::WaitingThread other([&] { second = resolve(hang_deadline()); });
  ASSERT_TRUE(caller.waits());
  ASSERT_TRUE(other.waits());
  {
    const std::lock_guard lock(name_server().mutex);
    EXPECT_EQ(name_server().asked, 1);
  }
  answer(true);
  caller.join();
  other.join();
  EXPECT_EQ(first.addresses.size(), 1u);
  EXPECT_EQ(second.addresses.size(), 1u);
}

TEST_F(ResolverTest, ReportsAnUnknownNameAsPermanent) {
  answer(true);
  const ResolvedAddresses result = resolve_tcp("unknown.example", 1, false, hang_deadline());
  EXPECT_TRUE(result.addresses.empty());
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.temporary);
  EXPECT_NE(result.problem, "");
}

}  // namespace
}  // namespace orbweaver::platform
