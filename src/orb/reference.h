#pragma once

#include <orbweaver/reference.h>

#include <orbweaver/operation.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "giop/ior.h"
#include "giop/message.h"
#include "giop/request.h"
#include "orb/call_epoch.h"
#include "orb/client_connection.h"
#include "orb/client_policies.h"

namespace orbweaver {

namespace orb {
class Core;
}

/// One way to an object: a transport, an address, and the key under which the object is known there.
struct Road {
  transport::Transport* transport = nullptr;
  std::string address;
  giop::Version version = giop::kGiop12;
  std::vector<std::uint8_t> object_key;
  std::vector<std::uint8_t> code_sets;  ///< The CodeSets context to send first; empty: none.
  std::uint32_t profile = 0;            ///< Of the reference: where it stands.
  giop::TargetAddress target;           ///< How requests name the object: by `object_key`, unless the server asks for more.
};

/// The road taken, with its connection.
struct Binding {
  /// `owner`: the connection is this binding's alone, made by that core; null: it is shared.
  Binding(ClientConnectionPtr c, Road r, orb::Core* owner)
      : connection(std::move(c)), road(std::move(r)), owner_(owner) {}
  ~Binding();

  /// How every request for that operation begins, encoded at the first call of it.
  const giop::RequestTemplate& request(const Operation& operation, giop::Body body) const {
    for (const auto& slot : requests_) {
      const Prepared* prepared = slot.load(std::memory_order_acquire);
      if (prepared == nullptr) break;
      if (prepared->operation == &operation && prepared->body == body) return prepared->beginning;
    }
    return prepare(operation, body);
  }

  /// How many one-way calls were lost with the connection, at most: each time of asking those that were not told yet.
  std::uint64_t take_lost_calls() const noexcept {
    const std::uint64_t lost = connection->lost_calls();
    return lost == 0 || losses_told_.exchange(true, std::memory_order_relaxed) ? 0 : lost;
  }

  const ClientConnectionPtr connection;
  const Road road;

 private:
  struct Prepared {
    const Operation* operation;
    giop::Body body;
    giop::RequestTemplate beginning;
  };
  const giop::RequestTemplate& prepare(const Operation& operation, giop::Body body) const;

  orb::Core* const owner_;
  static constexpr std::size_t kPrepared = 8;  // of the operations called first; all others are made anew
  mutable std::array<std::atomic<const Prepared*>, kPrepared> requests_{};
  mutable std::atomic<bool> losses_told_{false};
};

/// What an object reference says, and how its object is reached at present. Shared by all references to
/// the same IOR that were made from one another. Thread-safe.
class Reference final : public CORBA::RefCounted {
 public:
  using Deadline = transport::Deadline;

  enum class Connections : bool { shared, own };
  /// `own`: a connection that no other reference uses; without, all calls from one process to another share one.
  Reference(std::shared_ptr<orb::Core> core, giop::Ior ior, Connections connections = Connections::shared,
            orb::ClientPolicies policies = {});

  const giop::Ior& ior() const noexcept { return ior_; }
  /// Those that were set for this reference.
  const orb::ClientPolicies& policies() const noexcept { return policies_; }
  Connections connections() const noexcept { return connections_; }
  orb::Core& core() const noexcept { return *core_; }
  const std::shared_ptr<orb::Core>& shared_core() const noexcept { return core_; }
  /// The roads that this process can try, best first. Those that it cannot, and why, are in the debug log.
  const std::vector<Road>& roads() const noexcept { return roads_; }
  /// The object is served by this very ORB: direct calls.
  bool is_local() const noexcept { return local_; }
  /// The key of the first profile; empty where none can be read.
  Bytes object_key() const noexcept { return key_; }

  /// The usable binding, connecting if need be: the best road that works. Valid within the CallScope in
  /// which it was asked for. Raises TRANSIENT with every road's failure, or INV_OBJREF where there is no
  /// road to try.
  const Binding& binding(Deadline deadline) {
    const Binding* bound = bound_.load(std::memory_order_acquire);
    if (bound != nullptr && bound->connection->usable()) [[likely]] return *bound;
    return bind(deadline);
  }
  /// What it is bound to at present, usable or not; null: nothing. As `binding`.
  const Binding* bound() const noexcept { return bound_.load(std::memory_order_acquire); }
  /// What orbweaver::flush does.
  void flush(Deadline deadline);
  /// A one-way was queued for an object of this ORB; a direct call takes the mark and lets it be served first.
  void mark_queued_oneway() noexcept { queued_oneways_.store(true, std::memory_order_release); }
  bool take_queued_oneways() noexcept {
    return queued_oneways_.load(std::memory_order_relaxed) && queued_oneways_.exchange(false, std::memory_order_acq_rel);
  }
  /// The object is elsewhere: from now on its calls go there, until that fails.
  void forward(giop::Ior ior);
  /// The server wants requests to name the object so: from now on they do.
  void address_by(giop::Addressing addressing);

 private:
  ~Reference() override;
  bool has_own_connection() const noexcept { return connections_ == Connections::own; }
  Result<ClientConnectionPtr> connect(const Road& road, Deadline deadline);
  const Binding& bind(Deadline deadline);
  /// Why this process cannot use what the reference offers.
  std::string roads_not_taken() const;
  void replace_binding(std::unique_ptr<const Binding> binding);

  std::shared_ptr<orb::Core> core_;
  giop::Ior ior_;
  const Connections connections_;
  const orb::ClientPolicies policies_;
  const std::vector<std::string> preference_;  // its own, or the ORB's
  std::vector<Road> roads_;
  std::vector<std::uint8_t> key_;
  bool local_ = false;
  std::atomic<bool> queued_oneways_{false};

  /// A binding that was replaced, while calls may still use it.
  struct Retired {
    std::unique_ptr<const Binding> binding;
    orb::Grace grace;
  };

  std::atomic<const Binding*> bound_{nullptr};
  std::atomic<std::uint64_t> lost_calls_{0};  // with connections that were replaced; `flush` tells of them
  std::mutex bind_mutex_;                    // guards the rest
  std::unique_ptr<const Binding> binding_;   // what bound_ points to, unless that is null
  std::vector<Retired> retired_;
  std::vector<Road> forwarded_;              // tried before roads_
  giop::Ior forwarded_ior_;                  // which has them
  giop::Addressing addressing_ = giop::Addressing::key;
};

namespace orb {

/// The roads of an IOR, in the order of the preference; `why_not` tells of the others.
std::vector<Road> roads_of(const giop::Ior& ior, const std::vector<std::string>& preference, std::string& why_not);

}  // namespace orb
}  // namespace orbweaver
