#pragma once

#include <map>
#include <string>
#include <vector>

#include "etcd/etcd_client.h"
#include "etcd/leadership.h"
#include "state/record_store.h"

namespace orbweaver::etcd {

/// The records of one part of a state: a key of etcd each, "PREFIX/PART/KEY" (docs/formats/domain-state.md).
/// Changes are made only while this process leads. A commit of more changes than a transaction of etcd may
/// have is written to a journal first, which is complete in one transaction: who reads the records completes
/// it.
class EtcdRecords final : public state::RecordStore {
 public:
  /// `leadership` outlives this.
  EtcdRecords(Leadership& leadership, const std::string& part);

  Result<std::map<std::string, std::string>> read_all() override;
  /// Each commit is confirmed by etcd, which has flushed it.
  Result<void> commit(const std::vector<state::RecordChange>& changes, Durability) override;

 private:
  /// The last change of each key.
  using Changes = std::map<std::string, std::optional<std::string>>;

  nlohmann::json operation(const std::string& key, const std::optional<std::string>& value) const;
  Result<void> complete_journal();
  /// Makes changes that are in the journal, and removes it.
  Result<void> make(const Changes& changes);

  Leadership& leadership_;
  const std::string part_, prefix_, journal_;  // the latter two: of keys
  EtcdClient client_;
};

}  // namespace orbweaver::etcd
