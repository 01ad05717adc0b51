#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <memory>
#include <string>

#include "naming/naming_file.h"
#include "platform/fd.h"
#include "sca/domain/domain_model.h"
#include "state/shared_state.h"

namespace orbweaver::sca {

/// Where a domain manager has its state: its records, and the names of the naming service that it hosts.
/// Called by one thread.
class DomainState {
 public:
  using Told = state::SharedState::Told;

  virtual ~DomainState() = default;
  /// Waits until this process may use the state, as SharedState::lead(). A state that is not shared may be
  /// used at once.
  virtual Result<bool> acquire(const platform::Fd& cancelled, const Told& waiting, Told lost) = 0;
  /// Reads the records. After acquire(). Errors: as DomainModel::open() and those of the store; the message
  /// says where the state is.
  virtual Result<std::unique_ptr<DomainModel>> open_model() = 0;
  /// Reads the names. After acquire(). Errors: as open_naming_file().
  virtual Result<naming::NamingFile> open_names() = 0;
  /// Whether another domain manager of this name cannot use the state now, though it may still answer calls.
  virtual bool excludes_others() const = 0;
  /// Lets another process use the state. The model and the names have been destroyed, or are used no more.
  virtual void release() noexcept = 0;
  /// For messages: "state in FILE".
  virtual std::string text() const = 0;
};

/// The state in a file of SQLite, with the names in one beside it: "domain-names.sqlite" beside
/// "domain.sqlite". An empty path: the state ends with the process.
std::unique_ptr<DomainState> make_file_state(const std::string& path);

/// A state that domain managers on several hosts share.
std::unique_ptr<DomainState> make_shared_domain_state(std::unique_ptr<state::SharedState> state);

}  // namespace orbweaver::sca
