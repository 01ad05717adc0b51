#include "transport/udp/send_queue.h"

#include <algorithm>
#include <limits>
#include <new>

#include "platform/clock.h"

namespace orbweaver::transport::udp {

SendQueue::SendQueue(std::uint64_t id, std::size_t datagram_bytes) noexcept
    : id_(id), datagram_bytes_(datagram_bytes & ~std::size_t{7}), storage_(limits::kFirstMessageBytes) {}

std::size_t SendQueue::max_frame_bytes() const noexcept {
  return stride() * std::numeric_limits<std::uint16_t>::max();
}

MutableBytes SendQueue::claim(std::size_t bytes) noexcept {
  const std::size_t end = round_up(end_, 8);
  claimed_appends_ = can_append() && end - queue_.back().at + kPartHeaderBytes + bytes <= datagram_bytes_;
  claimed_at_ = end + (claimed_appends_ ? 0 : kDatagramHeaderBytes) + kPartHeaderBytes;
  if (!storage_.grow(claimed_at_ + bytes, end_)) return {};
  return {storage_.data() + claimed_at_, bytes};
}

void SendQueue::add(std::size_t bytes, std::uint32_t number) {
  PartHeader header{number, 0, 1, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(stride())};
  if (!claimed_appends_) {
    QueuedDatagram run;
    run.at = claimed_at_ - kPartHeaderBytes - kDatagramHeaderBytes;
    header.parts = static_cast<std::uint16_t>((bytes + stride() - 1) / stride());
    if (header.parts > 1) {
      run.large = header;
      run.bytes = bytes;
    }
    queue_.push_back(run);
    write_datagram_header(storage_.data() + run.at, DatagramKind::parts, id_,
                          timestamp_of(platform::now_ns()));
  }
  end_ = claimed_at_ + bytes;
  QueuedDatagram& run = queue_.back();
  if (run.large.parts != 0) return;
  write_part_header(storage_.data() + claimed_at_ - kPartHeaderBytes, header);
  run.bytes = end_ - run.at;
}

std::size_t SendQueue::next(std::span<platform::OutgoingDatagram> out) noexcept {
  const std::size_t batch = std::min(out.size(), kMaxBatch);
  std::size_t n = 0;
  for (std::size_t i = first_; i < queue_.size() && n < batch; ++i) {
    const QueuedDatagram& run = queue_[i];
    std::uint8_t* const at = storage_.data() + run.at;
    if (run.large.parts == 0) {
      out[n++] = {{at, run.bytes}, {}};
      continue;
    }
    const Bytes frame(at + kDatagramHeaderBytes + kPartHeaderBytes, run.bytes);
    for (PartHeader part = run.large; part.part < part.parts && n < batch; ++part.part) {
      std::copy_n(at, kDatagramHeaderBytes, part_headers_[n]);
      write_part_header(part_headers_[n] + kDatagramHeaderBytes, part);
      const std::size_t begin = std::size_t{part.part} * stride();
      out[n] = {part_headers_[n], frame.subspan(begin, std::min(stride(), run.bytes - begin))};
      ++n;
    }
  }
  return n;
}

void SendQueue::note_sent(std::size_t datagrams) noexcept {
  while (datagrams > 0 && first_ < queue_.size()) {
    PartHeader& large = queue_[first_].large;
    if (large.parts == 0) {
      ++first_;
      --datagrams;
      continue;
    }
    const std::size_t here = std::min<std::size_t>(datagrams, large.parts - large.part);
    large.part = static_cast<std::uint16_t>(large.part + here);
    datagrams -= here;
    if (large.part == large.parts) ++first_;
  }
  if (first_ == queue_.size()) clear();
}

void SendQueue::clear() noexcept {
  storage_.note_use(end_);
  queue_.clear();
  first_ = end_ = 0;
}

}  // namespace orbweaver::transport::udp
