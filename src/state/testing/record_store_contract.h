// What every store of records guarantees: the conformance suite of state/record_store.h.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "state/record_store.h"

namespace orbweaver::state::testing {

/// A place in which a test keeps records, empty at first.
class RecordStoreFixture {
 public:
  virtual ~RecordStoreFixture() = default;
  /// Opens the store, as a process does when it starts; the one that was opened before has been destroyed.
  virtual std::unique_ptr<RecordStore> open() = 0;
};

/// A store to test.
struct RecordStoreCase {
  std::string name;
  bool is_permanent = true;  ///< Its records survive the process.
  std::unique_ptr<RecordStoreFixture> (*make)();
  friend void PrintTo(const RecordStoreCase& store, std::ostream* out) { *out << store.name; }
};

/// Instantiated with the cases of a library, one line each.
class RecordStoreContract : public ::testing::TestWithParam<RecordStoreCase> {
 protected:
  void SetUp() override {
    fixture_ = GetParam().make();
    if (fixture_ == nullptr) GTEST_SKIP() << "what the store needs is not installed";
    open();
  }
  void open() {
    store_ = fixture_->open();
    ASSERT_NE(store_, nullptr);
  }
  std::map<std::string, std::string> records() {
    auto read = store_->read_all();
    EXPECT_TRUE(read) << read.error().message;
    return read ? *read : std::map<std::string, std::string>();
  }
  void commit(const std::vector<RecordChange>& changes) {
    const auto committed = store_->commit(changes);
    ASSERT_TRUE(committed) << committed.error().message;
  }

  std::unique_ptr<RecordStoreFixture> fixture_;
  std::unique_ptr<RecordStore> store_;
};

inline std::string record_store_case_name(const ::testing::TestParamInfo<RecordStoreCase>& store) {
  return store.param.name;
}

TEST_P(RecordStoreContract, IsEmptyAtFirst) { EXPECT_THAT(records(), ::testing::IsEmpty()); }

TEST_P(RecordStoreContract, AddsReplacesAndRemovesRecords) {
  commit({{"a", "1"}, {"b", "2"}, {"c", "3"}});
  commit({{"a", "4"}, {"b", std::nullopt}, {"unknown", std::nullopt}});
  EXPECT_THAT(records(), ::testing::ElementsAre(::testing::Pair("a", "4"), ::testing::Pair("c", "3")));
}

TEST_P(RecordStoreContract, MakesChangesOfOneKeyInTheirOrder) {
  commit({{"a", "1"}, {"a", std::nullopt}, {"a", "2"}, {"b", "1"}, {"b", std::nullopt}});
  EXPECT_THAT(records(), ::testing::ElementsAre(::testing::Pair("a", "2")));
}

TEST_P(RecordStoreContract, KeepsAnyCharacters) {
  const std::string odd("\0'\"\n\xc3\xa9\xff", 8);
  commit({{odd, odd}, {"", ""}, {"/", "/"}});
  EXPECT_THAT(records(), ::testing::ElementsAre(::testing::Pair("", ""), ::testing::Pair(odd, odd),
                                                ::testing::Pair("/", "/")));
}

TEST_P(RecordStoreContract, KeepsLargeRecords) {
  // Together more than etcd puts into one message.
  std::map<std::string, std::string> large;
  for (const char key : {'a', 'b', 'c', 'd', 'e', 'f'})
    large[std::string(1, key)] = std::string(900'000, key);
  for (const auto& [key, value] : large) commit({{key, value}});
  EXPECT_TRUE(records() == large);
}

TEST_P(RecordStoreContract, MakesManyChangesAtOnce) {
  std::vector<RecordChange> changes;
  for (int i = 0; i < 1'030; ++i) changes.push_back({"device/" + std::to_string(i), std::to_string(i)});
  commit(changes);
  EXPECT_EQ(records().size(), 1'030u);
  for (RecordChange& change : changes) change.value.reset();
  commit(changes);
  EXPECT_THAT(records(), ::testing::IsEmpty());
}

TEST_P(RecordStoreContract, CommitsNothing) {
  commit({});
  EXPECT_THAT(records(), ::testing::IsEmpty());
}

TEST_P(RecordStoreContract, KeepsRecordsAfterItIsClosed) {
  if (!GetParam().is_permanent) GTEST_SKIP() << "its records end with the process";
  commit({{"a", "1"}, {"b", "2"}});
  store_.reset();
  open();
  commit({{"b", "3"}});
  EXPECT_THAT(records(), ::testing::ElementsAre(::testing::Pair("a", "1"), ::testing::Pair("b", "3")));
}

}  // namespace orbweaver::state::testing
