// A domain with one node, in processes of their own, whose applications are created and released.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assembly.h"
#include "bench/harness/child.h"
#include "held.h"
#include "sca/control/domain_client.h"

namespace orbweaver::bench {

/// A folder that is removed with its contents.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Times of one application, in milliseconds.
struct Cycle {
  double create_ms = 0;  ///< `create` of its factory
  double start_ms = 0;
  double release_ms = 0;  ///< `stop` and `releaseObject`
};

/// How a domain is started.
struct DomainSetup {
  bool separate_naming = false;               ///< `orbweaver naming` is a process of its own
  bool monitor = false;                       ///< the web monitor is served
  std::vector<std::string> environment = {};  ///< of the processes, and what they start: "NAME=VALUE"
  std::vector<std::string> options = {};      ///< of naming service, domain manager and node
};

/// Starts `orbweaver domain` and `orbweaver node` with state and caches in a scratch folder, and ends them.
/// One thread. Throws std::runtime_error, or Error, if they cannot be started or called.
class MeasuredDomain {
 public:
  using ApplicationRef = IDL::traits<CF::Application>::ref_type;

  /// `program`: orbweaver.
  explicit MeasuredDomain(const std::string& program, const DomainSetup& setup = {});
  ~MeasuredDomain();

  /// Installs the assembly; its applications follow with run().
  void install(const Assembly& assembly);
  /// The same with a SAD that has been written to folder().
  void install(const std::string& file_name);
  /// Creates, starts, stops and releases an application of the last installed assembly.
  Cycle run();
  /// Creates an application of the last installed assembly. Its calls have the time limit of actions.
  ApplicationRef create();
  Held held() const;
  /// The same when connections and threads of what has ended are closed: when readings have been equal but
  /// for the memory for 2.5 s, longer than threads without work wait for it; at most 10 s later.
  Held held_at_rest() const;
  const std::string& folder() const { return root_; }
  /// "http://127.0.0.1:40123": of the monitor, if there is one.
  const std::string& monitor_url() const { return monitor_url_; }
  pid_t domain_pid() const { return domain_->pid(); }
  const sca::DomainClient& client() const { return *client_; }
  const sca::DomainClient::DomainRef& manager() const { return manager_; }

 private:
  std::unique_ptr<Child> start(const std::string& program, std::vector<std::string> arguments) const;
  std::string start_domain(const std::string& program, const DomainSetup& setup);

  ScratchFolder scratch_;
  const std::string root_;
  const std::vector<std::string> environment_, options_;
  std::string monitor_url_;
  std::unique_ptr<Child> naming_, domain_, node_;
  std::unique_ptr<sca::DomainClient> client_;
  sca::DomainClient::DomainRef manager_;
  IDL::traits<CF::ApplicationFactory>::ref_type factory_;
};

}  // namespace orbweaver::bench
