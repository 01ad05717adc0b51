#include <orbweaver/streams/packet_input.h>

#include <stdexcept>
#include <string>

#include <orbweaver/exception.h>

#include "orb/minor_codes.h"

namespace orbweaver::streams {

void detail::throw_nil_target() {
  throw CORBA::BAD_PARAM(minor::kNilArgument, CORBA::CompletionStatus::COMPLETED_NO,
                         "the target of a signal is nil");
}

void detail::throw_bad_resume_level(const char* unit, std::size_t level, std::size_t limit) {
  throw std::invalid_argument("packet input: resume level of " + std::to_string(level) + " " + unit +
                              ": larger than the limit of " + std::to_string(limit));
}

bool PacketInputControl::space_available() {
  if (has_space()) return true;
  note_stopped();
  return false;
}

void PacketInputControl::enable_resume_signals(bool enabled) {
  {
    const std::lock_guard lock(mutex_);
    resume_enabled_ = enabled;
    signals_.enable_resume(enabled);
  }
  resume_if_possible();
}

void PacketInputControl::enable_empty_signals(bool enabled) {
  const std::lock_guard lock(mutex_);
  empty_enabled_ = enabled;
  if (!enabled) signals_.discard_empty();
}

void PacketInputControl::connect_resume_signals(const std::string& id, std::function<void()> target) {
  if (!target) throw std::invalid_argument("resume signals: empty function");
  signals_.connect_resume(id, std::move(target));
}

void PacketInputControl::connect_empty_signals(const std::string& id,
                                               std::function<void(std::uint16_t)> target) {
  if (!target) throw std::invalid_argument("empty signals: empty function");
  signals_.connect_empty(id, std::move(target));
}

void PacketInputControl::note_stopped() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  // The consumer may have made space since the producer was told, and have read stopped_ before.
  resume_if_possible();
}

void PacketInputControl::resume_if_possible() noexcept {
  // After the consumer has removed a packet under the queue's lock, under which note_stopped() looks for
  // space after it has set stopped_: one of the two sees the other's change.
  if (!stopped_) return;
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_ || !resume_enabled_ || !may_resume()) return;
    stopped_ = false;
  }
  signals_.send_resume();
}

void PacketInputControl::note_empty(std::uint16_t stream_id) noexcept {
  const std::lock_guard lock(mutex_);  // so that no signal is due when they have been disabled
  if (empty_enabled_) signals_.send_empty(stream_id);
}

}  // namespace orbweaver::streams
