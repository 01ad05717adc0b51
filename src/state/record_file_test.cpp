// Records in a file on a full disk.
#include "state/record_file.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "state/space_reserve.h"
#include "state/testing/small_disk.h"

namespace orbweaver::state {
namespace {

namespace fs = std::filesystem;

/// A few records, as large as those of applications.
const std::string kValue(20'000, 'x');

class Records {
 public:
  explicit Records(const fs::path& folder) : path_(folder / "records") { open(); }

  void open() {
    store_.reset();
    auto opened = open_record_file(path_, {0x6f777402, 1, "records of a test", ""});
    problem_ = opened ? "" : opened.error().message;
    if (opened) store_ = std::move(*opened);
  }
  void put(const std::string& key, const std::string& value = kValue) { commit({{key, value}}); }
  void remove(const std::string& key) { commit({{key, std::nullopt}}); }
  /// Adds records until the disk is full.
  void fill() {
    testing::fill_disk(path_.parent_path());
    for (int i = 0; problem_.empty(); ++i) put("more" + std::to_string(i));
  }
  std::string take_problem() { return std::exchange(problem_, {}); }
  bool has_reserve() const { return fs::exists(path_.string() + "-reserve"); }
  std::uintmax_t log_bytes() const { return fs::file_size(path_.string() + "-wal"); }
  std::size_t count() const { return store_ ? store_->read_all()->size() : 0; }

 private:
  void commit(const std::vector<RecordChange>& changes) {
    if (!store_ || !problem_.empty()) return;
    if (auto made = store_->commit(changes); !made) problem_ = made.error().message;
  }

  const fs::path path_;
  std::unique_ptr<RecordStore> store_;
  std::string problem_;
};

const char* const kNoSpace = "no space left for the state";

bool is_no_space(const std::string& problem) { return problem.find(kNoSpace) != std::string::npos; }

/// Executes `body` with records on a disk of 16 MiB.
std::string with_records(const std::function<std::string(Records&, const fs::path&)>& body) {
  const auto result = testing::on_small_disk(16, [&](const fs::path& folder) {
    Records records(folder);
    for (int i = 0; i < 20; ++i) records.put("app" + std::to_string(i));
    if (const std::string problem = records.take_problem(); !problem.empty()) return problem;
    return body(records, folder);
  });
  return result.is_supported ? result.problem : "unsupported";
}

#define EXPECT_NO_PROBLEM(function)                                                                \
  const std::string problem = function;                                                            \
  if (problem == "unsupported") GTEST_SKIP() << "file systems cannot be mounted (unshare, tmpfs)"; \
  EXPECT_EQ(problem, "")

TEST(RecordFile, ChangesAndRemovesRecordsOnAFullDisk) {
  EXPECT_NO_PROBLEM(with_records([](Records& records, const fs::path&) -> std::string {
    records.fill();
    if (const std::string full = records.take_problem(); !is_no_space(full)) return "not full: " + full;
    const std::size_t before = records.count();
    for (int i = 0; i < 20; ++i) {
      records.put("app" + std::to_string(i), kValue + " releasing");
      records.remove("app" + std::to_string(i));
    }
    if (records.count() + 20 != before) return "records are left";
    return records.take_problem();
  }));
}

TEST(RecordFile, RemovesRecordsAfterARestartOnAFullDisk) {
  EXPECT_NO_PROBLEM(with_records([](Records& records, const fs::path& folder) -> std::string {
    records.fill();
    records.take_problem();
    records.open();
    testing::fill_disk(folder);  // also the space of the log, which has been removed
    for (int i = 0; i < 20; ++i) records.remove("app" + std::to_string(i));
    return records.take_problem();
  }));
}

TEST(RecordFile, AddsNothingWithoutAReserveAndMakesItAgain) {
  EXPECT_NO_PROBLEM(with_records([](Records& records, const fs::path& folder) -> std::string {
    records.fill();
    records.take_problem();
    for (int i = 0; records.has_reserve(); ++i) {
      if (i == 20) return "the reserve is not used";
      records.put("app" + std::to_string(i), kValue + " failed");
    }
    if (const std::string changed = records.take_problem(); !changed.empty()) return changed;
    records.put("new", "");
    if (const std::string full = records.take_problem(); !is_no_space(full)) return "was added: " + full;
    fs::remove(folder / "filler");
    records.put("new", "");
    if (!records.has_reserve()) return "there is no reserve";
    return records.take_problem();
  }));
}

TEST(RecordFile, LimitsTheLog) {
  EXPECT_NO_PROBLEM(with_records([](Records& records, const fs::path&) -> std::string {
    for (int i = 0; i < 300; ++i) records.put("app1", std::string(20'000, static_cast<char>('a' + i % 26)));
    if (records.log_bytes() > (2u << 20u)) return "it has " + std::to_string(records.log_bytes()) + " octets";
    return records.take_problem();
  }));
}

}  // namespace
}  // namespace orbweaver::state
