#include "state/record_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace orbweaver::state {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

const SqliteFormat kFormat{0x6f777402, 1, "records of a test", ""};

enum class Kind { file, memory };
const char* text_of(Kind kind) { return kind == Kind::file ? "File" : "Memory"; }
void PrintTo(Kind kind, std::ostream* out) { *out << text_of(kind); }

/// What every store guarantees.
class RecordStoreContract : public ::testing::TestWithParam<Kind> {
 protected:
  RecordStoreContract() {
    std::string name = fs::temp_directory_path() / "orbweaver-records-XXXXXX";
    folder_ = mkdtemp(name.data());
    open();
  }
  ~RecordStoreContract() override {
    store_.reset();
    fs::remove_all(folder_);
  }

  void open() {
    if (GetParam() == Kind::memory) {
      store_ = make_memory_records();
      return;
    }
    auto opened = open_record_file(folder_ / "records", kFormat);
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = std::move(*opened);
  }
  std::map<std::string, std::string> records() { return *store_->read_all(); }

  fs::path folder_;
  std::unique_ptr<RecordStore> store_;
};

TEST_P(RecordStoreContract, IsEmptyAtFirst) { EXPECT_THAT(records(), IsEmpty()); }

TEST_P(RecordStoreContract, AddsReplacesAndRemovesRecords) {
  ASSERT_TRUE(store_->commit({{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  ASSERT_TRUE(store_->commit({{"a", "4"}, {"b", std::nullopt}, {"unknown", std::nullopt}}));
  EXPECT_THAT(records(), ElementsAre(Pair("a", "4"), Pair("c", "3")));
}

TEST_P(RecordStoreContract, MakesChangesOfOneKeyInTheirOrder) {
  ASSERT_TRUE(store_->commit({{"a", "1"}, {"a", std::nullopt}, {"a", "2"}, {"b", "1"}, {"b", std::nullopt}}));
  EXPECT_THAT(records(), ElementsAre(Pair("a", "2")));
}

TEST_P(RecordStoreContract, KeepsAnyCharacters) {
  const std::string odd("\0'\"\n\xc3\xa9\xff", 8);
  ASSERT_TRUE(store_->commit({{odd, odd}, {"", ""}}));
  EXPECT_THAT(records(), ElementsAre(Pair("", ""), Pair(odd, odd)));
}

INSTANTIATE_TEST_SUITE_P(Stores, RecordStoreContract, ::testing::Values(Kind::file, Kind::memory),
                         [](const auto& kind) { return text_of(kind.param); });

class RecordFileTest : public RecordStoreContract {};

TEST_P(RecordFileTest, KeepsRecordsAfterItIsClosed) {
  ASSERT_TRUE(store_->commit({{"a", "1"}}));
  store_.reset();
  open();
  EXPECT_THAT(records(), ElementsAre(Pair("a", "1")));
}

INSTANTIATE_TEST_SUITE_P(Stores, RecordFileTest, ::testing::Values(Kind::file),
                         [](const auto& kind) { return text_of(kind.param); });

}  // namespace
}  // namespace orbweaver::state
