#include "state/sqlite_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace orbweaver::state {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const SqliteFormat kFormat{0x6f777401, 2, "state of a test", "CREATE TABLE word (text TEXT)"};

class SqliteFileTest : public ::testing::Test {
 protected:
  SqliteFileTest() {
    std::string name = fs::temp_directory_path() / "orbweaver-sqlite-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~SqliteFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name = "state") const { return folder_ / name; }
  Result<SqliteFile> open() const { return SqliteFile::open(path(), kFormat); }
  void write(const std::string& content, const std::string& name = "state") const {
    std::ofstream(path(name), std::ios::binary) << content;
  }
  /// The error of opening the file.
  Error refusal(const std::string& name = "state") const {
    auto file = SqliteFile::open(path(name), kFormat);
    return file ? Error{ErrorKind::transient, "no error"} : file.take_error();
  }

  fs::path folder_;
};

Result<void> add(const SqliteFile& file, const std::string& word) {
  return file.transact([&] { return file.execute("INSERT INTO word VALUES ('" + word + "')"); });
}

/// The words in the file, "a,b".
std::string words(const SqliteFile& file) {
  auto rows = file.prepare("SELECT text FROM word");
  if (!rows) return rows.error().message;
  std::string all;
  for (;;) {
    auto row = rows->next();
    if (!row) return row.error().message;
    if (!*row) return all;
    all += (all.empty() ? "" : ",") + rows->text(0);
  }
}

TEST_F(SqliteFileTest, KeepsCommittedChanges) {
  {
    auto file = open();
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_TRUE(add(*file, "a"));
    ASSERT_TRUE(add(*file, "b"));
  }
  auto file = open();
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(words(*file), "a,b");
}

TEST_F(SqliteFileTest, IsReadableByItsOwnerOnly) {
  ASSERT_TRUE(open());
  EXPECT_EQ(fs::status(path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(SqliteFileTest, DiscardsAFailedTransaction) {
  auto file = open();
  ASSERT_TRUE(add(*file, "a"));
  const auto failed = file->transact([&]() -> Result<void> {
    if (auto added = file->execute("INSERT INTO word VALUES ('b')"); !added) return added;
    return Error{ErrorKind::unavailable, "of the caller"};
  });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "of the caller");
  EXPECT_EQ(words(*file), "a");
  EXPECT_TRUE(add(*file, "c"));
  EXPECT_EQ(words(*file), "a,c");
}

TEST_F(SqliteFileTest, KeepsWhatWasCommittedBeforeTheProcessWasKilled) {
  const pid_t child = fork();
  if (child == 0) {
    auto file = open();
    const bool ready =
        file && add(*file, "a") && file->execute("BEGIN") && file->execute("INSERT INTO word VALUES ('b')");
    if (ready) kill(getpid(), SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  auto file = open();
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(words(*file), "a");
}

TEST_F(SqliteFileTest, IsOpenInOneProcessOnly) {
  auto file = open();
  ASSERT_TRUE(file);
  const Error error = refusal();
  EXPECT_EQ(error.kind, ErrorKind::unavailable);
  EXPECT_EQ(error.message, path() +
                               ": is in use by another process: end it, or start this one with --state FILE, "
                               "--transient or, if it is a domain, another --name");
  file = SqliteFile();
  EXPECT_TRUE(open());
}

TEST_F(SqliteFileTest, IsNotLockedByALockOfADeadProcess) {
  const pid_t child = fork();
  if (child == 0) {
    auto file = open();
    kill(getpid(), SIGKILL);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(open());
}

TEST_F(SqliteFileTest, RejectsOtherFiles) {
  write(
      "This is a text of more than a hundred characters, and no database at all, whatever its name says: "
      "a state file begins with other bytes.");
  EXPECT_EQ(refusal().kind, ErrorKind::invalid);
  EXPECT_EQ(refusal().message, path() + ": is not a state file; name another one");
}

TEST_F(SqliteFileTest, RejectsWhatIsNoRegularFile) {
  EXPECT_EQ(SqliteFile::open(folder_, kFormat).error().message,
            folder_.string() + ": is a folder; name a file");
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal("fifo").message, path("fifo") + ": is not a regular file; name another one");
  EXPECT_THAT(refusal("missing/state").message,
              AllOf(StartsWith(path("missing/state")), HasSubstr("No such file or directory")));
  write("", "file");
  EXPECT_THAT(refusal("file/state").message, HasSubstr("Not a directory"));
}

TEST_F(SqliteFileTest, NamesTheReasonWhenAccessIsDenied) {
  ASSERT_TRUE(open());
  fs::permissions(path(), fs::perms::none);
  fs::permissions(folder_, fs::perms::all);
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) _exit(1);
    const std::string message = refusal().message;
    std::fprintf(stderr, "%s\n", message.c_str());
    _exit(message == path() + ": cannot be opened: Permission denied" ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SqliteFileTest, RejectsADatabaseOfAnotherProgram) {
  SqliteFormat other = kFormat;
  other.application_id = 7;
  ASSERT_TRUE(SqliteFile::open(path(), other));
  EXPECT_EQ(refusal().kind, ErrorKind::invalid);
  EXPECT_EQ(refusal().message,
            path() + ": is a database of another program, not the state of a test; name another file");
}

TEST_F(SqliteFileTest, RejectsALaterVersion) {
  SqliteFormat later = kFormat;
  later.version = 3;
  ASSERT_TRUE(SqliteFile::open(path(), later));
  EXPECT_EQ(refusal().kind, ErrorKind::invalid);
  EXPECT_EQ(refusal().message, path() +
                                   ": has version 3 of the state of a test, and this program knows versions "
                                   "up to 2; use the newer program");
}

TEST_F(SqliteFileTest, RejectsATruncatedFile) {
  {
    auto file = open();
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(add(*file, std::string(500, 'x')));
  }
  std::ifstream in(path(), std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  ASSERT_GT(whole.size(), 16384u);
  for (std::size_t size = 512; size < whole.size(); size += 512) {
    write(whole.substr(0, size));
    const Error error = refusal();
    EXPECT_EQ(error.kind, ErrorKind::invalid) << size;
    EXPECT_THAT(error.message, HasSubstr("restore it from a copy or remove it")) << size;
  }
  write(whole);
  EXPECT_TRUE(open());
}

TEST_F(SqliteFileTest, RejectsDamagedPages) {
  {
    auto file = open();
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(add(*file, std::string(500, 'x')));
  }
  std::fstream(path(), std::ios::binary | std::ios::in | std::ios::out).seekp(8192)
      << std::string(4096, '\xff');
  EXPECT_THAT(refusal().message, HasSubstr("is damaged"));
}

TEST_F(SqliteFileTest, KeepsItsContentsWhenThereIsNoSpace) {
  auto file = open();
  ASSERT_TRUE(add(*file, "a"));
  ASSERT_TRUE(file->execute("PRAGMA max_page_count = 3"));
  const auto failed = add(*file, std::string(100'000, 'x'));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(failed.error().message, path() + ": no space left for the state");
  EXPECT_EQ(words(*file), "a");
  EXPECT_TRUE(add(*file, "b"));
}

TEST_F(SqliteFileTest, KeepsItsContentsWhenAWriteFails) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    auto file = open();
    if (!file || !add(*file, "a")) _exit(1);
    const rlimit limit{65536, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto failed = add(*file, std::string(200'000, 'x'));
    if (failed || failed.error().kind != ErrorKind::unavailable) _exit(2);
    if (words(*file) != "a") _exit(3);
    if (!add(*file, "b")) _exit(4);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  auto file = open();
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(words(*file), "a,b");
}

TEST_F(SqliteFileTest, TakesNamesLiterally) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  EXPECT_TRUE(SqliteFile::open(":memory:", kFormat));
  EXPECT_TRUE(SqliteFile::open("file:x?mode=memory", kFormat));
  fs::current_path(before);
  EXPECT_TRUE(fs::exists(folder_ / ":memory:"));
  EXPECT_TRUE(fs::exists(folder_ / "file:x?mode=memory"));
}

TEST_F(SqliteFileTest, ReportsAStatementThatDoesNotFit) {
  auto file = open();
  EXPECT_EQ(file->prepare("SELECT x FROM nowhere").error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace orbweaver::state
