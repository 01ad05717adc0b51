// Which commits flush a state file.
#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "state/record_file.h"
#include "state/testing/flush_count.h"

namespace orbweaver::state {
namespace {

const SqliteFormat kRecords{0x6f777403, 1, "records of a test", ""};

struct RecordFileDurability : ::testing::Test {
  RecordFileDurability() {
    open();
    commit("first", Durability::machine);
  }
  void open() {
    store.reset();
    auto opened = open_record_file(folder.path() / "records", kRecords);
    ASSERT_TRUE(opened) << opened.error().message;
    store = std::move(*opened);
  }
  /// The number of flushes.
  int commit(const std::string& value, Durability durability) {
    const int before = testing::flush_count;
    const auto committed = store->commit({{"a", value}}, durability);
    EXPECT_TRUE(committed) << committed.error().message;
    return testing::flush_count - before;
  }

  const TemporaryFolder folder{"orbweaver-durability"};
  std::unique_ptr<RecordStore> store;
};

TEST_F(RecordFileDurability, FlushesWhatIsToSurviveTheMachine) {
  EXPECT_EQ(commit("second", Durability::machine), 1);
  EXPECT_EQ(commit("third", Durability::machine), 1);
}

TEST_F(RecordFileDurability, DoesNotFlushWhatIsToSurviveTheProcess) {
  EXPECT_EQ(commit("second", Durability::process), 0);
  EXPECT_EQ(commit("third", Durability::process), 0);
  open();
  EXPECT_EQ(store->read_all()->at("a"), "third");
}

TEST_F(RecordFileDurability, FlushesEarlierChangesWithALaterOneThatChangesNothing) {
  commit("second", Durability::process);
  EXPECT_EQ(commit("second", Durability::machine), 1);
  EXPECT_EQ(commit("second", Durability::machine), 0) << "all is flushed";
}

TEST(SqliteFile, FlushesWhatHasNotBeenFlushed) {
  const TemporaryFolder folder("orbweaver-durability");
  auto file = SqliteFile::open(folder.path() / "state", {0x6f777404, 3, "test", "CREATE TABLE t (x TEXT)"});
  ASSERT_TRUE(file) << file.error().message;
  const auto add = [&] { return file->execute("INSERT INTO t VALUES ('a')"); };
  ASSERT_TRUE(file->transact(
      add, [] { return false; }, Durability::process));
  const int before = testing::flush_count;
  ASSERT_TRUE(file->flush());
  EXPECT_EQ(testing::flush_count - before, 1);
  ASSERT_TRUE(file->flush());
  EXPECT_EQ(testing::flush_count - before, 1) << "nothing has changed since";
}

}  // namespace
}  // namespace orbweaver::state
