#pragma once

#include <orbweaver/ior_interceptor.h>
#include <orbweaver/poa_current.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "interceptors/slots.h"
#include "orb/interception.h"

namespace orbweaver::interceptors {

class Adapter;

/// An interceptor of requests, and the requests in which it takes part.
template <class Interceptor>
struct Registered {
  CORBA::object_reference<Interceptor> interceptor;
  PortableInterceptor::ProcessingMode mode = PortableInterceptor::LOCAL_AND_REMOTE;

  bool takes_part(bool is_collocated) const noexcept {
    return mode == PortableInterceptor::LOCAL_AND_REMOTE ||
           (mode == PortableInterceptor::LOCAL_ONLY) == is_collocated;
  }
};

/// The interceptors, slots and policy factories of one ORB. The public members are set by ORB initializers;
/// later they do not change.
class OrbInterceptors final : public orb::Interception, public std::enable_shared_from_this<OrbInterceptors> {
 public:
  OrbInterceptors(std::string orb_id, CORBA::object_reference<PortableServer::Current> poa_current)
      : id(std::move(orb_id)), current(std::move(poa_current)) {}

  const std::string id;  ///< Of the ORB.
  const CORBA::object_reference<PortableServer::Current> current;
  const std::shared_ptr<SlotTable> slots = std::make_shared<SlotTable>();
  std::vector<Registered<PortableInterceptor::ClientRequestInterceptor>> client;
  std::vector<Registered<PortableInterceptor::ServerRequestInterceptor>> server;
  std::vector<CORBA::object_reference<PortableInterceptor::IORInterceptor>> ior;
  std::map<CORBA::PolicyType, CORBA::object_reference<PortableInterceptor::PolicyFactory>> factories;

  /// A number for a request of this ORB's clients.
  std::uint32_t next_request_id() noexcept {
    return last_request_id_.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  /// The POA of this name; null: there is none.
  std::shared_ptr<const Adapter> find_adapter(const PortableInterceptor::AdapterName& name) const;
  void remove(const Adapter& adapter);
  /// Whether the ORB has been destroyed, and the interceptors with it.
  bool is_destroyed() const noexcept { return is_destroyed_.load(std::memory_order_acquire); }

  void invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
              ArgumentWriter writer, ResultReader reader, transport::Deadline deadline) override;
  std::unique_ptr<orb::AsyncObserver> accompany(Reference& target, const Operation& operation) override;
  orb::InterceptedReply serve(orb::InterceptedRequest& request) override;
  void before_servant_manager(const orb::AdapterInterception* poa) override;
  std::shared_ptr<orb::AdapterInterception> adapter_created(orb::InterceptedAdapter adapter) override;
  void adapter_manager_changed(const std::string& manager_id, std::int16_t state) noexcept override;
  CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType type,
                                                       const CORBA::Any& value) override;
  void destroy() noexcept override;

 private:
  std::atomic<std::uint32_t> last_request_id_{0};
  std::atomic<bool> is_destroyed_{false};
  mutable std::mutex mutex_;  // guards the rest
  std::map<PortableInterceptor::AdapterName, std::shared_ptr<Adapter>> adapters_;
};

}  // namespace orbweaver::interceptors
