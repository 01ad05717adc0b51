#pragma once

#include <orbweaver/peer.h>

#include <cstdint>

namespace orbweaver::orb {

struct DispatchCache;
struct ServantPin;
struct ServantSlot;
struct UnmappedCall;

/// Whether the calling thread executes a servant's method, for a connection or a collocated call, or a
/// servant manager's. It must not wait for the completion of requests then: it would deadlock.
bool in_upcall() noexcept;
/// Whether the calling thread executes an upcall of a connection.
bool in_connection_upcall() noexcept;
/// Mark the beginning and the end of a collocated call in the calling thread. May be nested. `pin`: of its
/// servant; outlives the call.
void begin_collocated_call(ServantPin& pin) noexcept;
void end_collocated_call(const ServantPin& pin) noexcept;

/// The object whose operation a thread executes.
struct CurrentObject {
  ServantSlot* slot = nullptr;             ///< Pinned; null: the thread executes no operation.
  const UnmappedCall* unmapped = nullptr;  ///< As in ServantPin.
};
/// The object whose operation the calling thread executes, the innermost one.
CurrentObject current_object() noexcept;
/// Whether the calling thread executes an operation of the object in `slot`, as far as that is known: not
/// beyond the innermost request of a connection.
bool executes(const ServantSlot& slot) noexcept;

/// A priority that a thread gets back, by `restore`; null: none.
struct PriorityToRestore {
  void (*restore)(std::int16_t priority) noexcept = nullptr;
  std::int16_t priority = 0;
};
/// Replaces the priority that the calling thread gets back at the end of the request which it executes for a
/// connection. Returns the one before. No effect outside of such a request.
PriorityToRestore exchange_priority_to_restore(const PriorityToRestore& next) noexcept;
/// Called at the end of each request that is not plain.
void restore_priority() noexcept;

/// Marks the calling thread as executing upcalls of a connection, from construction to destruction. `peer` is
/// the other end of the connection. `hints`: of the requests whose servant is pinned by a hint, which cost
/// nothing more; null: each request has a PinScope. `is_plain`: is set to false for a request after which
/// `restore_priority` is to be called; null: the scope is that of one request. All outlive this object. May
/// be nested.
class UpcallScope {
 public:
  explicit UpcallScope(const Peer& peer, const DispatchCache* hints = nullptr,
                       bool* is_plain = nullptr) noexcept;
  ~UpcallScope();
  UpcallScope(const UpcallScope&) = delete;
  UpcallScope& operator=(const UpcallScope&) = delete;

 private:
  const Peer* const peer_before_;
  const int collocated_depth_before_;
  const ServantPin* const pin_before_;
  const DispatchCache* const hints_before_;
  UpcallScope* const outer_;
  bool* const is_plain_;
  PriorityToRestore to_restore_;
  friend PriorityToRestore exchange_priority_to_restore(const PriorityToRestore& next) noexcept;
  friend void restore_priority() noexcept;
};

/// Marks the calling thread as executing an operation of the servant of `pin`, which outlives this object.
class PinScope {
 public:
  explicit PinScope(ServantPin& pin) noexcept;
  ~PinScope();
  PinScope(const PinScope&) = delete;
  PinScope& operator=(const PinScope&) = delete;

 private:
  const ServantPin& pin_;
};

/// Marks the calling thread as executing no operation of an object: it calls the destructor of a servant, or
/// a servant manager or adapter activator, which count as an upcall.
class NoObjectScope {
 public:
  enum class Calls : bool { destructor, manager };
  explicit NoObjectScope(Calls calls) noexcept;
  ~NoObjectScope();
  NoObjectScope(const NoObjectScope&) = delete;
  NoObjectScope& operator=(const NoObjectScope&) = delete;

 private:
  const ServantPin* const before_;
};

}  // namespace orbweaver::orb
