#pragma once

#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "sca/deployment/deployment.h"
#include "sca/deployment/worker_threads.h"

namespace orbweaver::sca {

/// Calls DeploymentDomain::flush_names() in a thread of its own, while the deployment goes on.
class NamesFlush {
 public:
  NamesFlush(DeploymentDomain& domain, DeploymentDomain::ObjectRef context) {
    auto flush = std::make_shared<std::packaged_task<void()>>(
        [&domain, context = std::move(context)] { domain.flush_names(context); });
    flushed_ = flush->get_future();
    run_in_worker([flush] { (*flush)(); });
  }
  ~NamesFlush() {
    if (flushed_.valid()) flushed_.wait();
  }
  NamesFlush(const NamesFlush&) = delete;
  NamesFlush& operator=(const NamesFlush&) = delete;

  /// Waits until the names are flushed. Raises what flush_names() raises.
  void wait() { flushed_.get(); }

 private:
  std::future<void> flushed_;
};

}  // namespace orbweaver::sca
