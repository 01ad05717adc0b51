#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <orbweaver/policy.h>

/// @file
/// Real-time CORBA (OMG formal/05-01-04): priorities of threads and requests, thread pools, and connections
/// by priority. Programs that use it link liborbweaver-realtime.so. docs/real-time.md describes its use.

/// The module RTCORBA.
namespace RTCORBA {

/// A priority of Real-time CORBA, the same on all hosts: minPriority to maxPriority; higher is more urgent.
using Priority = std::int16_t;
/// A priority of the operating system: here 1 to 99 of SCHED_FIFO, and 0 for SCHED_OTHER.
using NativePriority = std::int16_t;
inline constexpr Priority minPriority = 0;      ///< The least urgent priority.
inline constexpr Priority maxPriority = 32767;  ///< The most urgent priority.

/// Maps priorities to native ones. A program may replace the mapping: orbweaver::set_priority_mapping. Both
/// functions are called by any thread, and raise nothing.
class PriorityMapping {
 public:
  virtual ~PriorityMapping() = default;
  /// Sets `native` to the native priority of `priority`. Returns false if there is none.
  virtual bool to_native(Priority priority, NativePriority& native) = 0;
  /// Sets `priority` to the priority of `native`. Returns false if there is none.
  virtual bool to_CORBA(NativePriority native, Priority& priority) = 0;
};

/// Identifies a thread pool within its ORB.
using ThreadpoolId = std::uint32_t;

/// One lane of a thread pool: threads of one priority. A value.
class ThreadpoolLane {
 public:
  ThreadpoolLane() = default;
  /// See the members of these names.
  ThreadpoolLane(Priority lane_priority, std::uint32_t static_threads, std::uint32_t dynamic_threads)
      : lane_priority_(lane_priority), static_threads_(static_threads), dynamic_threads_(dynamic_threads) {}

  /// Priority of its threads.
  Priority lane_priority() const { return lane_priority_; }
  Priority& lane_priority() { return lane_priority_; }              ///< As above.
  void lane_priority(Priority _value) { lane_priority_ = _value; }  ///< As above.
  /// Number of threads that the pool starts at once.
  std::uint32_t static_threads() const { return static_threads_; }
  std::uint32_t& static_threads() { return static_threads_; }              ///< As above.
  void static_threads(std::uint32_t _value) { static_threads_ = _value; }  ///< As above.
  /// Largest number of further threads, started when all others are in use.
  std::uint32_t dynamic_threads() const { return dynamic_threads_; }
  std::uint32_t& dynamic_threads() { return dynamic_threads_; }              ///< As above.
  void dynamic_threads(std::uint32_t _value) { dynamic_threads_ = _value; }  ///< As above.

 private:
  Priority lane_priority_ = 0;
  std::uint32_t static_threads_ = 0;
  std::uint32_t dynamic_threads_ = 0;
};
/// The lanes of a thread pool.
using ThreadpoolLanes = std::vector<ThreadpoolLane>;

/// A range of priorities, both ends included, which share a connection. A value.
class PriorityBand {
 public:
  PriorityBand() = default;
  /// See the members of these names.
  PriorityBand(Priority low, Priority high) : low_(low), high_(high) {}

  /// The least urgent priority of the band.
  Priority low() const { return low_; }
  Priority& low() { return low_; }              ///< As above.
  void low(Priority _value) { low_ = _value; }  ///< As above.
  /// The most urgent priority of the band.
  Priority high() const { return high_; }
  Priority& high() { return high_; }              ///< As above.
  void high(Priority _value) { high_ = _value; }  ///< As above.

 private:
  Priority low_ = 0;
  Priority high_ = 0;
};
/// The bands of a reference.
using PriorityBands = std::vector<PriorityBand>;

/// Policy type of PriorityModelPolicy.
inline constexpr CORBA::PolicyType PRIORITY_MODEL_POLICY_TYPE = 40;
/// Policy type of ThreadpoolPolicy.
inline constexpr CORBA::PolicyType THREADPOOL_POLICY_TYPE = 41;
/// Policy type of PrivateConnectionPolicy.
inline constexpr CORBA::PolicyType PRIVATE_CONNECTION_POLICY_TYPE = 44;
/// Policy type of PriorityBandedConnectionPolicy.
inline constexpr CORBA::PolicyType PRIORITY_BANDED_CONNECTION_POLICY_TYPE = 45;

/// What determines the priority of a request.
enum class PriorityModel : std::uint32_t {
  CLIENT_PROPAGATED,  ///< The priority of the calling thread, which the request carries.
  SERVER_DECLARED,    ///< The priority of the object.
};

/// Policy of a POA: what determines the priority of requests for its objects. References contain it;
/// `_get_policy` of a reference returns it. Any thread.
class PriorityModelPolicy : public CORBA::Policy {
 public:
  /// The model given to create_priority_model_policy.
  virtual PriorityModel priority_model() const noexcept = 0;
  /// With SERVER_DECLARED, the priority of objects without one of their own; with CLIENT_PROPAGATED, that of
  /// requests without one, and the ceiling of others: see create_priority_model_policy.
  virtual Priority server_priority() const noexcept = 0;
};

/// Policy of a POA: the threads that execute requests for its objects. Any thread.
class ThreadpoolPolicy : public CORBA::Policy {
 public:
  /// The pool given to create_threadpool_policy.
  virtual ThreadpoolId threadpool() const noexcept = 0;
};

/// Policy of a reference or an ORB: calls use a connection that no other reference uses, as
/// orbweaver::with_private_connection. Any thread.
class PrivateConnectionPolicy : public CORBA::Policy {};

/// Policy of a reference, or of a POA for its references: a connection for each band of priorities. Any
/// thread.
class PriorityBandedConnectionPolicy : public CORBA::Policy {
 public:
  /// The bands given to create_priority_banded_connection_policy.
  virtual PriorityBands priority_bands() const = 0;
};

/// The priority of the calling thread: resolve_initial_references("RTCurrent"). It belongs to the thread, and
/// is the same for all ORBs of the process.
class Current : public CORBA::LocalObject {
 public:
  ~Current() override;
  /// The priority that has been set last, or that of the request which the thread executes. Raises INITIALIZE
  /// (0x4f570131) if the thread has none.
  virtual Priority the_priority() = 0;
  /// Sets the priority of the thread, and its native one by the PriorityMapping. Without the permission for
  /// real-time scheduling (CAP_SYS_NICE or RLIMIT_RTPRIO), the native priority stays as it is, and one
  /// warning is logged in the process. Threads that this one starts do not inherit it (SCHED_RESET_ON_FORK).
  /// In a servant that is called over a connection, until the end of the request.
  /// Raises BAD_PARAM (0x4f570130) for a negative priority;
  /// DATA_CONVERSION (OMG minor 2) if the mapping has no native priority for it, or one beyond 0 to 99.
  virtual void the_priority(Priority priority) = 0;
};

/// Makes policies and thread pools: resolve_initial_references("RTORB"). Thread-safe. All functions raise
/// BAD_PARAM (0x4f570130) for a priority that is negative.
class RTORB : public CORBA::LocalObject {
 public:
  ~RTORB() override;
  /// The ORB has no such thread pool.
  class InvalidThreadpool final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `detail`: message.
    explicit InvalidThreadpool(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
    const char* _name() const noexcept override { return "RTCORBA::RTORB::InvalidThreadpool"; }
    const char* _rep_id() const noexcept override {
      return "IDL:omg.org/RTCORBA/RTORB/InvalidThreadpool:1.0";
    }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  /// Creates a pool with one lane. `stacksize`: of each thread, in bytes; 0: the default of the system.
  /// `static_threads` are started at once, at `default_priority`, and up to `dynamic_threads` more when all
  /// are in use. A request finds no thread: with `allow_request_buffering` it is stored, as long as there are
  /// less than `max_buffered_requests` and their messages have at most `max_request_buffer_size` bytes (0: no
  /// limit), and their memory is within -ORBTune request-queue-bytes, and else raises TRANSIENT (0x4f57002b)
  /// in the client; without, it stays in its connection, which is not read meanwhile. Raises BAD_PARAM
  /// (0x4f570132) without threads; NO_RESOURCES (0x4f570078) if the static threads cannot be started.
  virtual ThreadpoolId create_threadpool(std::uint32_t stacksize, std::uint32_t static_threads,
                                         std::uint32_t dynamic_threads, Priority default_priority,
                                         bool allow_request_buffering, std::uint32_t max_buffered_requests,
                                         std::uint32_t max_request_buffer_size) = 0;
  /// As create_threadpool, with several lanes. A request is executed by the lane with the highest priority
  /// that is not higher than its own, else by that with the lowest. With `allow_borrowing`, a request that
  /// finds no thread there is executed by a free thread of a lane with a lower priority, at the priority of
  /// the request. Buffered requests are counted for all lanes together. Raises BAD_PARAM (0x4f570132) also
  /// without lanes, and if two have the same priority.
  virtual ThreadpoolId create_threadpool_with_lanes(std::uint32_t stacksize, const ThreadpoolLanes& lanes,
                                                    bool allow_borrowing, bool allow_request_buffering,
                                                    std::uint32_t max_buffered_requests,
                                                    std::uint32_t max_request_buffer_size) = 0;
  /// Ends the threads of a pool, which first execute the requests that it has; joins them, unless it is
  /// called by one of them. Raises InvalidThreadpool; BAD_INV_ORDER (0x4f570133) if a POA uses the pool.
  virtual void destroy_threadpool(ThreadpoolId threadpool) = 0;

  /// Returns a policy for create_POA. With CLIENT_PROPAGATED, a request with a priority above the ceiling of
  /// the POA is executed at the ceiling: the priority of the highest lane of its thread pool; without lanes,
  /// of its highest band; without both, `server_priority`.
  virtual CORBA::object_reference<PriorityModelPolicy> create_priority_model_policy(
      PriorityModel priority_model, Priority server_priority) = 0;
  /// Returns a policy for create_POA. create_POA raises InvalidPolicy if there is no such pool.
  virtual CORBA::object_reference<ThreadpoolPolicy> create_threadpool_policy(ThreadpoolId threadpool) = 0;
  /// Returns a policy for create_POA and `_set_policy_overrides`. Raises BAD_PARAM (0x4f570134) if a band is
  /// empty, or overlaps another one.
  virtual CORBA::object_reference<PriorityBandedConnectionPolicy> create_priority_banded_connection_policy(
      const PriorityBands& priority_bands) = 0;
  /// Returns a policy for `_set_policy_overrides`, or for the PolicyManager of an ORB, whose references then
  /// have a connection each.
  virtual CORBA::object_reference<PrivateConnectionPolicy> create_private_connection_policy() = 0;
};

}  // namespace RTCORBA

namespace orbweaver {

/// Replaces the mapping of priorities of all ORBs of the process. Threads keep their native priorities until
/// their priority is set again. Null: the default mapping, which is linear, from 0 to 32767 onto 1 to the
/// highest priority of SCHED_FIFO that this process may use; if it may use none, both are the same numbers.
/// Any thread. Raises nothing.
void set_priority_mapping(std::shared_ptr<RTCORBA::PriorityMapping> mapping);
/// The mapping in use.
std::shared_ptr<RTCORBA::PriorityMapping> priority_mapping();

}  // namespace orbweaver

namespace IDL {
template <>
struct traits<RTCORBA::PriorityModelPolicy>
    : orbweaver::local_interface_traits<RTCORBA::PriorityModelPolicy> {};
template <>
struct traits<RTCORBA::ThreadpoolPolicy> : orbweaver::local_interface_traits<RTCORBA::ThreadpoolPolicy> {};
template <>
struct traits<RTCORBA::PrivateConnectionPolicy>
    : orbweaver::local_interface_traits<RTCORBA::PrivateConnectionPolicy> {};
template <>
struct traits<RTCORBA::PriorityBandedConnectionPolicy>
    : orbweaver::local_interface_traits<RTCORBA::PriorityBandedConnectionPolicy> {};
template <>
struct traits<RTCORBA::Current> : orbweaver::local_interface_traits<RTCORBA::Current> {};
template <>
struct traits<RTCORBA::RTORB> : orbweaver::local_interface_traits<RTCORBA::RTORB> {};
}  // namespace IDL
