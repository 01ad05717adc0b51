#include "transport/udp/counters.h"

namespace orbweaver {
namespace transport::udp {
namespace {

struct Sums {
  std::atomic<std::uint64_t> frames{0}, frames_lost{0}, late{0}, duplicates{0}, too_old{0}, foreign{0},
      malformed{0}, unsent{0};
};
Sums& sums() noexcept {
  static Sums all;
  return all;
}

}  // namespace

void Counters::publish() noexcept {
  const auto add = [](std::atomic<std::uint64_t>& sum, Count& count) {
    const std::uint64_t now = count;
    if (now == count.published_.load(std::memory_order_relaxed)) return;
    const std::uint64_t news = now - count.published_.exchange(now, std::memory_order_relaxed);
    if (news != 0) sum.fetch_add(news, std::memory_order_relaxed);
  };
  Sums& all = sums();
  add(all.frames, frames);
  add(all.frames_lost, frames_lost);
  add(all.late, late);
  add(all.duplicates, duplicates);
  add(all.too_old, too_old);
  add(all.foreign, foreign);
  add(all.malformed, malformed);
  add(all.unsent, unsent);
}

}  // namespace transport::udp

DatagramStatistics datagram_statistics() noexcept {
  const auto& all = transport::udp::sums();
  return {all.frames,  all.frames_lost, all.late,      all.duplicates,
          all.too_old, all.foreign,     all.malformed, all.unsent};
}

}  // namespace orbweaver
