#pragma once

#include <string>
#include <vector>

#include <orbweaver/object.h>

namespace CORBA {
class ORB;
}
namespace IDL {
template <>
struct traits<CORBA::ORB> : orbweaver::local_interface_traits<CORBA::ORB> {};
}  // namespace IDL

namespace CORBA {

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
  /// Requests are served meanwhile and before: by the connections' own threads.
  virtual void run() = 0;
  /// Stops taking requests; with `wait`, returns when those in progress are done. BAD_INV_ORDER where a
  /// servant waits for itself.
  virtual void shutdown(bool wait) = 0;
  /// shutdown(true) and everything given back: threads, sockets, segments.
  virtual void destroy() = 0;
  /// Servers need not call these: connections have threads of their own.
  virtual bool work_pending() = 0;
  virtual void perform_work() = 0;
};

/// The ORB of that id, made at the first call. Takes the options it knows (-ORB…, see docs/options.md)
/// out of argv; an unknown -ORB option, or a bad value, raises BAD_PARAM that names it.
object_reference<ORB> ORB_init(int& argc, char* argv[], const std::string& orb_id = {});
object_reference<ORB> ORB_init();

}  // namespace CORBA
