#pragma once

#include <orbweaver/result.h>

#include <functional>
#include <memory>
#include <string>

#include "platform/fd.h"
#include "state/record_store.h"

namespace orbweaver::state {

/// A state that processes on several hosts share. One of them leads: only its changes are made. The others
/// stand by until it has ended. Called by one thread at a time, but for what is said of callbacks.
class SharedState {
 public:
  /// Called with one sentence.
  using Told = std::function<void(const std::string&)>;

  virtual ~SharedState() = default;

  /// Waits until this process leads; false if `cancelled` has become readable before. `waiting` is called
  /// with the reason when the process begins to stand by, and when the reason changes. `lost` is called once,
  /// on a thread of the state, when this process does not lead any more; no later change succeeds, those in
  /// progress fail, and the caller reads the records again before it leads again. Called once.
  /// Errors: unavailable if the state cannot be reached when the function is called; permission_denied;
  /// invalid if it is no state of this kind, or that of a later version.
  virtual Result<bool> lead(const platform::Fd& cancelled, const Told& waiting, Told lost) = 0;

  /// The records of a part of the state: "records", "names". After lead(); must not outlive the state.
  virtual std::unique_ptr<RecordStore> open(const std::string& part) = 0;

  /// Lets another process lead at once. `lost` is not called any more. Idempotent.
  virtual void resign() noexcept = 0;

  /// Where the state is, for messages: "etcd://192.0.2.1:2379".
  virtual std::string text() const = 0;
};

}  // namespace orbweaver::state
