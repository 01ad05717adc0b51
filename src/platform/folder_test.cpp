#include "platform/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "platform/regular_file.h"
#include "platform/testing/forked_process.h"

namespace orbweaver::platform {

static const char* text_of(Folder::Resolver resolver) {
  return resolver == Folder::Resolver::best ? "Kernel" : "Own";
}
static void PrintTo(Folder::Resolver resolver, std::ostream* out) { *out << text_of(resolver); }

namespace {

using testing::ForkedProcess;
using ::testing::UnorderedElementsAre;
namespace fs = std::filesystem;

/// A folder "root" beside a file "secret" and a folder "other", whose names are resolved by the kernel or by
/// Folder.
class FolderTest : public ::testing::TestWithParam<Folder::Resolver> {
 protected:
  FolderTest() {
    std::string name = (fs::temp_directory_path() / "orbweaver-folder-XXXXXX").string();
    top = mkdtemp(name.data());
    fs::create_directories(top / "root/sub");
    fs::create_directory(top / "other");
    write(top / "secret", "secret");
    write(top / "other/file", "secret");
    write(top / "root/file", "inside");
    write(top / "root/sub/file", "below");
    folder = std::make_unique<Folder>(std::move(open_folder((top / "root").string()).fd), GetParam());
  }
  ~FolderTest() override { fs::remove_all(top); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }
  void link(const std::string& target, const std::string& name) {
    fs::create_symlink(target, top / "root" / name);
  }

  /// The content of a file that is opened through the folder, or the text of its error.
  std::string content(const std::string& name) {
    const FdResult file = folder->open_file(name, true);
    if (!file) return error_text(file.error);
    std::uint8_t bytes[64];
    const IoResult got = read_at(file.fd, bytes, 0);
    return std::string(bytes, bytes + got.bytes);
  }
  std::vector<std::string> listed(const std::string& name) {
    std::vector<std::string> names;
    folder->list(
        name, [](const std::string&) { return true; },
        [&](std::string each, const FileStatus&) {
          names.push_back(std::move(each));
          return true;
        });
    return names;
  }

  fs::path top;
  std::unique_ptr<Folder> folder;
};

const std::string kOut = error_text(EXDEV);

TEST_P(FolderTest, OpensFilesBelowIt) {
  EXPECT_EQ(content("file"), "inside");
  EXPECT_EQ(content("sub/file"), "below");
  EXPECT_EQ(content("sub/../file"), "inside");
  EXPECT_EQ(content("none"), error_text(ENOENT));
  EXPECT_EQ(content("file/none"), error_text(ENOTDIR));
  EXPECT_EQ(content("sub"), error_text(EISDIR));
  EXPECT_EQ(content(""), error_text(EISDIR));
}

TEST_P(FolderTest, RejectsNamesThatLeadOut) {
  EXPECT_EQ(content("../secret"), kOut);
  EXPECT_EQ(content("sub/../../secret"), kOut);
  EXPECT_EQ(content("sub/../../root/file"), kOut);  // back in, but through the outside
}

TEST_P(FolderTest, FollowsLinksThatStayBelowIt) {
  link("sub/file", "near");
  link("near", "chain");
  link("..", "sub/up");
  link("sub/../sub", "folder");
  EXPECT_EQ(content("near"), "below");
  EXPECT_EQ(content("chain"), "below");
  EXPECT_EQ(content("sub/up/file"), "inside");
  EXPECT_EQ(content("folder/file"), "below");
}

TEST_P(FolderTest, RejectsLinksThatLeadOut) {
  link("../secret", "relative");
  link((top / "secret").string(), "absolute");
  link((top / "root/file").string(), "absolute-to-the-inside");
  link("../../other", "sub/folder");
  link("/proc/self/cwd", "magic");
  EXPECT_EQ(content("relative"), kOut);
  EXPECT_EQ(content("absolute"), kOut);
  EXPECT_EQ(content("absolute-to-the-inside"), kOut);
  EXPECT_EQ(content("sub/folder/file"), kOut);
  EXPECT_EQ(content("magic"), kOut);
  FileStatus status;
  EXPECT_EQ(folder->status("relative", status), EXDEV);
  EXPECT_EQ(folder->create_file("sub/folder/new").error, EXDEV);
  EXPECT_EQ(folder->make_folder("sub/folder/new"), EXDEV);
  EXPECT_EQ(folder->remove_file("sub/folder/file"), EXDEV);
  EXPECT_EQ(folder->rename("file", "sub/folder/new"), EXDEV);
  EXPECT_EQ(folder->rename("sub/folder/file", "new"), EXDEV);
  EXPECT_THAT(listed("sub/folder"), UnorderedElementsAre());
  EXPECT_THAT(listed(""), UnorderedElementsAre("file", "sub"));
  EXPECT_TRUE(fs::exists(top / "other/file"));
}

TEST_P(FolderTest, EndsALoopOfLinks) {
  link("loop-b", "loop-a");
  link("loop-a", "loop-b");
  EXPECT_EQ(content("loop-a"), error_text(ELOOP));
}

TEST_P(FolderTest, DoesNotCreateThroughALink) {
  link("../other/new", "dangling");
  EXPECT_EQ(folder->create_file("dangling").error, EEXIST);
  EXPECT_FALSE(fs::exists(top / "other/new"));
}

// Another process exchanges a folder and a file for links that lead out, again and again.
TEST_P(FolderTest, StaysBelowWhileItsEntriesAreExchangedForLinks) {
  fs::create_directory(top / "root/a");
  write(top / "root/a/file", "inside");
  link("../other", "b");
  link("../secret", "link");
  std::atomic<bool> end{false};
  std::thread exchanger([&] {
    const int root = open((top / "root").c_str(), O_PATH | O_CLOEXEC);
    while (!end) {
      renameat2(root, "a", root, "b", RENAME_EXCHANGE);
      renameat2(root, "file", root, "link", RENAME_EXCHANGE);
    }
    close(root);
  });
  int inside = 0, rejected = 0;
  for (int i = 0; i < 20'000 && (i < 2000 || inside == 0 || rejected == 0); ++i) {
    for (const char* const name : {"a/file", "b/file", "sub/../a/../a/file", "file"}) {
      const std::string text = content(name);
      EXPECT_NE(text, "secret");
      (text == "inside" ? inside : rejected) += 1;
    }
    folder->create_file("a/new");
    if (::testing::Test::HasFailure()) break;
  }
  end = true;
  exchanger.join();
  EXPECT_FALSE(fs::exists(top / "other/new"));
}

TEST_P(FolderTest, DoesNotWaitForAFifo) {
  ASSERT_EQ(mkfifo((top / "root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(content("fifo"), error_text(ENODEV));
  EXPECT_EQ(folder->open_file("fifo", false).error, ENODEV);
  EXPECT_THAT(listed(""), UnorderedElementsAre("file", "sub"));
}

TEST_P(FolderTest, CreatesExclusively) {
  ASSERT_TRUE(folder->create_file("new"));
  EXPECT_EQ(folder->create_file("new").error, EEXIST);
}

TEST_P(FolderTest, ChangesEntries) {
  EXPECT_EQ(folder->make_folder("made"), 0);
  EXPECT_EQ(folder->rename("file", "made/file"), 0);
  EXPECT_EQ(folder->remove_folder("made"), ENOTEMPTY);
  EXPECT_EQ(folder->remove_file("made"), EISDIR);
  EXPECT_EQ(folder->remove_file("made/file"), 0);
  EXPECT_EQ(folder->remove_folder("made"), 0);
  EXPECT_EQ(folder->remove_folder(""), EBUSY);
  EXPECT_THAT(listed(""), UnorderedElementsAre("sub"));
}

INSTANTIATE_TEST_SUITE_P(By, FolderTest, ::testing::Values(Folder::Resolver::best, Folder::Resolver::own),
                         [](const auto& resolver) { return text_of(resolver.param); });

/// Runs `body` with a file system of 64 KiB mounted at a new folder, seen by that process only. Returns its
/// exit status; 77 if this user may not mount.
int with_small_file_system(const std::function<int(const std::string& path)>& body) {
  std::string name = (fs::temp_directory_path() / "orbweaver-small-XXXXXX").string();
  const std::string path = mkdtemp(name.data());
  const auto in_namespace = [&] {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(77);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", path.c_str(), "tmpfs", 0, "size=64k") != 0)
      _exit(77);
    _exit(body(path));
  };
  const int status = ForkedProcess(in_namespace).reap_status();
  fs::remove(path);
  return status;
}

TEST(RegularFile, ReportsAFullFileSystem) {
  const int status = with_small_file_system([](const std::string& path) {
    const Folder folder(std::move(open_folder(path).fd));
    const std::vector<std::uint8_t> bytes(40'000, 1);
    const FdResult first = folder.create_file("first"), second = folder.create_file("second");
    if (write_at(first.fd, bytes, 0).error != 0) return 1;
    if (write_at(second.fd, bytes, 0).error != ENOSPC) return 2;
    if (copy_contents(first.fd, second.fd) != ENOSPC) return 3;
    FolderSpace space;
    if (folder.space(space) != 0 || space.size != 65536 || space.available >= 32768) return 4;
    return 0;
  });
  if (status == 77) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(RegularFile, ReportsAReadOnlyFileSystem) {
  const int status = with_small_file_system([](const std::string& path) {
    const Folder folder(std::move(open_folder(path).fd));
    if (!folder.create_file("file")) return 1;
    if (mount("none", path.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) != 0) return 77;
    if (folder.create_file("new").error != EROFS) return 2;
    if (folder.open_file("file", false).error != EROFS) return 3;
    if (folder.remove_file("file") != EROFS) return 4;
    return folder.open_file("file", true) ? 0 : 5;
  });
  if (status == 77) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(status, 0);
}

TEST(RegularFile, BeyondTheFileSizeLimitIsAnErrorWithoutASignal) {
  ForkedProcess child([] {
    const rlimit limit{1000, 1000};
    const Fd file(open(fs::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (!file || setrlimit(RLIMIT_FSIZE, &limit) != 0) ForkedProcess::fail();
    const std::vector<std::uint8_t> bytes(600);
    if (write_at(file, bytes, 0).error != 0 || write_at(file, bytes, 600).error != EFBIG)
      ForkedProcess::fail();
  });
  EXPECT_TRUE(child.reap());
}

TEST(RegularFile, ReadsUpToTheEnd) {
  const Fd file(open(fs::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const std::uint8_t bytes[] = {1, 2, 3};
  ASSERT_EQ(write_at(file, bytes, 0xfffffffd).error, 0);  // sparse
  std::uint8_t read[8] = {};
  EXPECT_EQ(read_at(file, read, 0xfffffffc).bytes, 4u);
  EXPECT_EQ(read[1], 1);
  std::uint64_t size = 0;
  EXPECT_EQ(file_size(file, size), 0);
  EXPECT_EQ(size, 0x100000000u);
  EXPECT_EQ(read_at(file, read, size).bytes, 0u);
}

}  // namespace
}  // namespace orbweaver::platform
