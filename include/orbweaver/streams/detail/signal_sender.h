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
#include <utility>

#include <orbweaver/streams/signal_counts.h>

namespace orbweaver::streams::detail {

/// Sends the signals of a consumer to its producers in a thread of its own, so that a target that blocks or
/// is dead delays other signals only. Signals that are due are flags of the resume targets and a set of
/// streams: memory is bounded. The thread starts with the first signal. Any thread.
///
/// A resume signal that fails stays due, and is repeated after 50 ms, 100 ms, 200 ms, … up to 5 s, until it
/// is sent or the target is disconnected; not after CORBA::OBJECT_NOT_EXIST. Empty signals are not repeated.
class SignalSender {
 public:
  using Resume = std::function<void()>;
  using Empty = std::function<void(std::uint16_t stream_id)>;

  SignalSender() = default;
  /// Waits for the call in progress; signals that are due are not sent.
  ~SignalSender();
  SignalSender(const SignalSender&) = delete;
  SignalSender& operator=(const SignalSender&) = delete;

  /// Adds a target; replaces the one with this id, of which a due signal is sent to the new one.
  void connect_resume(const std::string& id, Resume target);
  void connect_empty(const std::string& id, Empty target);
  /// False if there is no such target. A call in progress is not waited for.
  bool disconnect_resume(const std::string& id);
  bool disconnect_empty(const std::string& id);

  /// Makes the signal due for all targets, or for the next one to be connected if there is none.
  void send_resume() noexcept;
  /// Makes the signal due. Nothing is sent if there is no target.
  void send_empty(std::uint16_t stream_id) noexcept;

  /// While disabled, resume signals that are due are not sent. Enabled at first.
  void enable_resume(bool enabled);
  /// Discards the empty signals that are due.
  void discard_empty() noexcept;

  SignalCounts counts() const;

 private:
  struct ResumeTarget {
    explicit ResumeTarget(Resume function) : call(std::move(function)) {}

    const Resume call;
    /// Whether the target has not got a signal that it is to get.
    bool is_owed() const { return due != 0 || calling; }

    std::uint64_t due = 0;        // 0: no signal is due; otherwise its place in the order of due signals
    std::int64_t not_before = 0;  // time of the repetition
    std::int64_t delay_ns = 0;    // before the next repetition; 0: the last call has not failed
    bool calling = false;
  };
  using ResumeTargets = std::map<std::string, std::shared_ptr<ResumeTarget>>;
  using EmptyTargets = std::map<std::string, Empty>;

  void start(const std::unique_lock<std::mutex>& lock);
  void run();
  bool may_send_resume() const;
  std::shared_ptr<ResumeTarget> next_resume_target(std::int64_t now_ns, std::int64_t& wake_at_ns) const;
  void send_resume_to(std::unique_lock<std::mutex>& lock, ResumeTarget& target);
  void send_next_empty(std::unique_lock<std::mutex>& lock);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ResumeTargets resume_targets_;
  std::shared_ptr<const EmptyTargets> empty_targets_ = std::make_shared<EmptyTargets>();  // replaced
  bool resume_enabled_ = true;
  bool resume_due_ = false;  // for the next target
  std::uint64_t order_ = 0;  // of the last resume signal that became due
  std::set<std::uint16_t> empty_due_;
  std::uint16_t last_empty_ = 0;  // sent last
  SignalCounts counts_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace orbweaver::streams::detail
