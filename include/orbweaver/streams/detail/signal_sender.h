#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include <orbweaver/streams/signal_counts.h>

namespace orbweaver::streams::detail {

/// Sends the signals of a consumer to its producers in a thread of its own, so that a target that blocks or
/// is dead delays other signals only. Signals that are due are kept as a set, one of each kind and stream:
/// memory is bounded. The thread starts with the first signal. Any thread.
class SignalSender {
 public:
  using Resume = std::function<void()>;
  using Empty = std::function<void(std::uint16_t stream_id)>;

  SignalSender() = default;
  /// Waits for the call in progress; signals that are due are not sent.
  ~SignalSender();
  SignalSender(const SignalSender&) = delete;
  SignalSender& operator=(const SignalSender&) = delete;

  /// Adds a target; replaces the one with this id.
  void connect_resume(const std::string& id, Resume target);
  void connect_empty(const std::string& id, Empty target);
  /// False if there is no such target. A call in progress is not waited for.
  bool disconnect_resume(const std::string& id);
  bool disconnect_empty(const std::string& id);

  /// Queues the signal for all targets. Kept until there is a target.
  void send_resume() noexcept;
  /// Queues the signal for all targets. Nothing is sent if there is none.
  void send_empty(std::uint16_t stream_id) noexcept;

  SignalCounts counts() const;

 private:
  template <class Target>
  using Targets = std::map<std::string, std::shared_ptr<const Target>>;

  bool due() const { return (resume_due_ && !resume_targets_.empty()) || !empty_due_.empty(); }
  void start(const std::unique_lock<std::mutex>& lock);
  void run();
  template <class Target, class... Arguments>
  void call(std::unique_lock<std::mutex>& lock, const char* what, const Targets<Target>& targets,
            std::uint64_t& sent, Arguments... arguments);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Targets<Resume> resume_targets_;
  Targets<Empty> empty_targets_;
  bool resume_due_ = false;
  std::set<std::uint16_t> empty_due_;
  SignalCounts counts_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::streams::detail
