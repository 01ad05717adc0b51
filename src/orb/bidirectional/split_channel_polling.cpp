/// SplitChannel: reading by a handler of a reactor.
#include <array>

#include "base/catch_and_log.h"
#include "orb/bidirectional/split_channel_ends.h"
#include "platform/descriptors.h"
#include "platform/socket.h"

namespace orbweaver::orb {

void SplitChannel::on_ready(transport::Channel& server_end, std::function<void()> resume) {
  auto& end = static_cast<ServerEnd&>(server_end);
  const std::lock_guard lock(end.split_->mutex_);
  end.lane_.on_ready = std::move(resume);
  end.split_->is_polled_ = true;
}

void SplitChannel::set_reader(std::function<void()> resume) {
  const std::lock_guard lock(mutex_);
  resume_reader_ = std::move(resume);
}

platform::Fd SplitChannel::duplicate_descriptor() {
  const std::lock_guard lock(mutex_);
  transport::Readiness* const readiness = channel_ == nullptr ? nullptr : channel_->capabilities().readiness;
  if (readiness == nullptr) return {};
  platform::Fd borrowed(readiness->descriptor());
  if (!borrowed) return {};
  platform::Fd copy = platform::duplicate(borrowed);
  static_cast<void>(borrowed.release());
  return copy;
}

/// Resumes the handlers that have something to do: of the lanes, and the one that reads. Called with the
/// lock.
void SplitChannel::wake_handlers() noexcept {
  catch_and_log("resuming a bidirectional connection", [this] {
    requests_.wake(ended_.has_value(), caller_);
    if (!reader_parked_ || reading_ || !resume_reader_) return;
    reader_parked_ = false;
    resume_reader_();
  });
}

bool SplitChannel::has_input() const noexcept {
  if (is_held_back()) return true;
  const transport::Capabilities& all = channel_->capabilities();  // channel_ is kept for the server's end
  if (all.readiness == nullptr || !all.polls_data_socket) return false;
  std::array<platform::PollItem, 1> item{{{all.readiness->descriptor(), platform::kReadable, 0}}};
  return platform::poll(item, Deadline{0}) != 0;
}

SplitChannel::ReadResult SplitChannel::read_available() {
  constexpr int kMaxFrames = 16;  // in one turn, so that other connections have theirs
  std::unique_lock lock(mutex_);
  for (int frames = 0; frames < kMaxFrames; ++frames) {
    read_unread_replies(lock);
    if (!reading_ && !ended_ && may_read(Role::server) && !ended_) {
      const auto failure = read(lock, Deadline{0});
      count_queued(lock);
      if (!failure) continue;
      if (failure->kind == ErrorKind::timed_out) break;
    }
    if (ended_) {
      notify();
      return ReadResult::ended;
    }
    reader_parked_ = true;
    return ReadResult::parked;
  }
  transport::Readiness* const readiness = channel_ == nullptr ? nullptr : channel_->capabilities().readiness;
  if (reading_ || readiness == nullptr) return ReadResult::ready;
  reading_ = true;  // excludes other readers
  lock.unlock();
  const bool waits = readiness->arm();
  lock.lock();
  reading_ = false;
  notify();
  return waits ? ReadResult::wait : ReadResult::ready;
}

}  // namespace orbweaver::orb
