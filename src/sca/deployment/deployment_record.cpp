#include "sca/deployment/deployment_record.h"

namespace orbweaver::sca {

void DeploymentRecord::wait_until_stored(std::unique_lock<std::mutex>& lock, std::uint64_t version) {
  while (stored_ < version) {
    if (failure_) std::rethrow_exception(failure_);
    if (storing_) {
      stored_changed_.wait(lock);
      continue;
    }
    storing_ = true;
    const Application snapshot = record_;
    const std::uint64_t stored = version_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      domain_.store(snapshot);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    storing_ = false;
    failure_ = failure;
    if (!failure) stored_ = stored;
    stored_changed_.notify_all();
  }
}

}  // namespace orbweaver::sca
