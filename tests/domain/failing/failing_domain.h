#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <orbweaver/orb.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../orbweaver_process.h"
#include "CosEventCommS.h"
#include "DomainC.h"
#include "sca/cf222/testing/test_domain.h"

namespace orbweaver::sca {

/// A domain manager in this process, with short time limits if a test asks for them, and two nodes, each a
/// process with one device: `left`, which does not fail, and `right`. One call of a device, or of a component
/// on it, fails as the test says (failing_calls.cpp). An application `other` runs on the left node.
class FailingDomain {
 public:
  using ApplicationRef = IDL::traits<framework::DomainApplication>::ref_type;

  /// How filter_1 comes into being: a process of its own, or the component factory_1, a resource factory or
  /// component factory, creates it.
  enum class Filter { executed, created };

  /// Devices and the components filter_1 and sink_1 are of SCA 2.2.2 or 4.1. A node is not lost because it
  /// answers late, on a machine with too much to do, unless a test asks for that.
  explicit FailingDomain(bool is_sca41, const NodeWatchOptions& watch = {.limit = std::chrono::minutes(2)},
                         Filter filter = Filter::executed);
  ~FailingDomain();

  /// From now on, `operation` fails in the process with the argument `process`. The arguments are the words
  /// of failing_calls.cpp.
  void fail(const std::string& process, const std::string& operation, const std::string& point,
            const std::string& action, int number = 0) const;
  /// Calls do not fail any more; those that hang go on.
  void end_failure() const;

  /// Creates an application whose component filter_1, or factory_1, is on the right device, and all others on
  /// the left one. Raises what create() raises.
  ApplicationRef create(const std::string& name = "radio") const;
  /// A process of `orbweaver` with these arguments, which calls this domain.
  std::unique_ptr<Command> command(const std::vector<std::string>& arguments) const;
  /// The application of that name; nil: none.
  ApplicationRef find(const std::string& name) const;
  /// Releases the application `radio` until there is none.
  void release_completely() const;

  /// What is left of applications but `other`, in the model, on the devices, in the naming service and the
  /// event channel, and of processes; empty: nothing. Without the right device unless it is registered.
  std::string left_behind() const;
  /// Why `other` does not run, or does not answer, or which of its processes has ended; empty: it goes on.
  std::string damage_to_other() const;
  /// Releases the application `radio`. Expects that nothing is left of it, and that `other` goes on.
  void expect_nothing_left() const;
  /// Whether the log of the domain has this text.
  bool has_logged(const std::string& text) const;
  bool has_device(const std::string& node) const;
  /// The process of a component of an application; -1 if there is none.
  int process_of(const std::string& application, const std::string& component) const;
  /// The processes of the nodes and components that execute this program; empty: of all programs.
  std::vector<int> processes(const std::string& program) const;
  Command& node(bool is_right) { return is_right ? *right_ : *left_; }

  /// Time limits of deployments and releases.
  DeploymentLimits limits;

 private:
  class Consumer;

  DomainOptions options();
  void write_profiles() const;
  std::unique_ptr<Command> start_node(const std::string& name) const;
  /// "filter_1" or "factory_1"
  std::string failing_part() const { return filter_ == Filter::created ? "factory_1" : "filter_1"; }
  std::string query(const RegisteredDevice& device, const std::string& property) const;
  std::string left_on(const RegisteredDevice& device) const;

  const bool is_sca41_;
  const NodeWatchOptions watch_;
  const Filter filter_;
  testing::TemporaryFolder folder_, files_;
  std::vector<std::string> environment_;
  std::string mark_;  // in the environment of all processes
  testing::Disk disk_;
  testing::TestOrb orb_;
  mutable testing::TestOrb client_;
  naming::ContextExtRef naming_;
  std::unique_ptr<DomainModel> model_;
  std::unique_ptr<Domain> domain_;
  Domain::DomainManagerRef manager_;
  std::string consumer_;  // reference
  std::unique_ptr<Command> left_, right_;
  ApplicationRef other_;
  std::vector<int> other_processes_;
  std::string idle_memory_;        // of the left device, with `other`
  std::string idle_memory_right_;  // of the right device
};

}  // namespace orbweaver::sca
