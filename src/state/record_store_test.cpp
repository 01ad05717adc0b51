#include "state/record_store.h"

#include <stdlib.h>

#include <filesystem>
#include <utility>

#include "state/record_file.h"
#include "state/testing/record_store_contract.h"

namespace orbweaver::state::testing {
namespace {

namespace fs = std::filesystem;

class FileFixture final : public RecordStoreFixture {
 public:
  FileFixture() {
    std::string name = fs::temp_directory_path() / "orbweaver-records-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~FileFixture() override { fs::remove_all(folder_); }

  std::unique_ptr<RecordStore> open() override {
    auto opened = open_record_file(folder_ / "records", {0x6f777402, 1, "records of a test", ""});
    EXPECT_TRUE(opened) << opened.error().message;
    return opened ? std::move(*opened) : nullptr;
  }

 private:
  fs::path folder_;
};

class MemoryFixture final : public RecordStoreFixture {
 public:
  std::unique_ptr<RecordStore> open() override { return make_memory_records(); }
};

template <class Fixture>
std::unique_ptr<RecordStoreFixture> make() {
  return std::make_unique<Fixture>();
}

INSTANTIATE_TEST_SUITE_P(Stores, RecordStoreContract,
                         ::testing::Values(RecordStoreCase{"File", true, make<FileFixture>},
                                           RecordStoreCase{"Memory", false, make<MemoryFixture>}),
                         record_store_case_name);

}  // namespace
}  // namespace orbweaver::state::testing
