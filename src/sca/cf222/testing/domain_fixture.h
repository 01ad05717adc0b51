#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "CosEventCommS.h"
#include "CosLwLogC.h"
#include "StandardEventC.h"
#include "platform/testing/becomes_true.h"
#include "sca/cf222/testing/test_domain.h"

namespace orbweaver::sca::testing {

using State = framework::ApplicationState;

/// A domain manager with an ORB of its own, which can be ended and started again with the same state.
struct RunningDomain {
  /// `profile`: its DMD, a file name in `root`; empty: none.
  RunningDomain(Disk& disk, const std::string& root, DeploymentFunctions functions,
                const NodeWatchOptions& watch, const std::string& profile = {},
                const DeviceQuestionLimits& questions = {}, std::vector<DomainFacade> facades = {})
      : naming(naming::make_naming_service(orb.poa)),
        model(std::move(*DomainModel::open(std::make_unique<DiskStore>(disk)))),
        domain(orb.orb, naming, *model,
               options(root, std::move(functions), watch, profile, questions, std::move(facades)),
               properties(root, profile)),
        manager(domain.start()) {}
  ~RunningDomain() { domain.end(); }

  static DomainProperties properties(const std::string& root, const std::string& profile) {
    if (profile.empty()) return {};
    auto read = read_domain_profile(root, profile);
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : DomainProperties();
  }
  static DomainOptions options(const std::string& root, DeploymentFunctions functions,
                               const NodeWatchOptions& watch, const std::string& profile,
                               const DeviceQuestionLimits& questions, std::vector<DomainFacade> facades) {
    DomainOptions options;
    options.root = root;
    options.functions = std::move(functions);
    options.watch = watch;
    options.profile = profile;
    options.device_questions = questions;
    options.facades = std::move(facades);
    return options;
  }
  std::string name_of_node() const { return model->nodes().empty() ? "" : model->nodes()[0].id; }

  TestOrb orb;
  naming::ContextExtRef naming;
  std::unique_ptr<DomainModel> model;
  Domain domain;
  Domain::DomainManagerRef manager;
};

/// A domain manager with nodes and components of this process, each node in an ORB of its own. What is
/// deployed is a test double.
struct DomainTest : ::testing::Test {
  DomainTest() : node(std::in_place, "node-1"), components("components", {}), deployment(components) {
    for (const auto& file : std::filesystem::directory_iterator(ORBWEAVER_SCA_TESTDATA))
      if (file.path().extension() == ".xml")
        std::filesystem::copy_file(file.path(), root.path(file.path().filename().string()));
    start();
  }

  /// The object as a client in another process sees it.
  template <class Interface>
  typename IDL::traits<Interface>::ref_type use(const CORBA::object_reference<Interface>& object) {
    return components.orb().use(object);
  }
  void start() {
    domain.reset();
    domain.emplace(disk, root.path().string(), functions ? *functions : deployment.functions(), watch,
                   profile, questions, facades);
    client = use(domain->manager);
  }
  void join() { client->registerDeviceManager(use(node->manager())); }
  IDL::traits<CF::ApplicationFactory>::ref_type install() {
    client->installApplication("/chain.sad.xml");
    return use(client->applicationFactories().at(0));
  }
  IDL::traits<framework::DomainApplication>::ref_type create(const std::string& name = "rx") {
    const auto factories = client->applicationFactories();
    const auto factory = factories.empty() ? install() : use(factories[0]);
    return IDL::traits<framework::DomainApplication>::narrow(use(factory->create(name, {}, {})));
  }

  TemporaryFolder root;
  Disk disk;
  /// Of the next start(). The load of the machine causes no time-out.
  NodeWatchOptions watch{std::chrono::milliseconds(10), std::chrono::minutes(2), 3};
  DeviceQuestionLimits questions{std::chrono::minutes(2), std::chrono::minutes(2), std::chrono::minutes(2)};
  std::optional<TestNode> node;
  TestNode components;
  TestDeployment deployment;
  std::string profile;                           ///< The DMD of the next start().
  std::vector<DomainFacade> facades;             ///< Of the next start().
  std::optional<DeploymentFunctions> functions;  ///< Of the next start(), instead of the test double.
  std::optional<RunningDomain> domain;
  Domain::DomainManagerRef client;
};

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CF::ApplicationFactory::CreateApplicationError& e) {
    return e.msg();
  } catch (const CF::DomainManager::ApplicationInstallationError& e) {
    return e.msg();
  } catch (const CF::DomainManager::RegisterError& e) {
    return e.msg();
  } catch (const CF::Resource::StartError& e) {
    return e.msg();
  } catch (const CORBA::Exception& e) {
    return e._name();
  }
  return "nothing";
}

/// Whether the log of a domain has a record that contains the text; of that level unless it is 0.
inline bool has_logged(Domain& domain, const std::string& text, CosLwLog::LogLevel level = 0) {
  const auto log = IDL::traits<CosLwLog::Log>::narrow(domain.find_log(""));
  CosLwLog::RecordId next = log->get_record_id_from_time({});
  std::uint32_t count = 1000;
  const auto records = log->retrieve_records(next, count);
  return std::any_of(records.begin(), records.end(), [&](const CosLwLog::LogRecord& record) {
    return (level == 0 || record.info().level() == level) &&
           record.info().logData().find(text) != std::string::npos;
  });
}

/// A uses port, which records its connections.
class TestPort final : public virtual CORBA::servant_traits<CF::Port>::base_type {
 public:
  void connectPort(IDL::traits<CORBA::Object>::ref_type object, const std::string& id) override {
    const std::lock_guard lock(mutex_);
    objects_[id] = object;
    connected_.insert(id);
    calls_.push_back("+" + id);
  }
  void disconnectPort(const std::string& id) override {
    on_disconnect();
    const std::lock_guard lock(mutex_);
    if (connected_.erase(id) == 0) throw CF::Port::InvalidPort(1, "no such connection");
    calls_.push_back("-" + id);
  }
  /// Called at the begin of disconnectPort().
  std::function<void()> on_disconnect = [] {};
  /// "+ID" for a connection that has been made, "-ID" for one that has been undone.
  std::vector<std::string> calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  /// What was connected last under this id; nil: nothing.
  IDL::traits<CORBA::Object>::ref_type object(const std::string& id) {
    const std::lock_guard lock(mutex_);
    return objects_[id];
  }

 private:
  std::mutex mutex_;
  std::map<std::string, IDL::traits<CORBA::Object>::ref_type> objects_;
  std::set<std::string> connected_;
  std::vector<std::string> calls_;
};

/// A consumer of the outgoing channel, which records the events of objects.
class Consumer final : public virtual CORBA::servant_traits<CosEventComm::PushConsumer>::base_type {
 public:
  void push(const CORBA::Any& event) override {
    StandardEvent::DomainManagementObjectAddedEventType added;
    StandardEvent::DomainManagementObjectRemovedEventType removed;
    const std::lock_guard lock(mutex_);
    if (event >>= added) {
      events_.push_back("+" + added.sourceId());
      producers_.push_back(added.producerId());
    }
    if (event >>= removed) {
      events_.push_back("-" + removed.sourceId());
      producers_.push_back(removed.producerId());
    }
  }
  void disconnect_push_consumer() override {}
  /// "+ID" for an object that has been added, "-ID" for one that has been removed.
  std::vector<std::string> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  /// Of the same events.
  std::vector<std::string> producers() {
    const std::lock_guard lock(mutex_);
    return producers_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> events_, producers_;
};

}  // namespace orbweaver::sca::testing
