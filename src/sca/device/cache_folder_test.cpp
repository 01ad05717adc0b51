#include "sca/device/cache_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "sca/files/testing/served_folder.h"

namespace orbweaver::sca {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;

constexpr uid_t kNobody = 65534;

/// A variable of the environment, which the destructor restores.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

struct CacheFolder : ::testing::Test {
  /// Why a folder is refused; empty: it is not.
  static std::string refusal(const fs::path& path) {
    try {
      make_cache_folder(path.string());
      return {};
    } catch (const CF::FileException& e) {
      return e.msg();
    }
  }
  fs::path in(const std::string& name) const { return folder.path(name); }

  TemporaryFolder folder;
};

TEST_F(CacheFolder, IsInTheHomeOfTheUser) {
  const Variable cache("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", "/home/a");
  EXPECT_EQ(default_cache_folder("a:b"), "/home/a/.cache/orbweaver/devices/a_b");
}

TEST_F(CacheFolder, HasNoDefaultWithAKnownNameInTheFolderOfTemporaryFiles) {
  const Variable cache("XDG_CACHE_HOME", nullptr);
  const Variable home("HOME", nullptr);
  EXPECT_EQ(default_cache_folder("a"), "");
}

TEST_F(CacheFolder, IsCreatedForItsUserAlone) {
  EXPECT_EQ(refusal(in("a/b")), "");
  EXPECT_EQ(fs::status(in("a/b")).permissions(), fs::perms::owner_all);
}

TEST_F(CacheFolder, IsCreatedForItsUserAloneWithEveryUmask) {
  const mode_t before = umask(0);
  const std::string refused = refusal(in("a/b/c"));
  umask(before);
  EXPECT_EQ(refused, "");
  for (const char* const name : {"a", "a/b", "a/b/c"})
    EXPECT_EQ(fs::status(in(name)).permissions(), fs::perms::owner_all) << name;
}

TEST_F(CacheFolder, IsRefusedIfAFileIsInItsPlace) {
  folder.write("file", "");
  EXPECT_THAT(refusal(in("file")), HasSubstr("file"));
  EXPECT_THAT(refusal(in("file/a")), HasSubstr("file"));
}

TEST_F(CacheFolder, IsRefusedIfOthersCanWriteToIt) {
  for (const char* const name : {"written", "sticky"}) fs::create_directory(in(name));
  fs::permissions(in("written"), fs::perms::all);
  fs::permissions(in("sticky"), fs::perms::all | fs::perms::sticky_bit);
  EXPECT_THAT(refusal(in("written")), HasSubstr("written can be written by others (mode 0777)"));
  EXPECT_THAT(refusal(in("sticky")), HasSubstr("sticky can be written by others (mode 1777)"));
  EXPECT_THAT(refusal(in("written/a/b")), HasSubstr("another user could exchange the code"));
  EXPECT_FALSE(fs::exists(in("written/a")));
  EXPECT_EQ(refusal(in("sticky/a/b")), "") << "others cannot exchange a";
}

TEST_F(CacheFolder, IsRefusedBehindALinkToSuchAFolder) {
  fs::create_directories(in("open/own"));
  fs::permissions(in("open"), fs::perms::all);
  fs::create_directory_symlink("open/own", in("link"));
  EXPECT_THAT(refusal(in("link/../own/a")), HasSubstr("open can be written by others"));
  fs::create_directory_symlink("loop", in("loop"));
  EXPECT_THAT(refusal(in("loop/a")), HasSubstr("cannot be followed"));
}

TEST_F(CacheFolder, IsRefusedIfItOrOneAboveItBelongsToAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder to another user";
  fs::create_directories(in("theirs/orbweaver"));
  fs::create_directory(in("own"));
  fs::create_directory_symlink(in("own"), in("link"));
  ASSERT_EQ(chown(in("theirs").c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(lchown(in("link").c_str(), kNobody, kNobody), 0);
  for (const char* const name : {"theirs", "theirs/orbweaver", "theirs/new"})
    EXPECT_THAT(refusal(in(name)), HasSubstr("theirs belongs to user 65534")) << name;
  EXPECT_THAT(refusal(in("link/a")), HasSubstr("link belongs to user 65534"));
  EXPECT_TRUE(fs::is_empty(in("own")));
}

}  // namespace
}  // namespace orbweaver::sca
