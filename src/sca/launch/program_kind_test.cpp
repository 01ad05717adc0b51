#include "sca/launch/program_kind.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "platform/process_identity.h"

namespace orbweaver::sca {
namespace {

/// A file with the given content, which the destructor removes.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) { std::ofstream(path_, std::ios::binary) << content; }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("orbweaver-program." + std::to_string(platform::process_id()));
};

const std::string kElf =
    "\x7f"
    "ELF";

TEST(ProgramKind, FindsTheLibraryInAProgram) {
  EXPECT_TRUE(is_orbweaver_program(TemporaryFile(kElf + std::string(100, 'x') + "liborbweaver.so.0").path()));
  EXPECT_FALSE(is_orbweaver_program(TemporaryFile(kElf + std::string(100, 'x')).path()));
}

TEST(ProgramKind, FindsTheLibraryAtEveryOffset) {
  for (std::size_t offset = 65'500; offset < 65'560; ++offset)
    EXPECT_TRUE(is_orbweaver_program(TemporaryFile(kElf + std::string(offset, 'x') + "liborbweaver").path()))
        << offset;
}

TEST(ProgramKind, IsNotThatOfAScriptOrAMissingFile) {
  EXPECT_FALSE(is_orbweaver_program(TemporaryFile("#!/bin/sh\nexec python3 # liborbweaver\n").path()));
  EXPECT_FALSE(is_orbweaver_program(TemporaryFile("").path()));
  EXPECT_FALSE(is_orbweaver_program("/does/not/exist"));
}

}  // namespace
}  // namespace orbweaver::sca
