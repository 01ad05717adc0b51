#pragma once

#include <string>
#include <vector>

#include <orbweaver/object.h>
#include <orbweaver/typecode_fwd.h>

namespace CORBA {
class ORB;
}
namespace IDL {
template <>
struct traits<CORBA::ORB> : orbweaver::local_interface_traits<CORBA::ORB> {};
}  // namespace IDL

namespace CORBA {

class Any;           // any.h
class StructMember;  // typecode_members.h
class UnionMember;
using StructMemberSeq = std::vector<StructMember>;
using UnionMemberSeq = std::vector<UnionMember>;
using EnumMemberSeq = std::vector<std::string>;

/// The broker: makes references, finds the initial ones, and owns all connections and threads.
/// CORBA 3.3 part 1, 8.2. Thread-safe.
class ORB : public LocalObject {
 public:
  using _ref_type = object_reference<ORB>;

  /// resolve_initial_references does not know the name.
  class InvalidName final : public UserException {
   public:
    const char* _name() const noexcept override { return "CORBA::ORB::InvalidName"; }
    const char* _rep_id() const noexcept override { return "IDL:omg.org/CORBA/ORB/InvalidName:1.0"; }
    [[noreturn]] void _raise() const override { throw *this; }
    std::size_t _bound() const override { return 0; }
    void _encode(orbweaver::cdr::Encoder&) const override {}
  };

  virtual std::string id() = 0;
  /// "IOR:…", which any ORB reads.
  virtual std::string object_to_string(const object_reference<Object>& object) = 0;
  /// Takes "IOR:…", "corbaloc:…", "corbaname:…" and "file:///…" (a file that holds one of them).
  /// BAD_PARAM says what is wrong with the string and where.
  virtual object_reference<Object> string_to_object(const std::string& text) = 0;
  /// "RootPOA", and whatever -ORBInitRef or register_initial_reference named.
  virtual object_reference<Object> resolve_initial_references(const std::string& name) = 0;
  virtual void register_initial_reference(const std::string& name, const object_reference<Object>& object) = 0;
  virtual std::vector<std::string> list_initial_services() = 0;

  /// Returns when another thread, a servant or a signal handler's thread has called shutdown.
  /// Requests are served meanwhile and before by the ORB's own threads; with -ORBThreads single, by this one.
  virtual void run() = 0;
  /// Stops taking requests; with `wait`, returns when those in progress are done. BAD_INV_ORDER where a
  /// servant waits for itself.
  virtual void shutdown(bool wait) = 0;
  /// shutdown(true) and everything given back: threads, sockets, segments.
  virtual void destroy() = 0;
  /// For programs with a loop of their own (CORBA 3.3 part 1, 8.2.3.1), with -ORBThreads single: is there something to
  /// do for `perform_work`? Otherwise false: the ORB has threads of its own. BAD_INV_ORDER after shutdown.
  virtual bool work_pending() = 0;
  /// Does one piece of what there is to do, and does not wait for more: lets a peer in, or serves some requests of
  /// one connection. From now on this thread is the one that serves, and serves on while its own calls wait; does
  /// nothing while another thread is at it. BAD_INV_ORDER after shutdown.
  virtual void perform_work() = 0;

  /// A policy of a client (orbweaver/messaging.h, orbweaver/policy.h) from its value. Raises PolicyError.
  object_reference<Policy> create_policy(PolicyType type, const Any& value);

  // TypeCodes of types that no IDL file of this program has (CORBA 3.3 part 1, 8.11.3). `id` is a repository id,
  // "IDL:Radio/Sample:1.0"; names, and the ids of structs, unions, enums and aliases, may be empty. All raise
  // BAD_PARAM for what is no name (minor OMG 15), id (16) or member name (17: also one that is there twice), and
  // BAD_TYPECODE (OMG 2) for what no member can be, or for a type that would contain itself.
  typecode_reference create_struct_tc(const std::string& id, const std::string& name,
                                      const StructMemberSeq& members);
  /// BAD_PARAM also for labels: twice the same (OMG 18), of another type (19); and for what is no discriminator (20).
  typecode_reference create_union_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& discriminator, const UnionMemberSeq& members);
  typecode_reference create_enum_tc(const std::string& id, const std::string& name, const EnumMemberSeq& members);
  typecode_reference create_alias_tc(const std::string& id, const std::string& name,
                                     const typecode_reference& original);
  typecode_reference create_exception_tc(const std::string& id, const std::string& name,
                                         const StructMemberSeq& members);
  typecode_reference create_interface_tc(const std::string& id, const std::string& name);
  /// 0: no bound.
  typecode_reference create_string_tc(std::uint32_t bound);
  typecode_reference create_wstring_tc(std::uint32_t bound);
  typecode_reference create_sequence_tc(std::uint32_t bound, const typecode_reference& element);
  typecode_reference create_array_tc(std::uint32_t length, const typecode_reference& element);
  /// Stands for the struct or union `id` within what that is made of; the one that create_struct_tc then returns
  /// has itself in its place. This one can only be part of other TypeCodes: asking it, or sending what holds it,
  /// raises BAD_TYPECODE (OMG 1).
  typecode_reference create_recursive_tc(const std::string& id);
};

/// The ORB of that id, made at the first call. Takes the options it knows (-ORB…, see docs/options.md)
/// out of argv; an unknown -ORB option, or a bad value, raises BAD_PARAM that names it.
object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_id = {});
object_reference<ORB> ORB_init();

}  // namespace CORBA

namespace orbweaver {

/// A descriptor for poll, epoll or the event loop of a framework: readable while `orb->work_pending()`, whatever the
/// roads of its connections, and after its shutdown. It stays the ORB's, and valid as long: do not read or close it.
/// BAD_INV_ORDER but for an ORB with -ORBThreads single.
int descriptor(const CORBA::object_reference<CORBA::ORB>& orb);

}  // namespace orbweaver
