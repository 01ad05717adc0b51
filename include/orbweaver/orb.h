#pragma once

#include <string>
#include <vector>

#include <orbweaver/detail/typecode_fwd.h>
#include <orbweaver/object.h>

namespace CORBA {
class ORB;
}
namespace IDL {
template <>
struct traits<CORBA::ORB> : orbweaver::local_interface_traits<CORBA::ORB> {};
}  // namespace IDL

namespace CORBA {

class Any;           // any.h
class Context;       // context.h
class StructMember;  // typecode_members.h
class UnionMember;
class ValueMember;
class ValueFactoryBase;  // value.h
/// Members of a struct or exception, in order.
using StructMemberSeq = std::vector<StructMember>;
/// Cases of a union, in order.
using UnionMemberSeq = std::vector<UnionMember>;
/// State members of a value type, in order.
using ValueMemberSeq = std::vector<ValueMember>;
/// Names of enumerators, in order.
using EnumMemberSeq = std::vector<std::string>;

/// The object request broker: creates references, resolves initial references, and owns all connections and
/// threads. CORBA 3.3 part 1, 8.2. Thread-safe. System exceptions are raised with COMPLETED_NO unless a
/// comment says otherwise.
class ORB : public LocalObject {
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
  virtual std::string id() = 0;
  /// Returns the stringified IOR ("IOR:…") of `object`; for nil that of an empty IOR. CORBA 3.3 part 1,
  /// 8.2.2. Raises BAD_PARAM (0x4f57003f) for a local object.
  virtual std::string object_to_string(const object_reference<Object>& object) = 0;
  /// Returns the reference described by "IOR:…", "corbaloc:…", "corbaname:…" or "file:///…" (a file that
  /// contains one of these). Connects to nothing, except for corbaname, which calls the naming service: it
  /// then blocks, and raises what that call raises. CORBA 3.3 part 1, 8.2.2; part 2, 7.6.10.
  /// Raises BAD_PARAM (0x4f57003d), whose detail names the error and its position; BAD_INV_ORDER (OMG minor
  /// 4) after shutdown.
  virtual object_reference<Object> string_to_object(const std::string& text) = 0;
  /// Returns an initial reference: "RootPOA", "CorbalocPOA", "ORBPolicyManager", "PolicyCurrent", or a name
  /// given by -ORBInitRef or register_initial_reference. CORBA 3.3 part 1, 8.5.2.
  /// Raises InvalidName; BAD_PARAM (0x4f57003d) if the -ORBInitRef is malformed or refers to itself;
  /// BAD_INV_ORDER (OMG minor 4) after shutdown.
  virtual object_reference<Object> resolve_initial_references(const std::string& name) = 0;
  /// Makes resolve_initial_references return `object` for `name`; the ORB shares the reference. CORBA 3.3
  /// part 1, 8.5.2. Raises InvalidName if the name is empty or taken; BAD_PARAM (0x4f570040, where the
  /// standard has OMG minor 27) for nil.
  virtual void register_initial_reference(const std::string& name,
                                          const object_reference<Object>& object) = 0;
  /// Names that resolve_initial_references accepts. Raises nothing.
  virtual std::vector<std::string> list_initial_services() = 0;

  /// Blocks until shutdown is called, by another thread, a servant or a thread that handles signals; returns
  /// at once after shutdown. Requests are served by the ORB's own threads, also before run; with -ORBThreads
  /// single, by the calling thread. Raises nothing of its own.
  virtual void run() = 0;
  /// Stops accepting requests. With `wait`, returns when the requests in progress have ended; outside of an
  /// upcall it also returns without `wait` only when the connections are closed and the threads joined.
  /// Raises BAD_INV_ORDER (OMG minor 3) with `wait` inside an upcall, where this would deadlock. CORBA 3.3
  /// part 1, 8.2.3.
  virtual void shutdown(bool wait) = 0;
  /// As shutdown(true), and releases everything: threads, sockets, shared memory. Raises BAD_INV_ORDER (OMG
  /// minor 3) inside an upcall.
  virtual void destroy() = 0;
  /// Returns whether there is work for `perform_work`. For programs with an event loop of their own (CORBA
  /// 3.3 part 1, 8.2.3.1), with -ORBThreads single; otherwise false, since the ORB has its own threads.
  /// Raises BAD_INV_ORDER (OMG minor 4) after shutdown.
  virtual bool work_pending() = 0;
  /// Does one unit of work, without waiting for more: accepts a connection, or serves some requests of one
  /// connection. The calling thread becomes the serving thread, and serves requests also while its own calls
  /// wait for replies. Does nothing while another thread is serving. Raises BAD_INV_ORDER (OMG minor 4) after
  /// shutdown.
  virtual void perform_work() = 0;

  /// Creates a client-side policy (orbweaver/messaging.h, orbweaver/policy.h) from its value. Raises
  /// PolicyError.
  object_reference<Policy> create_policy(PolicyType type, const Any& value);

  /// Returns the context from which others inherit (orbweaver/context.h). It is the same for all ORBs of the
  /// process, and has no properties unless the program sets some. CORBA 3.3 part 1, 8.6.
  object_reference<Context> get_default_context();

  /// @name Factories of value types
  /// They belong to the process: all its ORBs have the same, since values are also received within anys, by
  /// no ORB in particular. CORBA 3.3 part 1, 9.4.3. Any thread. Include orbweaver/value.h.
  /// @{

  /// Registers the factory that makes received values of the type with the repository id `id`. Without one,
  /// such a value raises MARSHAL (OMG minor 1). Returns the factory that it replaces; nil if there was none.
  /// Raises BAD_PARAM for nil (0x4f570040) and for an empty id (OMG minor 16).
  object_reference<ValueFactoryBase> register_value_factory(
      const std::string& id, const object_reference<ValueFactoryBase>& factory);
  /// Removes the factory. Raises BAD_PARAM (OMG minor 1) if there is none for `id`.
  void unregister_value_factory(const std::string& id);
  /// Returns the factory. Raises BAD_PARAM (OMG minor 1) if there is none for `id`.
  object_reference<ValueFactoryBase> lookup_value_factory(const std::string& id);

  /// @}

  /// @name TypeCodes of types that no IDL file of this program declares
  /// CORBA 3.3 part 1, 8.11.3. `id` is a repository id, "IDL:Radio/Sample:1.0"; names, and the ids of
  /// structs, unions, enums and aliases, may be empty. Arguments are copied. All raise BAD_PARAM for an
  /// invalid name (OMG minor 15), an invalid id (16), and an invalid or repeated member name (17);
  /// BAD_TYPECODE for a type that cannot be a member, or would contain itself (OMG minor 2), and for types
  /// nested too deeply (0x4f570043).
  /// @{

  /// Creates the TypeCode of a struct.
  typecode_reference create_struct_tc(const std::string& id, const std::string& name,
                                      const StructMemberSeq& members);
  /// Creates the TypeCode of a union. Raises BAD_PARAM also for a repeated label (OMG minor 18), a label of
  /// another type than the discriminator (19), and a type that cannot be a discriminator (20).
  typecode_reference create_union_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& discriminator, const UnionMemberSeq& members);
  /// Creates the TypeCode of an enum from its enumerators, in order.
  typecode_reference create_enum_tc(const std::string& id, const std::string& name,
                                    const EnumMemberSeq& members);
  /// Creates the TypeCode of a typedef of `original`.
  typecode_reference create_alias_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& original);
  /// Creates the TypeCode of an exception. `id` must not be empty.
  typecode_reference create_exception_tc(const std::string& id, const std::string& name,
                                         const StructMemberSeq& members);
  /// Creates the TypeCode of references to an interface. `id` must not be empty.
  typecode_reference create_interface_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of references to a local interface. `id` must not be empty.
  typecode_reference create_local_interface_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of an abstract interface. `id` must not be empty.
  typecode_reference create_abstract_interface_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of references to a component. `id` must not be empty.
  typecode_reference create_component_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of references to a home. `id` must not be empty.
  typecode_reference create_home_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of a native type. `id` must not be empty.
  typecode_reference create_native_tc(const std::string& id, const std::string& name);
  /// Creates the TypeCode of a value type from its own state members. `id` must not be empty. `base`: the
  /// TypeCode of its concrete base; nil if it has none. Raises BAD_TYPECODE (OMG minor 2) also if `base` is
  /// not that of a value type, and BAD_PARAM (0x4f570124) for another modifier than VM_NONE, VM_CUSTOM,
  /// VM_ABSTRACT or VM_TRUNCATABLE (0 to 3), and for a visibility that is neither public nor private.
  typecode_reference create_value_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                                     const typecode_reference& base, const ValueMemberSeq& members);
  /// As create_value_tc, for an eventtype.
  typecode_reference create_event_tc(const std::string& id, const std::string& name, std::int16_t modifier,
                                     const typecode_reference& base, const ValueMemberSeq& members);
  /// Creates the TypeCode of a value box. `id` must not be empty.
  typecode_reference create_value_box_tc(const std::string& id, const std::string& name,
                                         const typecode_reference& boxed);
  /// Creates the TypeCode of a fixed-point type. Raises BAD_PARAM (0x4f570123) unless it has 1 to 31 digits
  /// and a scale from 0 to that number.
  typecode_reference create_fixed_tc(std::uint16_t digits, std::int16_t scale);
  /// Creates the TypeCode of a string. `bound` in characters; 0: unbounded.
  typecode_reference create_string_tc(std::uint32_t bound);
  /// Creates the TypeCode of a wide string. `bound` in characters; 0: unbounded.
  typecode_reference create_wstring_tc(std::uint32_t bound);
  /// Creates the TypeCode of a sequence. `bound` in elements; 0: unbounded.
  typecode_reference create_sequence_tc(std::uint32_t bound, const typecode_reference& element);
  /// Creates the TypeCode of an array. `length` in elements. Raises BAD_PARAM (0x4f570042) for 0. Arrays of
  /// several dimensions are arrays of arrays.
  typecode_reference create_array_tc(std::uint32_t length, const typecode_reference& element);
  /// Creates a placeholder for the struct, union or value type `id` within its own members; the TypeCode that
  /// create_struct_tc, create_union_tc or create_value_tc then returns has itself in its place. The
  /// placeholder can only be part of other TypeCodes: querying it, or sending what contains it, raises
  /// BAD_TYPECODE (OMG minor 1).
  typecode_reference create_recursive_tc(const std::string& id);

  /// @}
};

/// Returns the ORB `orb_id`, which the first call creates. Removes the options for the ORB (-ORB…,
/// docs/options.md) from argc and argv; a second call for an existing id removes and ignores them. Any
/// thread. CORBA 3.3 part 1, 8.5.1.
/// Raises BAD_PARAM (0x4f57003e), whose detail names the option, for an unknown -ORB option or an invalid
/// value; NO_RESOURCES (0x4f570078) if threads cannot be started.
object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_id = {});
/// As ORB_init with an empty id and no arguments.
object_reference<ORB> ORB_init();

}  // namespace CORBA

namespace orbweaver {

/// Returns a descriptor for poll, epoll or the event loop of a framework. It is readable while
/// `orb->work_pending()`, whatever the transports of its connections, and after shutdown. The ORB owns it:
/// valid as long as the ORB, and not to be read or closed. Any thread.
/// Raises BAD_INV_ORDER unless the ORB has -ORBThreads single (0x4f570047), and after shutdown (OMG minor 4);
/// BAD_PARAM (0x4f570040) for nil.
int descriptor(const CORBA::object_reference<CORBA::ORB>& orb);

}  // namespace orbweaver
