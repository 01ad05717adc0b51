#pragma once

#include <orbweaver/detail/invoke.h>
#include <orbweaver/policy.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "giop/ior.h"
#include "giop/reply.h"
#include "giop/request.h"
#include "orb/server/object_finder.h"
#include "transport/transport.h"

/// The ORB's side of portable interceptors (CORBA 3.3 part 1, 16), which liborbweaver-interceptors.so
/// implements (src/interceptors). An ORB without interceptors has a null pointer in their place.
namespace orbweaver {
class DeferredReply;
}

namespace orbweaver::orb {

class Core;
class OrbImpl;
class RealTimeAdapter;

/// A service context with its octets.
using OwnedServiceContext = giop::TaggedData;
/// Views of service contexts, valid as long as these.
std::vector<giop::ServiceContext> views_of(std::span<const OwnedServiceContext> contexts);

/// Accompanies a call of ClientCall. Used by the thread of the call.
class RequestObserver {
 public:
  /// Service contexts that the request gets.
  virtual std::span<const OwnedServiceContext> request_contexts() const noexcept = 0;
  /// A reply that has service contexts, or a status other than no_exception, has been received.
  virtual void reply_received(const giop::ReplyHeader& header) = 0;
  /// The reply forwards the call to `ior`.
  virtual void forwarded(const giop::Ior& ior) = 0;

 protected:
  ~RequestObserver() = default;
};

/// Accompanies an asynchronous call: the request, for which the caller does not wait, and later the reply
/// (CORBA 3.3 part 1, 16.3). One thread at a time uses it; the observer of the reply is called by the thread
/// that reads the connection.
class AsyncObserver : public RequestObserver {
 public:
  virtual ~AsyncObserver() = default;
  /// Called before the request is sent, and by `failed` and `replied` for one that is sent again. Raises what
  /// the caller is to get.
  virtual void begin() = 0;
  /// The request has been sent, or queued.
  virtual void sent() noexcept = 0;
  /// The request could not be sent: handles the exception that is being handled. Raises what the caller is to
  /// get; otherwise the call is to begin again.
  virtual void failed() = 0;
  /// The reply has arrived. `failure` is its exception, or that of the connection; null: there are results
  /// or, if `is_repeated`, the request is to be sent again. Sets the exception of the call. True: the call is
  /// to begin again.
  virtual bool replied(bool is_repeated, std::exception_ptr& failure) = 0;
};

/// Accompanies a reply that its servant gives later. One thread at a time uses it; outlives the request and
/// possibly the ORB.
class DeferredObserver {
 public:
  virtual ~DeferredObserver() = default;
  /// Called once, before the reply is sent. `exception`: a system exception, PortableServer::ForwardRequest
  /// or a user exception that the operation declares; null: results. Returns what is to be replied.
  virtual std::exception_ptr end(std::exception_ptr exception) = 0;
  /// Service contexts of the reply, after `end`.
  virtual std::span<const OwnedServiceContext> contexts() const noexcept = 0;
};

/// A ServerCall whose reply may be deferred: see defer_reply.
class DeferrableCall {
 public:
  virtual CORBA::object_reference<DeferredReply> defer() = 0;

 protected:
  ~DeferrableCall() = default;
};

/// A request to be served with interceptors: read by a connection, or of a collocated call.
class InterceptedRequest {
 public:
  InterceptedRequest(Core& in_core, const giop::RequestHeader& request, giop::Version giop_version,
                     cdr::Decoder& in)
      : core(in_core), header(request), version(giop_version), arguments(in) {}
  InterceptedRequest(const InterceptedRequest&) = delete;
  InterceptedRequest& operator=(const InterceptedRequest&) = delete;

  Core& core;
  const giop::RequestHeader& header;
  const giop::Version version;
  cdr::Decoder& arguments;
  bool is_collocated = false;  ///< The client is of this process.
  /// The thread of the client executes it, instead of a stub.
  bool is_direct = false;
  bool may_wait = true;  ///< As of ObjectFinder::enter, as the queue.
  std::shared_ptr<RequestQueue>* queue = nullptr;

  /// The servant has been found. Raises the exception of a request that is not to be executed.
  virtual void servant_found() {}
  /// Serves _bind_priority_band, whose reply has no results: RealTimeAdapter::bind_band.
  virtual void bind_priority_band(const RealTimeAdapter&, std::int16_t /*object_priority*/) {}
  /// The operation has been found. Sends the reply of SYNC_WITH_SERVER.
  virtual void operation_found() {}
  /// Takes over the reply to `operation`: see defer_reply. Of a request that is not `is_direct`.
  virtual CORBA::object_reference<DeferredReply> defer(const Operation* operation,
                                                       std::unique_ptr<DeferredObserver> observer) = 0;

 protected:
  ~InterceptedRequest() = default;
};

/// What is to be replied to an InterceptedRequest.
struct InterceptedReply {
  /// `holding` or `queued`: the request is to be served later, and no interceptor has been called.
  LookupStatus lookup = LookupStatus::found;
  bool is_deferred = false;  ///< The servant replies later: InterceptedRequest::defer.
  /// A system exception, PortableServer::ForwardRequest, or a user exception that `operation` declares; null:
  /// `results`.
  std::exception_ptr exception;
  const Operation* operation = nullptr;
  std::vector<std::uint8_t> results;  ///< Encoded as from offset 0.
  std::vector<OwnedServiceContext> contexts;
};

/// The interceptors of IORs, for one POA. Thread-safe.
class AdapterInterception {
 public:
  virtual ~AdapterInterception() = default;
  /// Adds the components of the POA to a reference.
  virtual void add_components(giop::Ior& ior) const = 0;
  /// Makes a reference by the object reference factory of the POA.
  virtual CORBA::object_reference<CORBA::Object> make_object(const std::string& repository_id,
                                                             const std::vector<std::uint8_t>& id) const = 0;
  /// The POA has been destroyed. Drops InterceptedAdapter::make.
  virtual void destroyed() noexcept = 0;
};

/// A new POA.
struct InterceptedAdapter {
  std::vector<std::string> name;  ///< Names of the POAs from the root POA on.
  std::string manager_id;
  std::function<std::int16_t()> state;  ///< Of its POA manager, as PortableInterceptor::AdapterState.
  CORBA::PolicyList policies;           ///< Passed to create_POA.
  /// Makes references of its objects. Keeps the POA.
  std::function<CORBA::object_reference<CORBA::Object>(const std::string& repository_id,
                                                       const std::vector<std::uint8_t>& id)>
      make;
};

/// The interceptors of one ORB. Thread-safe.
class Interception {
 public:
  virtual ~Interception() = default;

  /// Makes a call, as orbweaver::invoke. Within a CallScope.
  virtual void invoke(const CORBA::Object& target, const Operation& operation, cdr::Bound arguments,
                      ArgumentWriter writer, ResultReader reader, transport::Deadline deadline) = 0;
  /// The observer of an asynchronous call; null: there are no interceptors of clients.
  virtual std::unique_ptr<AsyncObserver> accompany(Reference& target, const Operation& operation) = 0;
  /// Executes a request. Raises nothing that is to be replied.
  virtual InterceptedReply serve(InterceptedRequest& request) = 0;
  /// A servant manager of the POA is about to be called for the request that this thread serves. Raises what
  /// the client is to get.
  virtual void before_servant_manager(const AdapterInterception* poa) = 0;

  /// A POA has been created. Raises OBJ_ADAPTER if an interceptor of IORs does not accept it.
  virtual std::shared_ptr<AdapterInterception> adapter_created(InterceptedAdapter adapter) = 0;
  /// A POA manager has another state.
  virtual void adapter_manager_changed(const std::string& id, std::int16_t state) noexcept = 0;

  /// Creates a policy whose type has a PolicyFactory; nil: it has none. Raises PolicyError.
  virtual CORBA::object_reference<CORBA::Policy> create_policy(CORBA::PolicyType type,
                                                               const CORBA::Any& value) = 0;
  /// The ORB is destroyed: calls `destroy` of the interceptors.
  virtual void destroy() noexcept = 0;
};

/// Whether a PolicyFactory has been registered for this type in an ORB of this process: references, threads,
/// ORBs and POAs accept such policies. Any thread.
bool is_program_policy(CORBA::PolicyType type);
void add_program_policy(CORBA::PolicyType type);

/// Calls the program's ORB initializers for a new ORB, and sets its interception. Null: there are none.
using InitializeOrb = void (*)(OrbImpl& orb, const std::vector<std::string>& arguments);
extern std::atomic<InitializeOrb> initialize_orb;

}  // namespace orbweaver::orb
