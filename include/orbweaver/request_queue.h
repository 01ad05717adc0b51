#pragma once

#include <cstddef>

#include <orbweaver/policy.h>

/// @file
/// Request queues of objects: an Orbweaver policy for POAs.

namespace orbweaver {

/// Policy type of RequestQueuePolicy, in Orbweaver's vendor range.
inline constexpr CORBA::PolicyType REQUEST_QUEUE_POLICY_TYPE = 0x4f570002;

/// Policy of a POA: each of its objects has a queue of its own for the requests of all connections. A slow
/// object then delays neither the other objects of a connection nor the reading of the connection, until its
/// queue is full. docs/poa.md, "Request queues of objects".
class RequestQueuePolicy : public CORBA::Policy {
 public:
  /// Largest number of requests of one object that have been read and not completed.
  virtual std::size_t max_requests() const noexcept = 0;
  /// Largest sum of the sizes of their messages, in bytes. A larger request is accepted by an empty queue.
  virtual std::size_t max_bytes() const noexcept = 0;
};

/// Largest value of RequestQueuePolicy::max_requests.
inline constexpr std::size_t kMaxQueuedRequests = 1'000'000;
/// Largest value of RequestQueuePolicy::max_bytes: 1 TiB, or 2 GiB on 32-bit machines.
inline constexpr std::size_t kMaxQueuedBytes = std::size_t{1} << (sizeof(std::size_t) > 4 ? 40 : 31);

/// Creates a RequestQueuePolicy, for POA::create_POA:
///
///     auto queued = root->create_POA("detectors", root->the_POAManager(),
///                                    {orbweaver::make_request_queue_policy(64, 1 << 20)});
///
/// Any thread. Raises BAD_PARAM (0x4f57003e) if a value is 0 or exceeds its limit above.
CORBA::object_reference<CORBA::Policy> make_request_queue_policy(std::size_t max_requests,
                                                                 std::size_t max_bytes);

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<orbweaver::RequestQueuePolicy>
    : orbweaver::local_interface_traits<orbweaver::RequestQueuePolicy> {};
}  // namespace IDL
