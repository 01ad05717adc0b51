#include "etcd/etcd_records.h"

#include <optional>
#include <utility>

#include "base64/base64.h"
#include "etcd/etcd_messages.h"

namespace orbweaver::etcd {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kCallMs = 10'000;
/// Records that are read by one call: a server admits requests, and so records, of 1.5 MiB.
constexpr int kPage = 50;
/// Changes of one transaction; --max-txn-ops of a server is 128.
constexpr std::size_t kMostOperations = 100;

/// The journal as JSON: a list of pairs of key and value, in base64; null: the record is removed.
template <class Changes>
std::string journal_text(const Changes& changes) {
  Json list = Json::array();
  for (const auto& [key, value] : changes)
    list.push_back(Json::array({to_base64(key), value ? Json(to_base64(*value)) : Json()}));
  return list.dump();
}

template <class Changes>
std::optional<Changes> parse_journal(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return std::nullopt;
  Changes changes;
  for (const Json& change : list) {
    if (!change.is_array() || change.size() != 2 || !change[0].is_string()) return std::nullopt;
    auto key = from_base64(change[0].get<std::string>());
    if (!key || !(change[1].is_null() || change[1].is_string())) return std::nullopt;
    auto& value = changes[*key];
    if (change[1].is_null()) continue;
    value = from_base64(change[1].get<std::string>());
    if (!value) return std::nullopt;
  }
  return changes;
}

}  // namespace

EtcdRecords::EtcdRecords(Leadership& leadership, const std::string& part)
    : leadership_(leadership), part_(part), prefix_(leadership.key(part + "/")),
      journal_(leadership.key("journal/" + part)), client_(leadership.options().etcd) {}

Json EtcdRecords::operation(const std::string& key, const std::optional<std::string>& value) const {
  return value ? put_operation(prefix_ + key, *value) : delete_operation(prefix_ + key);
}

Result<std::map<std::string, std::string>> EtcdRecords::read_all() {
  if (auto completed = complete_journal(); !completed) return completed.take_error();
  std::map<std::string, std::string> records;
  const std::string end = end_of_prefix(prefix_);
  std::string first = prefix_, revision;
  for (;;) {
    Json request = range_request(first, end, kPage);
    if (!revision.empty()) request["revision"] = revision;
    auto reply = client_.call("/v3/kv/range", request, platform::Deadline::in_ms(kCallMs));
    if (!reply) return Error{ErrorKind::unavailable, "the records cannot be read: " + reply.error().message};
    auto page = parse_range(*reply, first, end);
    if (!page) return page.take_error();
    revision = page->revision;
    const bool more = page->more;
    if (more) first = page->pairs.back().key + '\0';
    for (KeyValue& pair : page->pairs)
      records.emplace(pair.key.substr(prefix_.size()), std::move(pair.value));
    if (!more) return records;
  }
}

Result<void> EtcdRecords::commit(const std::vector<state::RecordChange>& changes, Durability) {
  // A transaction of etcd may change a key once.
  Changes last;
  for (const state::RecordChange& change : changes) last[change.key] = change.value;
  if (last.empty()) return {};
  if (last.size() > kMostOperations) {
    auto written = leadership_.commit(client_, Json::array({put_operation(journal_, journal_text(last))}));
    return written ? make(last) : std::move(written);
  }
  Json operations = Json::array();
  std::size_t bytes = 0;
  for (const auto& [key, value] : last) {
    operations.push_back(operation(key, value));
    bytes += value ? value->size() : 0;
  }
  auto committed = leadership_.commit(client_, operations);
  if (committed || committed.error().message.find("too large") == std::string::npos) return committed;
  return Error{ErrorKind::unavailable, "the record '" + part_ + "/" + last.begin()->first + "' has " +
                                           std::to_string(bytes) + " octets: " + committed.error().message};
}

Result<void> EtcdRecords::make(const Changes& changes) {
  std::size_t left = changes.size();
  for (auto change = changes.begin(); left > 0;) {
    Json operations = Json::array();
    for (; change != changes.end() && operations.size() < kMostOperations; ++change, --left)
      operations.push_back(operation(change->first, change->second));
    if (left == 0) operations.push_back(delete_operation(journal_));
    if (auto made = leadership_.commit(client_, operations); !made) {
      leadership_.lose("a change could be stored in part only: " + made.error().message);
      return made;
    }
  }
  return {};
}

Result<void> EtcdRecords::complete_journal() {
  auto reply = client_.call("/v3/kv/range", get_request(journal_), platform::Deadline::in_ms(kCallMs));
  if (!reply) return Error{ErrorKind::unavailable, "the records cannot be read: " + reply.error().message};
  auto range = parse_range(*reply);
  if (!range) return range.take_error();
  if (range->pairs.empty()) return {};
  const auto changes = parse_journal<Changes>(range->pairs[0].value);
  if (changes) return make(*changes);
  return Error{ErrorKind::invalid, "the key '" + journal_ + "' of etcd is damaged; remove it"};
}

}  // namespace orbweaver::etcd
