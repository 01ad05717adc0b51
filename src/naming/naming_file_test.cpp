#include "naming/naming_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "state/sqlite_file.h"

namespace orbweaver::naming {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class NamingFileTest : public ::testing::Test {
 protected:
  NamingFileTest()
      : folder_(fs::temp_directory_path() / ("orbweaver-naming-file-" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~NamingFileTest() override { fs::remove_all(folder_); }

  std::string path() const { return (folder_ / "state").string(); }
  std::string error() {
    const auto opened = open_naming_file(path());
    return opened ? "opened" : opened.error().message;
  }
  /// Executes SQL in the file, which has been written before.
  void execute(const std::string& sql) {
    const auto file = state::SqliteFile::open(path(), {0x4f574e53, 1, "test", ""});
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->execute(sql));
  }

  const fs::path folder_;
};

Change created(const ContextId& context) {
  Change change;
  change.create = context;
  return change;
}
Change bound(const ContextId& context, Key key, Target target) {
  Change change;
  change.context = context;
  change.key = std::move(key);
  change.target = std::move(target);
  return change;
}

TEST_F(NamingFileTest, ReadsWhatWasCommitted) {
  const Target object{Target::Kind::object, "IOR:00"}, own{Target::Kind::own_context, "root/1"};
  const Target foreign{Target::Kind::foreign_context, "IOR:01"};
  {
    auto file = open_naming_file(path());
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->state.contexts().empty());
    Change both = bound("root", {"sub", ""}, own);
    both.create = "root/1";
    for (const Change& change : {created("root"), both, created("root/2"), bound("root", {"a", "b"}, foreign),
                                 bound("root", {"a", "b"}, object), bound("root/1", {"\xff", "'"}, foreign),
                                 bound("root/1", {"gone", ""}, object)})
      ASSERT_TRUE(file->store->commit(change));
    Change removed = bound("root/1", {"gone", ""}, {});
    removed.target.reset();
    ASSERT_TRUE(file->store->commit(removed));
    Change destroyed;
    destroyed.destroy = "root/2";
    ASSERT_TRUE(file->store->commit(destroyed));
  }
  const auto file = open_naming_file(path());
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->state.contexts().size(), 2u);
  const NamingState::Bindings root{{{"a", "b"}, object}, {{"sub", ""}, own}};
  const NamingState::Bindings sub{{{"\xff", "'"}, foreign}};
  EXPECT_EQ(*file->state.find("root"), root);
  EXPECT_EQ(*file->state.find("root/1"), sub);
}

TEST_F(NamingFileTest, CommitsBothPartsOfAChangeOrNone) {
  auto file = open_naming_file(path());
  ASSERT_TRUE(file);
  Change bad = bound("no such context", {"a", ""}, {});
  bad.create = "root";
  EXPECT_FALSE(file->store->commit(bad));
  file = Error{ErrorKind::invalid, ""};
  EXPECT_TRUE(open_naming_file(path())->state.contexts().empty());
}

TEST_F(NamingFileTest, RejectsInvalidRows) {
  ASSERT_EQ(error(), "opened");
  execute("INSERT INTO context VALUES ('root'); INSERT INTO binding VALUES ('root', 'x', '', 3, '')");
  EXPECT_THAT(error(), HasSubstr("is damaged (the binding of 'x' is invalid); restore it from a copy"));
}

TEST_F(NamingFileTest, RejectsFilesOfOthersAndOfLaterVersions) {
  ASSERT_EQ(error(), "opened");
  execute("PRAGMA user_version = 2");
  EXPECT_THAT(error(), HasSubstr("has version 2 of the state of a naming service"));
  fs::remove(path());
  ASSERT_TRUE(state::SqliteFile::open(path(), {7, 1, "other", "CREATE TABLE t (x TEXT)"}));
  EXPECT_THAT(error(), HasSubstr("is a database of another program, not the state of a naming service"));
}

TEST_F(NamingFileTest, RejectsAFileInUse) {
  const auto first = open_naming_file(path());
  EXPECT_TRUE(first);
  EXPECT_THAT(error(), HasSubstr("is in use by another process"));
}

}  // namespace
}  // namespace orbweaver::naming
