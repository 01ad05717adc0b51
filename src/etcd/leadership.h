#pragma once

#include <orbweaver/result.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "etcd/etcd_client.h"
#include "etcd/etcd_options.h"
#include "platform/clock.h"
#include "platform/fd.h"
#include "state/shared_state.h"

namespace orbweaver::etcd {

/// What a process needs to lead.
struct LeadershipOptions {
  EtcdOptions etcd;
  std::string prefix;  ///< Of all keys of the state, with "/" at its end.
  std::string name;    ///< Of this process, for messages of others: "host radio-1, process 4711".
  /// Time after which another process leads if this one does not renew its lease.
  std::chrono::seconds lease{5};
  /// Whether an etcd that cannot be reached at the beginning is waited for, too.
  bool is_patient = false;
};

/// The leadership of one process among those that share a state: the key "leader", which is bound to a lease
/// of the process and vanishes with it. All changes of the state are transactions on the condition that the
/// key is the one that this process has made (docs/decisions/0064…): those of a process that has lost the
/// leadership without knowing, because it was stopped or cut off, are rejected.
class Leadership {
 public:
  using Told = state::SharedState::Told;

  explicit Leadership(LeadershipOptions options);
  ~Leadership() { resign(); }
  Leadership(const Leadership&) = delete;
  Leadership& operator=(const Leadership&) = delete;

  /// As SharedState::lead().
  Result<bool> acquire(const platform::Fd& cancelled, const Told& waiting, Told lost);
  /// Makes changes, a list of at most 100 RequestOps, if this process leads. Any thread, with a client of its
  /// own. Errors: unavailable; the changes have not been made, or the leadership is lost.
  Result<void> commit(EtcdClient& client, const nlohmann::json& operations);
  /// Gives up the leadership, because the state is not known any more. Any thread.
  void lose(const std::string& reason);
  /// As SharedState::resign().
  void resign() noexcept;

  const LeadershipOptions& options() const { return options_; }
  std::string key(const std::string& name) const { return options_.prefix + name; }

 private:
  using Json = nlohmann::json;

  /// Creates the key with a new lease. False if another process was faster.
  Result<bool> create_key(EtcdClient& client);
  /// Checks that the state is one of this version, and marks a new one.
  Result<void> check_format(EtcdClient& client);
  /// Keeps the lease alive.
  void renew();
  /// The lease after one attempt to renew it: empty if that has failed, and why.
  std::string renew_once(EtcdClient& client, std::int64_t until_ns);
  std::string why_lost();

  const LeadershipOptions options_;
  std::string lease_, revision_;  // of the key; constant while the thread runs
  std::mutex mutex_;              // for the following
  std::condition_variable changed_;
  bool is_lost_ = false, is_ended_ = false;
  std::string reason_;
  std::int64_t deadline_ns_ = 0;  // end of the lease
  Told lost_;
  std::thread thread_;
};

}  // namespace orbweaver::etcd
