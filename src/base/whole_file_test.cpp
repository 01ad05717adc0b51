#include "base/whole_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace orbweaver {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public ::testing::Test {
 protected:
  WholeFileTest() {
    std::string name = fs::temp_directory_path() / "orbweaver-file-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~WholeFileTest() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return folder_ / name; }
  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_;
};

TEST_F(WholeFileTest, IsReplaced) {
  EXPECT_TRUE(write_whole_file(path("a"), "one"));
  EXPECT_TRUE(write_whole_file(path("a"), "two"));
  EXPECT_EQ(read(path("a")), "two");
  EXPECT_FALSE(fs::exists(path("a.new")));
}

TEST_F(WholeFileTest, IsWrittenThroughASymbolicLink) {
  fs::create_symlink("target", path("link"));
  EXPECT_TRUE(write_whole_file(path("link"), "text"));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("target")), "text");
}

TEST_F(WholeFileTest, IsWrittenToIfItIsAPipe) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  std::string received;
  std::thread reading([&] { received = read(path("fifo")); });
  EXPECT_TRUE(write_whole_file(path("fifo"), "text"));
  reading.join();
  EXPECT_EQ(received, "text");
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
}

TEST_F(WholeFileTest, IsNotWrittenIntoAMissingFolder) {
  EXPECT_FALSE(write_whole_file(path("no/file"), "text"));
  EXPECT_FALSE(write_whole_file(folder_, "text"));
}

}  // namespace
}  // namespace orbweaver
