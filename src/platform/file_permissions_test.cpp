#include "platform/file_permissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace orbweaver::platform {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;

struct InsecurePath : ::testing::Test {
  InsecurePath() {
    std::string name = (fs::temp_directory_path() / "orbweaver-permissions-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    folder = name;
  }
  ~InsecurePath() override { fs::remove_all(folder); }

  std::string made(const std::string& name, mode_t mode) const {
    fs::create_directory(folder / name);
    EXPECT_EQ(chmod((folder / name).c_str(), mode), 0);
    return (folder / name).string();
  }
  fs::path folder;
};

TEST_F(InsecurePath, IsNoneToAFolderOfThisUser) {
  EXPECT_EQ(insecure_path_of(made("own", 0755)), "");
  EXPECT_EQ(insecure_path_of((folder / "own/./missing/../other").string()), "");
}

TEST_F(InsecurePath, LeadsThroughAFolderThatOthersCanWrite) {
  const std::string open = made("open", 0777);
  EXPECT_THAT(insecure_path_of(open), EndsWith("/open can be written by others (mode 0777)"));
  EXPECT_THAT(insecure_path_of(open + "/missing"), EndsWith("/open can be written by others (mode 0777)"));
}

TEST_F(InsecurePath, MayLeadThroughAStickyFolder) {
  const std::string sticky = made("sticky", 01777);
  EXPECT_THAT(insecure_path_of(sticky), EndsWith("/sticky can be written by others (mode 1777)"));
  EXPECT_EQ(insecure_path_of(sticky + "/missing"), "");
}

TEST_F(InsecurePath, IsFollowedThroughLinks) {
  made("open", 0777);
  made("open/own", 0700);
  fs::create_directory_symlink("open/own", folder / "link");
  EXPECT_THAT(insecure_path_of((folder / "link").string()),
              EndsWith("/open can be written by others (mode 0777)"));
  fs::create_directory_symlink("loop", folder / "loop");
  EXPECT_THAT(insecure_path_of((folder / "loop").string()), EndsWith("the symbolic link cannot be followed"));
}

struct PrivateFile : InsecurePath {};

TEST_F(PrivateFile, HasNoAccessOfOthersWhateverTheUmaskIs) {
  const mode_t before = umask(0);
  make_private_file((folder / "new").string());
  umask(before);
  EXPECT_EQ(fs::status(folder / "new").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(PrivateFile, ReplacesNothing) {
  std::ofstream(folder / "old") << "text";
  make_private_file((folder / "old").string());
  EXPECT_EQ(fs::file_size(folder / "old"), 4u);
  make_private_file((folder / "missing/new").string());
  EXPECT_FALSE(fs::exists(folder / "missing"));
}

}  // namespace
}  // namespace orbweaver::platform
