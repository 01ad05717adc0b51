#include "sca/domain/domain_model.h"

#include <algorithm>
#include <utility>

#include "sca/domain/record_json.h"

namespace orbweaver::sca {
namespace {

Error invalid(const std::string& message) { return {ErrorKind::invalid, message}; }

const std::string& id_of(const Service& service) { return service.name; }
template <class Record>
const std::string& id_of(const Record& record) {
  return record.id;
}

Error too_many(std::size_t most, std::string_view plural) {
  return {ErrorKind::unavailable,
          "the domain has " + std::to_string(most) + " " + std::string(plural) + ", the most that it admits"};
}

/// Another record of the table with this name; null if there is none.
template <class Table, class Record>
const Record* find_other_by_name(const Table& table, const Record& record) {
  for (const auto& [id, other] : table.records) {
    if (other.name == record.name && id != record.id) return &other;
  }
  return nullptr;
}

}  // namespace

Result<std::unique_ptr<DomainModel>> DomainModel::open(std::unique_ptr<state::RecordStore> store) {
  auto records = store->read_all();
  if (!records) return records.take_error();
  std::unique_ptr<DomainModel> model(new DomainModel(std::move(store)));
  for (const auto& record : *records) {
    const std::string& key = record.first;
    const std::string& value = record.second;
    const auto read_into = [&](auto&... table) -> Result<bool> {
      Result<bool> known = false;
      ((known = known && !*known ? model->read(key, value, table) : std::move(known)), ...);
      return known;
    };
    auto known = read_into(model->nodes_, model->devices_, model->services_, model->installed_,
                           model->applications_, model->orphans_);
    if (!known) return invalid("record '" + key + "' is damaged: " + known.error().message);
    if (!*known) return invalid("record '" + key + "' is of an unknown kind");
  }
  return model;
}

template <class Record>
Result<bool> DomainModel::read(const std::string& key, const std::string& value, Table<Record>& table) {
  if (!key.starts_with(table.prefix)) return false;
  Record record;
  if (auto converted = from_json_text(value, record); !converted) return converted.take_error();
  if (key.substr(table.prefix.size()) != id_of(record)) return invalid("it contains '" + id_of(record) + "'");
  table.records.emplace(id_of(record), std::move(record));
  return true;
}

void DomainModel::observe(std::function<void(const DomainChange&)> observer) {
  const std::lock_guard lock(changing_);
  observers_.push_back(std::move(observer));
}

void DomainModel::notify(const DomainChange& change) const {
  for (const auto& observer : observers_) observer(change);
}

template <class Record>
void DomainModel::notify(const Table<Record>& table, DomainChange::Kind kind, const std::string& id) const {
  if (table.is_observed) notify({table.subject, kind, id});
}

template <class Record>
std::vector<Record> DomainModel::all(const Table<Record>& table) const {
  const std::shared_lock lock(records_);
  std::vector<Record> records;
  records.reserve(table.records.size());
  for (const auto& [id, record] : table.records) records.push_back(record);
  return records;
}

template <class Record>
std::optional<Record> DomainModel::find(const Table<Record>& table, const std::string& id) const {
  const std::shared_lock lock(records_);
  const auto found = table.records.find(id);
  if (found == table.records.end()) return std::nullopt;
  return found->second;
}

template <class Record>
Result<void> DomainModel::write(Table<Record>& table, const std::string& id, const Record& record,
                                Durability durability) {
  if (id.empty()) return invalid("an id is empty");
  if (!is_utf8(id)) return invalid("an id is not valid UTF-8");
  if (table.records.size() >= table.most && !table.records.contains(id))
    return too_many(table.most, table.plural);
  auto stored = store_->commit({{std::string(table.prefix) + id, to_json_text(record)}}, durability);
  if (!stored) return stored;
  bool added = false;
  {
    const std::unique_lock lock(records_);
    added = table.records.insert_or_assign(id, record).second;
  }
  notify(table, added ? DomainChange::Kind::added : DomainChange::Kind::changed, id);
  return {};
}

template <class Record>
Result<void> DomainModel::remove(Table<Record>& table, const std::string& id) {
  const std::lock_guard changing(changing_);
  if (!table.records.contains(id)) return invalid("'" + id + "' is not registered");
  if (auto stored = store_->commit({{std::string(table.prefix) + id, std::nullopt}}); !stored) return stored;
  {
    const std::unique_lock lock(records_);
    table.records.erase(id);
  }
  notify(table, DomainChange::Kind::removed, id);
  return {};
}

Result<void> DomainModel::check_node(const std::string& node, const std::string& of) const {
  if (nodes_.records.contains(node)) return {};
  return invalid("node '" + node + "' of " + of + " is not registered");
}

Result<void> DomainModel::put(const Node& node) {
  const std::lock_guard changing(changing_);
  return write(nodes_, node.id, node);
}

Result<void> DomainModel::put(const RegisteredDevice& device) {
  const std::lock_guard changing(changing_);
  const std::string of = "device '" + device.id + "'";
  if (auto checked = check_node(device.node, of); !checked) return checked;
  const auto present = devices_.records.find(device.id);
  if (present != devices_.records.end() && present->second.node != device.node)
    return invalid(of + " is registered by node '" + present->second.node + "'");
  return write(devices_, device.id, device);
}

Result<void> DomainModel::put(const Service& service) {
  const std::lock_guard changing(changing_);
  const std::string of = "service '" + service.name + "'";
  if (!service.node.empty()) {
    if (auto checked = check_node(service.node, of); !checked) return checked;
  }
  const auto present = services_.records.find(service.name);
  if (present != services_.records.end() && present->second.node != service.node)
    return invalid(of + " is registered by node '" + present->second.node + "'");
  Service record = service;
  if (record.order == 0) {
    if (present != services_.records.end()) {
      record.order = present->second.order;
    } else {
      for (const auto& [name, each] : services_.records) record.order = std::max(record.order, each.order);
      ++record.order;
    }
  }
  return write(services_, service.name, record);
}

Result<void> DomainModel::put(const InstalledApplication& installed) {
  const std::lock_guard changing(changing_);
  if (installed_.records.contains(installed.id))
    return invalid("application '" + installed.id + "' is installed already");
  if (const auto* other = find_other_by_name(installed_, installed))
    return invalid("an application named '" + installed.name + "' is installed already: '" + other->id + "'");
  return write(installed_, installed.id, installed);
}

Result<void> DomainModel::put(const Application& application, Durability durability) {
  const std::lock_guard changing(changing_);
  if (const auto* other = find_other_by_name(applications_, application))
    return invalid("an application named '" + application.name + "' exists already: '" + other->id + "'");
  return write(applications_, application.id, application, durability);
}

Result<void> DomainModel::orphan(const Application& left) {
  const std::lock_guard changing(changing_);
  if (!applications_.records.contains(left.id)) return invalid("'" + left.id + "' is not registered");
  if (left.state != ApplicationState::orphaned) return invalid("application '" + left.id + "' is no orphan");
  if (orphans_.records.size() >= orphans_.most) return too_many(orphans_.most, orphans_.plural);
  if (auto stored = store_->commit({{std::string(applications_.prefix) + left.id, std::nullopt},
                                    {std::string(orphans_.prefix) + left.id, to_json_text(left)}});
      !stored)
    return stored;
  {
    const std::unique_lock lock(records_);
    applications_.records.erase(left.id);
    orphans_.records.insert_or_assign(left.id, left);
  }
  notify(applications_, DomainChange::Kind::removed, left.id);
  return {};
}

Result<void> DomainModel::replace(const std::string& id, const std::optional<Application>& left,
                                  const Application& next) {
  const std::lock_guard changing(changing_);
  if (!applications_.records.contains(id)) return invalid("'" + id + "' is not registered");
  if (left && orphans_.records.size() >= orphans_.most) return too_many(orphans_.most, orphans_.plural);
  std::vector<state::RecordChange> changes{{std::string(applications_.prefix) + id, std::nullopt},
                                           {std::string(applications_.prefix) + next.id, to_json_text(next)}};
  if (left) changes.push_back({std::string(orphans_.prefix) + left->id, to_json_text(*left)});
  if (auto stored = store_->commit(changes); !stored) return stored;
  {
    const std::unique_lock lock(records_);
    applications_.records.erase(id);
    applications_.records.insert_or_assign(next.id, next);
    if (left) orphans_.records.insert_or_assign(left->id, *left);
  }
  notify(applications_, DomainChange::Kind::removed, id);
  notify(applications_, DomainChange::Kind::added, next.id);
  return {};
}

Result<void> DomainModel::put_orphan(const Application& left) {
  const std::lock_guard changing(changing_);
  if (!orphans_.records.contains(left.id)) return invalid("'" + left.id + "' is no orphan");
  return write(orphans_, left.id, left);
}

Result<void> DomainModel::remove_node(const std::string& id) {
  const std::lock_guard changing(changing_);
  if (!nodes_.records.contains(id)) return invalid("'" + id + "' is not registered");
  // Devices and services first, so that an observer of their removal still finds the node.
  std::vector<DomainChange> removed;
  std::vector<state::RecordChange> changes;
  const auto collect = [&](const auto& table) {
    for (const auto& [key, record] : table.records) {
      if (record.node != id) continue;
      removed.push_back({table.subject, DomainChange::Kind::removed, key});
      changes.push_back({std::string(table.prefix) + key, std::nullopt});
    }
  };
  collect(services_);
  collect(devices_);
  removed.push_back({nodes_.subject, DomainChange::Kind::removed, id});
  changes.push_back({std::string(nodes_.prefix) + id, std::nullopt});
  if (auto stored = store_->commit(changes); !stored) return stored;
  {
    const std::unique_lock lock(records_);
    const auto belongs = [&](const auto& entry) { return entry.second.node == id; };
    std::erase_if(services_.records, belongs);
    std::erase_if(devices_.records, belongs);
    nodes_.records.erase(id);
  }
  for (const DomainChange& change : removed) notify(change);
  return {};
}

Result<void> DomainModel::remove_device(const std::string& id) { return remove(devices_, id); }
Result<void> DomainModel::remove_service(const std::string& name) { return remove(services_, name); }
Result<void> DomainModel::remove_installed_application(const std::string& id) {
  return remove(installed_, id);
}
Result<void> DomainModel::remove_application(const std::string& id) { return remove(applications_, id); }
Result<void> DomainModel::remove_orphan(const std::string& id) { return remove(orphans_, id); }

std::vector<Node> DomainModel::nodes() const { return all(nodes_); }
std::vector<RegisteredDevice> DomainModel::devices() const { return all(devices_); }
std::vector<Service> DomainModel::services() const { return all(services_); }
std::vector<InstalledApplication> DomainModel::installed_applications() const { return all(installed_); }
std::vector<Application> DomainModel::applications() const { return all(applications_); }
std::vector<Application> DomainModel::orphans() const { return all(orphans_); }
std::optional<Node> DomainModel::node(const std::string& id) const { return find(nodes_, id); }
std::optional<RegisteredDevice> DomainModel::device(const std::string& id) const {
  return find(devices_, id);
}
std::optional<Service> DomainModel::service(const std::string& name) const { return find(services_, name); }
std::optional<InstalledApplication> DomainModel::installed_application(const std::string& id) const {
  return find(installed_, id);
}
std::optional<Application> DomainModel::application(const std::string& id) const {
  return find(applications_, id);
}

}  // namespace orbweaver::sca
