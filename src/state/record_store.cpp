#include "state/record_store.h"

namespace orbweaver::state {
namespace {

class MemoryRecords : public RecordStore {
 public:
  Result<std::map<std::string, std::string>> read_all() override { return records_; }
  Result<void> commit(const std::vector<RecordChange>& changes, Durability) override {
    for (const RecordChange& change : changes) {
      if (change.value) {
        records_[change.key] = *change.value;
      } else {
        records_.erase(change.key);
      }
    }
    return {};
  }

 private:
  std::map<std::string, std::string> records_;
};

}  // namespace

std::unique_ptr<RecordStore> make_memory_records() { return std::make_unique<MemoryRecords>(); }

}  // namespace orbweaver::state
