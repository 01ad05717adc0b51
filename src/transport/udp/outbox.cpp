#include "transport/udp/outbox.h"

#include <algorithm>
#include <limits>
#include <new>

#include "platform/clock.h"

namespace orbweaver::transport::datagram {
namespace {

constexpr std::size_t round_up_8(std::size_t n) noexcept { return (n + 7) & ~std::size_t{7}; }

}  // namespace

Outbox::Outbox(std::uint64_t id, std::size_t datagram_bytes) noexcept
    : id_(id), datagram_bytes_(datagram_bytes & ~std::size_t{7}), storage_(limits::kFirstMessageBytes) {}

std::size_t Outbox::max_frame_bytes() const noexcept {
  return stride() * std::numeric_limits<std::uint16_t>::max();
}

MutableBytes Outbox::claim(std::size_t bytes) noexcept {
  const std::size_t end = round_up_8(end_);
  claimed_shares_ = shares() && end - runs_.back().at + kPartHeaderBytes + bytes <= datagram_bytes_;
  claimed_at_ = end + (claimed_shares_ ? 0 : kStartBytes) + kPartHeaderBytes;
  if (!storage_.grow(claimed_at_ + bytes, end_)) return {};
  return {storage_.data() + claimed_at_, bytes};
}

void Outbox::add(std::size_t bytes, std::uint32_t number) {
  PartHeader header{number, 0, 1, static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(stride())};
  if (!claimed_shares_) {
    Run run;
    run.at = claimed_at_ - kPartHeaderBytes - kStartBytes;
    header.parts = static_cast<std::uint16_t>((bytes + stride() - 1) / stride());
    if (header.parts > 1) {
      run.large = header;
      run.bytes = bytes;
    }
    runs_.push_back(run);
    write_start(storage_.data() + run.at, Kind::parts, id_, stamp_of(platform::now_ns()));
  }
  end_ = claimed_at_ + bytes;
  Run& run = runs_.back();
  if (run.large.parts != 0) return;
  write_part_header(storage_.data() + claimed_at_ - kPartHeaderBytes, header);
  run.bytes = end_ - run.at;
}

std::size_t Outbox::next(std::span<platform::OutgoingDatagram> out) noexcept {
  const std::size_t most = std::min(out.size(), kMost);
  std::size_t n = 0;
  for (std::size_t i = first_; i < runs_.size() && n < most; ++i) {
    const Run& run = runs_[i];
    std::uint8_t* const at = storage_.data() + run.at;
    if (run.large.parts == 0) {
      out[n++] = {{at, run.bytes}, {}};
      continue;
    }
    const Bytes frame(at + kStartBytes + kPartHeaderBytes, run.bytes);
    for (PartHeader part = run.large; part.part < part.parts && n < most; ++part.part) {
      std::copy_n(at, kStartBytes, heads_[n]);
      write_part_header(heads_[n] + kStartBytes, part);
      const std::size_t begin = std::size_t{part.part} * stride();
      out[n] = {heads_[n], frame.subspan(begin, std::min(stride(), run.bytes - begin))};
      ++n;
    }
  }
  return n;
}

void Outbox::gone(std::size_t datagrams) noexcept {
  while (datagrams > 0 && first_ < runs_.size()) {
    PartHeader& large = runs_[first_].large;
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
  if (first_ == runs_.size()) clear();
}

void Outbox::clear() noexcept {
  storage_.used(end_);
  runs_.clear();
  first_ = end_ = 0;
}

}  // namespace orbweaver::transport::datagram
