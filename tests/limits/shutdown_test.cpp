// Clients that do not read their replies delay a shutdown together as long as a single one.
#include <gmock/gmock.h>

#include <future>

#include "base/log.h"
#include "platform/socket_address.h"
#include "serving.h"

namespace orbtest {
namespace {

namespace platform = orbweaver::platform;
using platform::Deadline;
using ::testing::HasSubstr;

/// A client over a Unix socket which sends more requests than the sockets hold and reads no reply.
platform::Fd stuck_client(const std::string& name, const Octets& question) {
  platform::Fd socket =
      std::move(platform::connect_to(platform::unix_address(name), Deadline::in_ms(120'000)).fd);
  int full = 0;
  for (std::size_t sent = 0; full < 20;) {
    const auto some = platform::send(socket, std::span(question).subspan(sent), platform::Blocking::no);
    sent = (sent + some.bytes) % question.size();
    full = some.bytes == 0 ? full + 1 : 0;
    if (full != 0) std::this_thread::sleep_for(1ms);
  }
  return socket;
}

class Shutdown : public ::testing::TestWithParam<const char*> {};

TEST_P(Shutdown, WaitsForAllStuckClientsTogether) {
  constexpr int kClients = 70;  // one after the other, at a second each, takes longer than the test waits
  const std::string name = "@orbweaver-stuck-" + std::to_string(platform::process_id()) + "-" +
                           std::string(GetParam()).substr(0, 4);
  auto server =
      std::make_unique<TestServer>(GetParam(), Options{"-ORBListen", "tcp,unix:" + name, "-ORBLog", "error"});
  const Octets question =
      request(1, server->address().key, "echo").ulong(100'000).octets(Octets(100'000)).bytes();
  std::vector<platform::Fd> stuck;
  for (int i = 0; i < kClients; ++i) stuck.push_back(stuck_client(name, question));
  auto shutdown_done = std::async(std::launch::async, [&] { server = nullptr; });
  EXPECT_EQ(shutdown_done.wait_for(60s), std::future_status::ready);
  stuck.clear();
}

TEST_P(Shutdown, LogsStuckClientsAtALimitedRate) {
  constexpr int kClients = 30;
  const std::string name = "@orbweaver-named-" + std::to_string(platform::process_id()) + "-" +
                           std::string(GetParam()).substr(0, 4);
  orbweaver::log::reset_limits();
  ::testing::internal::CaptureStderr();
  auto server =
      std::make_unique<TestServer>(GetParam(), Options{"-ORBListen", "tcp,unix:" + name, "-ORBLog", "warn"});
  const Octets question =
      request(1, server->address().key, "echo").ulong(100'000).octets(Octets(100'000)).bytes();
  std::vector<platform::Fd> stuck;
  for (int i = 0; i < kClients; ++i) stuck.push_back(stuck_client(name, question));
  server = nullptr;
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("does not read its reply: process " + std::to_string(platform::process_id())));
  std::size_t lines = 0;
  const std::string message = "closed at shutdown:";
  for (std::size_t at = log.find(message); at != std::string::npos; at = log.find(message, at + 1)) ++lines;
  EXPECT_LT(lines, std::size_t{kClients}) << log;
}

INSTANTIATE_TEST_SUITE_P(ThreadModes, Shutdown, ::testing::Values("connection", "pool:2", "unordered:2"),
                         [](const auto& tested) {
                           return std::string(tested.param).substr(0, std::string(tested.param).find(':'));
                         });

}  // namespace
}  // namespace orbtest
