#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "sca/domain/domain_records.h"
#include "state/record_store.h"

namespace orbweaver::sca {

/// A change of a domain, for observers.
struct DomainChange {
  enum class Subject { node, device, service, installed_application, application };
  enum class Kind { added, changed, removed };
  Subject subject = Subject::node;
  Kind kind = Kind::added;
  std::string id;  ///< Of the record; the name of a service.
};

/// The nodes, devices, services and applications of a domain. A change is written to the store before it
/// becomes visible; if that fails, nothing changes. Thread-safe.
class DomainModel {
 public:
  /// Limits of nodes, each of which is watched by a thread, and of devices, services and applications.
  static constexpr std::size_t kMaxNodes = 1000, kMaxRecords = 10'000;

  /// Reads the state from a store. Fails with the errors of the store, and with ErrorKind::invalid if a
  /// record is damaged; the message contains its key.
  static Result<std::unique_ptr<DomainModel>> open(std::unique_ptr<state::RecordStore> store);

  /// Calls `observer` after each later change, in the order of the changes and on the thread that makes them.
  /// The observer may read the model and must not change it.
  void observe(std::function<void(const DomainChange&)> observer);

  // Each function below that changes the model fails with the errors of the store, with ErrorKind::invalid
  // where it says so, and with ErrorKind::unavailable if it would exceed a limit of records.

  /// Adds a node, or replaces the one with its id.
  Result<void> put(const Node& node);
  /// Adds a device, or replaces the one with its id. Invalid if its node is not registered, or the id is that
  /// of a device of another node.
  Result<void> put(const RegisteredDevice& device);
  /// Adds a service, or replaces the one with its name, whose place in the order of services it gets. Invalid
  /// if its node is not registered, or the name is that of a service of another node.
  Result<void> put(const Service& service);
  /// Adds an installed application. Invalid if its id or name is that of another one.
  Result<void> put(const InstalledApplication& installed);
  /// Adds an application, or replaces the one with its id. Invalid if its name is that of another one.
  Result<void> put(const Application& application, Durability durability = Durability::machine);

  /// Replaces an application by an orphan: what it has left on devices that are not registered, in one change
  /// of the store. Orphans are no applications; observers are told that the application has been removed.
  /// Invalid if there is no such application, or its state is not `orphaned`.
  Result<void> orphan(const Application& left);
  /// Replaces an application by another record of its name, and by an orphan as above if there is one, in one
  /// change of the store. Invalid if there is no such application.
  Result<void> replace(const std::string& id, const std::optional<Application>& left,
                       const Application& next);
  /// Changes an orphan. Invalid if there is none of that id.
  Result<void> put_orphan(const Application& left);

  /// Removes a node with its devices and services, in one change of the store. Invalid if there is none.
  Result<void> remove_node(const std::string& id);
  /// Invalid if there is none.
  Result<void> remove_device(const std::string& id);
  Result<void> remove_service(const std::string& name);
  Result<void> remove_installed_application(const std::string& id);
  Result<void> remove_application(const std::string& id);
  Result<void> remove_orphan(const std::string& id);

  /// All records, sorted by id.
  std::vector<Node> nodes() const;
  std::vector<RegisteredDevice> devices() const;
  std::vector<Service> services() const;
  std::vector<InstalledApplication> installed_applications() const;
  std::vector<Application> applications() const;
  std::vector<Application> orphans() const;

  /// The record with that id; empty if there is none.
  std::optional<Node> node(const std::string& id) const;
  std::optional<RegisteredDevice> device(const std::string& id) const;
  std::optional<Service> service(const std::string& name) const;
  std::optional<InstalledApplication> installed_application(const std::string& id) const;
  std::optional<Application> application(const std::string& id) const;

 private:
  template <class Record>
  struct Table {
    DomainChange::Subject subject;
    std::string_view prefix;  // of the keys of its records
    std::string_view plural;
    std::size_t most;  // records
    std::map<std::string, Record> records;
    bool is_observed = true;
  };

  explicit DomainModel(std::unique_ptr<state::RecordStore> store) : store_(std::move(store)) {}

  template <class Record>
  Result<bool> read(const std::string& key, const std::string& value, Table<Record>& table);
  template <class Record>
  std::vector<Record> all(const Table<Record>& table) const;
  template <class Record>
  std::optional<Record> find(const Table<Record>& table, const std::string& id) const;
  template <class Record>
  Result<void> write(Table<Record>& table, const std::string& id, const Record& record,
                     Durability durability = Durability::machine);
  template <class Record>
  Result<void> remove(Table<Record>& table, const std::string& id);
  /// Whether a device or service may be registered for `node`.
  Result<void> check_node(const std::string& node, const std::string& of) const;
  template <class Record>
  void notify(const Table<Record>& table, DomainChange::Kind kind, const std::string& id) const;
  void notify(const DomainChange& change) const;

  std::unique_ptr<state::RecordStore> store_;
  std::mutex changing_;  // held while a change is checked, stored, made and observed
  std::vector<std::function<void(const DomainChange&)>> observers_;  // changing_
  mutable std::shared_mutex records_;  // held to read the tables; and to write them, with changing_
  Table<Node> nodes_{DomainChange::Subject::node, "node/", "nodes", kMaxNodes, {}};
  Table<RegisteredDevice> devices_{DomainChange::Subject::device, "device/", "devices", kMaxRecords, {}};
  Table<Service> services_{DomainChange::Subject::service, "service/", "services", kMaxRecords, {}};
  Table<InstalledApplication> installed_{
      DomainChange::Subject::installed_application, "installed/", "installed applications", kMaxRecords, {}};
  Table<Application> applications_{
      DomainChange::Subject::application, "application/", "applications", kMaxRecords, {}};
  Table<Application> orphans_{
      DomainChange::Subject::application, "orphan/", "released applications", kMaxRecords, {}, false};
};

}  // namespace orbweaver::sca
