#include <orbweaver/detail/operation.h>

#include <algorithm>
#include <numeric>

#include "idlc/cpp/constructs.h"

namespace orbweaver::idl::cpp {

HashTable perfect_hash(const std::vector<std::string>& names) {
  constexpr std::uint32_t kSeeds = 10'000;
  std::size_t slots = 1;
  while (slots < 2 * names.size()) slots *= 2;
  for (;; slots *= 2) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      HashTable table{seed, std::vector<int>(slots, -1)};
      bool free = true;
      for (std::size_t i = 0; i < names.size() && free; ++i) {
        int& slot = table.slots[operation_hash(names[i].data(), names[i].size(), seed) & (slots - 1)];
        free = slot < 0;
        slot = static_cast<int>(i);
      }
      if (free) return table;
    }
  }
}

// Uses hash and displace (Belazzougui, Botelho, Dietzfelbinger): names are distributed to small buckets; each
// bucket, the largest first, gets the first seed with which all its slots are free.
TwoLevelHash two_level_hash(const std::vector<std::string>& names) {
  std::size_t buckets = 1;
  while (4 * buckets < names.size()) buckets *= 2;
  std::vector<std::vector<int>> in_bucket(buckets);
  for (std::size_t i = 0; i < names.size(); ++i)
    in_bucket[operation_hash(names[i].data(), names[i].size(), 0) & (buckets - 1)].push_back(
        static_cast<int>(i));
  std::vector<std::size_t> order(buckets);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return in_bucket[a].size() > in_bucket[b].size(); });
  std::size_t slots = 1;
  while (slots < 2 * names.size()) slots *= 2;
  TwoLevelHash table{std::vector<std::uint32_t>(buckets, 1), std::vector<int>(slots, -1)};
  for (std::size_t bucket : order) {
    std::vector<std::size_t> taken;
    for (std::uint32_t seed = 1; taken.size() < in_bucket[bucket].size(); ++seed) {
      table.seeds[bucket] = seed;
      for (int each : in_bucket[bucket]) {
        const std::string& name = names[static_cast<std::size_t>(each)];
        const std::size_t slot = operation_hash(name.data(), name.size(), seed) & (slots - 1);
        if (table.slots[slot] >= 0) break;
        table.slots[slot] = each;
        taken.push_back(slot);
      }
      if (taken.size() == in_bucket[bucket].size()) break;
      for (std::size_t slot : taken) table.slots[slot] = -1;
      taken.clear();
    }
  }
  return table;
}

}  // namespace orbweaver::idl::cpp
