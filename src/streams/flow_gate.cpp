#include <orbweaver/streams/flow_gate.h>

#include <orbweaver/streams/detail/wait_until.h>

namespace orbweaver::streams {

FlowGate::SendGuard::~SendGuard() {
  const std::lock_guard lock(gate.mutex_);
  --gate.sending_;
}

std::optional<SendResult> FlowGate::begin(Deadline deadline, std::uint64_t& resumes) {
  std::unique_lock lock(mutex_);
  const auto open = [&] { return closed_ || !stopped_ || counts_.resumes != stopped_at_; };
  if (!open()) {
    ++counts_.waited;
    ++sending_;
    while (!open() && !deadline.passed()) detail::wait_until(changed_, lock, deadline);
    --sending_;
  }
  if (closed_) return SendResult::closed;
  if (!open()) return SendResult::timed_out;
  ++sending_;
  resumes = counts_.resumes;
  return std::nullopt;
}

bool FlowGate::end(FlowReply reply, std::uint64_t resumes) {
  const std::lock_guard lock(mutex_);
  stopped_ = reply != FlowReply::space;
  stopped_at_ = resumes;
  ++(reply == FlowReply::rejected ? counts_.rejected : counts_.sent);
  return reply != FlowReply::rejected;
}

void FlowGate::signal_resume() {
  {
    const std::lock_guard lock(mutex_);
    const bool waited_for = sending_ > 0 || (stopped_ && counts_.resumes == stopped_at_);
    ++counts_.resumes;
    if (!waited_for) ++counts_.unexpected;
  }
  changed_.notify_all();
}

void FlowGate::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
}

FlowGateCounts FlowGate::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace orbweaver::streams
