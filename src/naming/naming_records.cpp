#include "naming/naming_records.h"

#include <charconv>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace orbweaver::naming {
namespace {

constexpr std::string_view kContext = "context/", kBinding = "binding/";

std::string context_key(const ContextId& context) { return std::string(kContext) + context; }

/// "binding/11:NameService5:radiosctx": context and id, each after its length, and the kind.
std::string binding_key(const ContextId& context, const Key& key) {
  const auto part = [](const std::string& text) { return std::to_string(text.size()) + ":" + text; };
  return std::string(kBinding) + part(context) + part(key.first) + key.second;
}

/// Takes a text after its length from the front.
std::optional<std::string> take_part(std::string_view& text) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size() || *end != ':') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  if (size > text.size()) return std::nullopt;
  std::string part(text.substr(0, size));
  text.remove_prefix(size);
  return part;
}

std::string binding_value(const Target& target) {
  return std::to_string(static_cast<int>(target.kind)) + target.text;
}

/// The change that makes a binding; none if the record is invalid.
std::optional<Change> parse_binding(std::string_view key, const std::string& value) {
  Change change;
  change.context = take_part(key);
  const auto id = take_part(key);
  if (!change.context || !id || value.empty() || value[0] < '0' || value[0] > '2') return std::nullopt;
  change.key = {*id, std::string(key)};
  change.target = Target{static_cast<Target::Kind>(value[0] - '0'), value.substr(1)};
  return change;
}

class RecordNames final : public NamingStore {
 public:
  explicit RecordNames(std::unique_ptr<state::RecordStore> records) : records_(std::move(records)) {}

  Result<void> commit(const Change& change, Durability durability) override {
    std::vector<state::RecordChange> changes;
    if (change.create) changes.push_back({context_key(*change.create), ""});
    if (change.destroy) changes.push_back({context_key(*change.destroy), std::nullopt});
    if (change.context) {
      changes.push_back({binding_key(*change.context, change.key),
                         change.target ? std::optional(binding_value(*change.target)) : std::nullopt});
    }
    return records_->commit(changes, durability);
  }
  Result<void> flush() override { return records_->commit({}); }

 private:
  const std::unique_ptr<state::RecordStore> records_;
};

}  // namespace

Result<NamingFile> open_naming_records(std::unique_ptr<state::RecordStore> records,
                                       const std::string& where) {
  auto all = records->read_all();
  if (!all) return all.take_error();
  NamingFile names;
  std::vector<Change> bindings;
  for (const auto& [key, value] : *all) {
    const std::string_view text = key;
    std::optional<Change> change;
    if (text.starts_with(kContext)) {
      change.emplace().create = std::string(text.substr(kContext.size()));
      names.state.apply(*change);
    } else if (text.starts_with(kBinding)) {
      change = parse_binding(text.substr(kBinding.size()), value);
      if (change) bindings.push_back(*change);
    }
    if (!change)
      return Error{ErrorKind::invalid, where + ": the record '" + key + "' of a name is invalid; remove it"};
  }
  for (const Change& binding : bindings) {
    if (names.state.find(*binding.context) == nullptr) {
      return Error{ErrorKind::invalid, where + ": the context of the name '" + binding.key.first +
                                           "' is missing; remove the names"};
    }
    names.state.apply(binding);
  }
  names.store = std::make_unique<RecordNames>(std::move(records));
  return names;
}

}  // namespace orbweaver::naming
