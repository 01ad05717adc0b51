#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "sca/deployment/deployment.h"
#include "sca/deployment/testing/fake_device.h"
#include "services/naming/naming_context.h"

namespace orbweaver::sca::testing {

/// A domain with devices and components of another ORB in this process, so that time limits apply.
class FakeDomain final : public DeploymentDomain {
 public:
  explicit FakeDomain(std::size_t count = 1) {
    for (std::size_t i = 1; i <= count; ++i) {
      const std::string name = "gpp_" + std::to_string(i);
      servants.push_back(CORBA::make_reference<FakeDevice>(world, name, components));
      DeploymentDevice device;
      device.candidate.id = device.candidate.label = name;
      device.candidate.properties = {{"memory", "memory", "ulong", MatchAction::external, ""}};
      device.reference = own.use(IDL::traits<CF::Device>::narrow(
          nodes.poa->id_to_reference(nodes.poa->activate_object(servants.back()))));
      candidates.push_back(device);
    }
    root = IDL::traits<CosNaming::NamingContext>::narrow(naming::make_naming_service(own.poa));
  }
  ~FakeDomain() override { world.release_hanging(); }

  IDL::traits<CORBA::ORB>::ref_type orb() override { return own.orb; }
  std::vector<DeploymentDevice> devices() override {
    ++device_readings;
    return candidates;
  }
  std::vector<DeploymentDevice> registered_devices() override { return candidates; }
  IDL::traits<CF::FileSystem>::ref_type files() override { return nullptr; }
  std::string file_name(const std::string& path) override {
    return path.starts_with("/dom/") ? path.substr(4) : "";
  }
  ObjectRef naming_context(const std::string& application) override {
    const CosNaming::Name name{CosNaming::NameComponent(application, "")};
    try {
      const auto context = root->bind_new_context(name);
      world.add("naming context");
      return context;
    } catch (const CosNaming::NamingContext::AlreadyBound&) {
      return root->resolve(name);
    }
  }
  void flush_names(const ObjectRef&) override {
    if (names_cannot_be_flushed) throw CORBA::PERSIST_STORE();
  }
  void remove_naming_context(const std::string& application) noexcept override {
    try {
      root->unbind({CosNaming::NameComponent(application, "")});
      world.call("domain remove");
      world.remove("naming context");
    } catch (const CORBA::Exception&) {
    }
  }
  ObjectRef find_by_name(const std::string& name, const std::string& application) override {
    return outside(application.empty() ? name : application + ": " + name);
  }
  ObjectRef naming_service() override { return root; }
  ObjectRef find_device_manager(const std::string& name) override { return outside(name); }
  ObjectRef find_service(const std::string& name) override { return outside(name); }
  ObjectRef domain_manager() override { return outside("domain"); }
  ObjectRef find_application(const std::string& name) override { return outside(name); }
  ObjectRef event_channel(const std::string& name) override { return outside(name); }
  ObjectRef find_log(const std::string& name) override { return outside(name); }
  void store(const Application& record, Durability durability) override {
    stored = record;
    if (durability == Durability::machine) ++flushes;
    stored_loads.insert(record.loads.size());
    stored_references.insert(std::count_if(record.components.begin(), record.components.end(),
                                           [](auto& each) { return !each.reference.empty(); }));
    if (++stores == failing_store) throw CORBA::PERSIST_STORE();
  }
  std::size_t loads_of_others(const std::string&, const std::string&, const std::string&) override {
    return loads_by_others;
  }
  OtherExecutions executions_of_others(const std::string&, const std::string&, const std::string&) override {
    return executed_by_others;
  }
  void report(const std::string& problem) override { reports.push_back(problem); }
  void process_started(const std::string& device, std::int64_t process,
                       std::chrono::steady_clock::time_point) override {
    world.call(device + " started " + std::to_string(process));
  }
  std::string process_end(const std::string& device, std::int64_t process) override {
    const std::lock_guard lock(mutex);
    const auto found = ends.find(device + " " + std::to_string(process));
    if (found != ends.end()) return found->second;
    const std::string thing = device + " process " + std::to_string(process);
    const auto left = world.left();
    return std::find(left.begin(), left.end(), thing) == left.end() ? "has ended" : "";
  }

  World world;
  TestOrb nodes, components, own;
  std::vector<CORBA::servant_reference<FakeDevice>> servants;
  std::vector<DeploymentDevice> candidates;
  IDL::traits<CosNaming::NamingContext>::ref_type root;
  std::map<std::string, ObjectRef> objects;  ///< What the functions find, by name.
  std::mutex mutex;
  std::map<std::string, std::string> ends;  // mutex
  Application stored;
  std::set<std::size_t> stored_loads;          ///< Numbers of loads in the records that were stored.
  std::set<std::ptrdiff_t> stored_references;  ///< Numbers of components with a reference in them.
  std::vector<std::string> reports;
  std::size_t loads_by_others = 0;
  OtherExecutions executed_by_others;
  int stores = 0, failing_store = 0;
  int flushes = 0;  ///< Stores that survive the end of the machine.
  int device_readings = 0;
  bool names_cannot_be_flushed = false;

 private:
  ObjectRef outside(const std::string& name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
  }
};

}  // namespace orbweaver::sca::testing
