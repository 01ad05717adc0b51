// Tests of Unix sockets with files: ownership, removal and replacement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "transport/local_peer.h"
#include "transport/testing/ends.h"

namespace orbweaver::transport::testing {
namespace {

using ::testing::HasSubstr;

class UnixFile : public ::testing::Test {
 protected:
  UnixFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "orbweaver-unix-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~UnixFile() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "s") const { return (folder_ / name).string(); }
  static ChannelOptions options() {
    ChannelOptions o;
    o.frame_length = test_frame_length;
    return o;
  }
  static Result<std::unique_ptr<Acceptor>> listen(const std::string& address) {
    return unix_transport().listen(address, options());
  }

  std::filesystem::path folder_;
};

TEST_F(UnixFile, IsAccessibleOnlyByItsOwner) {
  auto acceptor = listen(path());
  ASSERT_TRUE(ok(acceptor));
  struct stat file {};
  ASSERT_EQ(stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
}

TEST_F(UnixFile, IsRemovedWithItsListener) {
  ASSERT_TRUE(ok(listen(path())));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(UnixFile, ReplacesTheFileOfAKilledServer) {
  const pid_t child = fork();
  if (child == 0) {
    auto acceptor = listen(path());
    _exit(acceptor ? 0 : 1);  // without closing, like a killed process
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(std::filesystem::exists(path()));
  EXPECT_TRUE(ok(listen(path())));
}

TEST_F(UnixFile, KeepsTheFileOfARunningServer) {
  auto first = listen(path());
  ASSERT_TRUE(ok(first));
  auto second = listen(path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(second.error().message, HasSubstr("another process"));
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(UnixFile, KeepsAFileThatIsNotASocket) {
  std::ofstream(path()) << "letters";
  EXPECT_FALSE(listen(path()));
  std::string text;
  std::ifstream(path()) >> text;
  EXPECT_EQ(text, "letters");
}

TEST_F(UnixFile, KeepsTheFileOfTheNextServer) {
  auto first = listen(path());
  ASSERT_TRUE(ok(first));
  std::filesystem::remove(path());
  auto second = listen(path());
  ASSERT_TRUE(ok(second));
  first->reset();
  EXPECT_TRUE(std::filesystem::exists(path()));
}

TEST_F(UnixFile, RejectsAPathBeyondTheLimit) {
  auto acceptor = listen(path(std::string(120, 'x')));
  ASSERT_FALSE(acceptor);
  EXPECT_EQ(acceptor.error().kind, ErrorKind::invalid);
  EXPECT_THAT(acceptor.error().message, HasSubstr("107 bytes"));
}

TEST_F(UnixFile, RejectsAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  auto acceptor = listen("");  // an abstract name: no file mode restricts access
  ASSERT_TRUE(ok(acceptor));
  const std::string address = (*acceptor)->address();
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(3);
    auto channel = unix_transport().connect(address, options(), Deadline::in_ms(120'000));
    // Every user may connect to root's socket; the server rejects other users.
    if (!channel) _exit(0);
    _exit((*channel)->receive(Deadline::in_ms(120'000)).error().kind == ErrorKind::disconnected ? 0 : 4);
  }
  std::thread accepting([&] { EXPECT_FALSE((*acceptor)->accept()); });
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  (*acceptor)->close();
  accepting.join();
}

TEST(UnixPeer, AdmitsThisUserAndRoot) {
  const auto user = static_cast<std::int64_t>(getuid());
  EXPECT_TRUE(permitted({1, user, 0}, options_for()));
  EXPECT_TRUE(permitted({1, 0, 12'345}, options_for()));
  EXPECT_FALSE(permitted({1, user + 1, 0}, options_for())) << "another user of root's group";
  EXPECT_FALSE(permitted({getpid(), 65'534, 0}, options_for()));
  EXPECT_FALSE(permitted({}, options_for())) << "whom the kernel does not know";
}

TEST(UnixPeer, AdmitsRootForAnyUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(2);
    const auto options = options_for();
    _exit(permitted({1, 0, 0}, options) && permitted({1, 65'534, 1}, options) &&
                  !permitted({1, 65'533, 65'534}, options)
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UnixPeer, AdmitsRootWhichConnectsOnlyToRoot) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const std::string address = "@orbweaver-test-root-calls-" + std::to_string(getpid());
  const pid_t server = fork();
  if (server == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0) _exit(3);
    auto acceptor = unix_transport().listen(address, options_for());
    if (!acceptor) _exit(4);
    auto channel = (*acceptor)->accept();
    _exit(channel && (*channel)->peer().uid == 0 ? 0 : 5);
  }
  Result<std::unique_ptr<Channel>> channel = Error{ErrorKind::transient, "not tried"};
  for (const Deadline hang = hang_deadline();
       !channel && channel.error().kind == ErrorKind::transient && !hang.passed(); pause_ms(2)) {
    channel = unix_transport().connect(address, options_for(), hang_deadline());
  }
  // Root connects only to root's sockets: another user could read what it sends.
  EXPECT_TRUE(fails_with(ErrorKind::permission_denied, channel));
  int status = 0;
  waitpid(server, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UnixPeer, IsNamedByProcessAndUser) {
  auto acceptor = unix_transport().listen("", [] {
    ChannelOptions o;
    o.frame_length = test_frame_length;
    return o;
  }());
  ASSERT_TRUE(ok(acceptor));
  ChannelOptions o;
  o.frame_length = test_frame_length;
  auto channel = unix_transport().connect((*acceptor)->address(), o, Deadline::in_ms(120'000));
  ASSERT_TRUE(ok(channel));
  auto accepted = (*acceptor)->accept();
  ASSERT_TRUE(ok(accepted));
  EXPECT_EQ((*accepted)->peer().pid, getpid());
  EXPECT_EQ((*accepted)->peer().uid, static_cast<std::int64_t>(getuid()));
}

}  // namespace
}  // namespace orbweaver::transport::testing
