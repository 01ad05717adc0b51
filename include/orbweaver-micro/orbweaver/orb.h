#pragma once

// The ORB of the micro library, in place of include/orbweaver/orb.h.

#include <string>
#include <vector>

#include <orbweaver/exception.h>
#include <orbweaver/object.h>

namespace CORBA {
class ORB;
}
namespace IDL {
template <>
struct traits<CORBA::ORB> : orbweaver::local_interface_traits<CORBA::ORB> {};
}  // namespace IDL

namespace orbweaver::micro {
class Core;  // Connections, objects and threads of an ORB: src/micro/core.h.
/// For CORBA::ORB_init. A program that is compiled for the micro library does not link with the full one, and
/// the other way round, since each has another ORB_init.
CORBA::object_reference<CORBA::ORB> init(int& argc, char* argv[], const std::string& orb_id);
}  // namespace orbweaver::micro

namespace CORBA {

/// The object request broker: creates references, resolves initial references, and owns all connections and
/// threads. CORBA 3.3 part 1, 8.2. Thread-safe. System exceptions are raised with COMPLETED_NO unless a
/// comment says otherwise.
class ORB final : public LocalObject {
 public:
  /// Reference to an ORB.
  using _ref_type = object_reference<ORB>;

  /// Raised by resolve_initial_references for an unknown name, and by register_initial_reference for a name
  /// that is empty or taken.
  class InvalidName final : public orbweaver::UserExceptionWithDetail {
   public:
    /// `detail`: message.
    explicit InvalidName(std::string detail = {}) : UserExceptionWithDetail(std::move(detail)) {}
    const char* _name() const noexcept override { return "CORBA::ORB::InvalidName"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/ORB/InvalidName:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  /// The `orb_id` given to ORB_init. Raises nothing.
  std::string id();
  /// Returns the stringified IOR ("IOR:…") of `object`; for nil that of an empty IOR. CORBA 3.3 part 1,
  /// 8.2.2. Raises BAD_PARAM (0x4f57003f) for a local object.
  std::string object_to_string(const object_reference<Object>& object);
  /// Returns the reference described by "IOR:…" or "corbaloc:…". Connects to nothing. CORBA 3.3 part
  /// 1, 8.2.2; part 2, 7.6.10. Raises BAD_PARAM (0x4f57003d), whose detail names the error, also for
  /// "corbaname:…" and "file:…"; BAD_INV_ORDER (OMG minor 4) after shutdown.
  object_reference<Object> string_to_object(const std::string& text);
  /// Returns an initial reference: "RootPOA", "CorbalocPOA", or a name given by -ORBInitRef or
  /// register_initial_reference. CORBA 3.3 part 1, 8.5.2. Raises InvalidName; BAD_PARAM (0x4f57003d) if the
  /// -ORBInitRef is malformed; BAD_INV_ORDER (OMG minor 4) after shutdown.
  object_reference<Object> resolve_initial_references(const std::string& name);
  /// Makes resolve_initial_references return a reference to `object` for `name`; the ORB keeps its IOR. CORBA
  /// 3.3 part 1, 8.5.2. Raises InvalidName if the name is empty or taken; BAD_PARAM, 0x4f570040 for nil,
  /// 0x4f57003f for a local object.
  void register_initial_reference(const std::string& name, const object_reference<Object>& object);
  /// Names that resolve_initial_references accepts. Raises nothing.
  std::vector<std::string> list_initial_services();

  /// Blocks until shutdown is called, by another thread, a servant or a thread that handles signals; returns
  /// at once after shutdown. Requests are served by the ORB's own threads, also before run. Raises nothing of
  /// its own.
  void run();
  /// Stops accepting requests. With `wait`, returns when the requests in progress have ended; outside of an
  /// upcall it also returns without `wait` only when the connections are closed and the threads joined.
  /// Raises BAD_INV_ORDER (OMG minor 3) with `wait` inside an upcall, where this would deadlock. CORBA 3.3
  /// part 1, 8.2.3.
  void shutdown(bool wait);
  /// As shutdown(true), and releases everything: threads, sockets, servants. Raises BAD_INV_ORDER (OMG minor
  /// 3) inside an upcall.
  void destroy();

  /// @name Not in the micro library
  /// A call of these functions does not compile.
  /// @{
  ORBWEAVER_NOT_IN_MICRO("perform_work: the ORB has its own threads") bool work_pending();
  ORBWEAVER_NOT_IN_MICRO("perform_work: the ORB has its own threads") void perform_work();
  template <class Value>
  ORBWEAVER_NOT_IN_MICRO("policies")
  object_reference<Object> create_policy(std::uint32_t type, const Value& value);
  ORBWEAVER_NOT_IN_MICRO("contexts") object_reference<Object> get_default_context();
  /// @}

  /// @cond internal
  explicit ORB(orbweaver::micro::Core& core) noexcept : core_(core) {}
  orbweaver::micro::Core& _core() const noexcept { return core_; }
  /// @endcond

 protected:
  ~ORB() override;

 private:
  orbweaver::micro::Core& core_;
};

/// Returns the ORB `orb_id`, which the first call creates. Removes the options for the ORB (-ORB…,
/// docs/micro.md) from argc and argv; a second call for an existing id removes and ignores them. Any thread.
/// CORBA 3.3 part 1, 8.5.1. Raises BAD_PARAM (0x4f57003e), whose detail names the option, for an -ORB option
/// that the micro library does not have, or an invalid value.
inline object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_id = {}) {
  return orbweaver::micro::init(argc, argv, orb_id);
}
/// As ORB_init with an empty id and no arguments.
inline object_reference<ORB> ORB_init() {
  int argc = 0;
  return orbweaver::micro::init(argc, nullptr, {});
}

}  // namespace CORBA
