#include "sca/deployment/deployment_record.h"

#include <algorithm>

namespace orbweaver::sca {

void DeploymentRecord::wait_until_stored(std::unique_lock<std::mutex>& lock, std::uint64_t version,
                                         Durability durability) {
  if (durability == Durability::machine) to_flush_ = std::max(to_flush_, version);
  while ((durability == Durability::machine ? flushed_ : stored_) < version) {
    if (failure_) std::rethrow_exception(failure_);
    if (storing_) {
      stored_changed_.wait(lock);
      continue;
    }
    storing_ = true;
    const Application snapshot = record_;
    const std::uint64_t stored = version_;
    const Durability how = flushed_ < to_flush_ ? Durability::machine : Durability::process;
    lock.unlock();
    std::exception_ptr failure;
    try {
      domain_.store(snapshot, how);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    storing_ = false;
    failure_ = failure;
    if (!failure) stored_ = stored;
    if (!failure && how == Durability::machine) flushed_ = stored;
    stored_changed_.notify_all();
  }
}

}  // namespace orbweaver::sca
