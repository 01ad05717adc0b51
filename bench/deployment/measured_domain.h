// A domain with one node, in processes of their own, whose applications are created and released.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assembly.h"
#include "bench/harness/child.h"
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

/// What domain manager, node and device hold.
struct Held {
  long resident_kib = 0;
  long descriptors = 0;
  long files = 0;  ///< in the folders of both
};

/// Starts `orbweaver domain` and `orbweaver node` with state and caches in a scratch folder, and ends them.
/// One thread. Throws std::runtime_error, or Error, if they cannot be started or called.
class MeasuredDomain {
 public:
  /// `program`: orbweaver.
  explicit MeasuredDomain(const std::string& program);
  ~MeasuredDomain();

  /// Installs the assembly; its applications follow with run().
  void install(const Assembly& assembly);
  /// Creates, starts, stops and releases an application of the last installed assembly.
  Cycle run();
  Held held() const;
  const std::string& folder() const { return root_; }

 private:
  ScratchFolder scratch_;
  const std::string root_;
  std::unique_ptr<Child> domain_, node_;
  std::unique_ptr<sca::DomainClient> client_;
  sca::DomainClient::DomainRef manager_;
  IDL::traits<CF::ApplicationFactory>::ref_type factory_;
};

}  // namespace orbweaver::bench
