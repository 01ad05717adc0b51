#include "transport/inproc/inproc_connection.h"

#include <algorithm>
#include <bit>
#include <new>

namespace orbweaver::transport {

Result<std::shared_ptr<InprocConnection>> InprocConnection::make(const ChannelOptions& caller,
                                                                 const ChannelOptions& listener) {
  constexpr std::size_t kMaxRingBytes = std::size_t{1} << 30;
  const std::size_t ring_bytes =
      std::bit_ceil(std::clamp(listener.ring_bytes, platform::page_bytes(), kMaxRingBytes));
  // A memory file, although no other process maps it: only a file can be mapped twice in a row.
  const platform::FdResult file = platform::make_memory_file("orbweaver-inproc", 2 * ring_bytes);
  int error = file.error;
  if (file) {
    platform::MappingResult mapped =
        platform::map_shared(file.fd, {{0, ring_bytes, 2}, {ring_bytes, ring_bytes, 2}});
    error = mapped.error;
    if (mapped)
      return std::make_shared<InprocConnection>(std::move(mapped.mapping), ring_bytes, caller, listener);
  }
  return Error{ErrorKind::unavailable, "no memory for two rings of " + std::to_string(ring_bytes) +
                                           " bytes: " + platform::error_text(error)};
}

InprocConnection::InprocConnection(platform::Mapping memory, std::size_t ring_bytes,
                                   const ChannelOptions& caller, const ChannelOptions& listener)
    : memory_(std::move(memory)),
      ring_bytes_(ring_bytes), end_{{{ring(1), ring(0), caller}, {ring(0), ring(1), listener}}} {
  end_[0].connection.notifier = &notifier_[1];
  end_[1].connection.notifier = &notifier_[0];
}

int LazyEventNotifier::descriptor() noexcept {
  platform::WakeupFd* wake_up = wake_up_.load(std::memory_order_relaxed);
  if (wake_up == nullptr) {
    wake_up = new (std::nothrow) platform::WakeupFd;
    if (wake_up == nullptr) return -1;
    wake_up_.store(wake_up, std::memory_order_seq_cst);
  }
  return wake_up->fd().get();
}

shm::RingMemory InprocConnection::ring(int towards) noexcept {
  return {&words_[towards], memory_.data() + 2 * ring_bytes_ * towards, ring_bytes_, false};
}

void InprocConnection::close(int end) noexcept {
  if (!end_[end].connection.close()) return;
  end_[1 - end].connection.mark_peer_disconnected();
  end_[end].frames.wake();
  end_[1 - end].frames.wake();
  for (LazyEventNotifier& notifier : notifier_) notifier.notify();
}

}  // namespace orbweaver::transport
