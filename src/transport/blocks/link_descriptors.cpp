#include "transport/blocks/link_descriptors.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "base/catch_and_log.h"
#include "base/log.h"
#include "platform/descriptors.h"
#include "platform/socket.h"

namespace orbweaver::transport::blocks {
namespace {

std::atomic<std::size_t> kept{64};

struct User {
  std::size_t descriptors = 0;
  bool logged = false;  // a rejected region of this user was logged
};
struct Users {
  std::mutex mutex;  // guards all members
  std::map<std::int64_t, User> all;
};
Users& users() noexcept {
  // never destroyed: a static object may hold the last reference to a block
  static Users* const instance = new Users;
  return *instance;
}

std::size_t most() noexcept { return platform::descriptor_limit() / 8; }

/// True if a further connection of a local user would be rejected, too.
bool are_short() noexcept {
  const std::size_t reserved =
      std::min(kept.load(std::memory_order_relaxed), platform::descriptor_limit() / 4);
  return reserved != 0 && platform::available_descriptors() < reserved / 4;
}

}  // namespace

RegionDescriptorShare RegionDescriptorShare::take(const platform::Fd& socket,
                                                  std::size_t descriptors) noexcept {
  RegionDescriptorShare share;
  catch_and_log("block region rejected", [&] {
    const std::int64_t uid = platform::peer_credentials(socket).uid;
    const bool few = are_short();
    const std::lock_guard lock(users().mutex);
    User& user = users().all[uid];
    if (!few && user.descriptors + descriptors <= most()) {
      user.descriptors += descriptors;
      share.uid_ = uid;
      share.descriptors_ = descriptors;
      return;
    }
    if (std::exchange(user.logged, true)) return;
    log::warn("blocks of processes of user " + std::to_string(uid) + " are no longer imported: " +
              (few ? "descriptors are short (ulimit -n, -ORBTune reserved-descriptors)"
                   : "it has " + std::to_string(user.descriptors) + " of " + std::to_string(most()) +
                         " descriptors that the regions of one user may take (an eighth of ulimit -n)"));
  });
  return share;
}

RegionDescriptorShare::~RegionDescriptorShare() {
  if (descriptors_ == 0) return;
  const std::lock_guard lock(users().mutex);
  users().all[uid_].descriptors -= descriptors_;
}

void RegionDescriptorShare::reduce_by(std::size_t descriptors) noexcept {
  if (descriptors_ == 0) return;
  descriptors_ -= descriptors;
  const std::lock_guard lock(users().mutex);
  users().all[uid_].descriptors -= descriptors;
}

bool may_export_regions(std::int64_t uid) noexcept {
  const std::lock_guard lock(users().mutex);
  const auto known = users().all.find(uid);
  return known == users().all.end() || known->second.descriptors < most() / 4 * 3;
}

void reserve_descriptors(std::size_t count) noexcept { kept.store(count, std::memory_order_relaxed); }
std::size_t reserved_descriptors() noexcept { return kept.load(std::memory_order_relaxed); }

}  // namespace orbweaver::transport::blocks
