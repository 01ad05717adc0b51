#pragma once

#include <orbweaver/reference.h>

// Initial references that another library provides to every ORB of the process; not for users.

namespace CORBA {
class Object;
class ORB;
}  // namespace CORBA

namespace orbweaver {

/// An initial reference of all ORBs, made by `function` when the ORB is first asked for it. An object of
/// static storage duration of a library, which provides the reference as long as the library is loaded.
/// `-ORBInitRef` and register_initial_reference cannot replace it.
class InitialReferenceProvider {
 public:
  using Make = CORBA::object_reference<CORBA::Object> (*)(CORBA::ORB& orb);

  /// `name` must be valid as long as this object.
  InitialReferenceProvider(const char* name, Make function) noexcept;
  ~InitialReferenceProvider();
  InitialReferenceProvider(const InitialReferenceProvider&) = delete;
  InitialReferenceProvider& operator=(const InitialReferenceProvider&) = delete;

  const char* name() const noexcept { return name_; }
  Make make() const noexcept { return make_; }

 private:
  const char* const name_;
  const Make make_;
};

}  // namespace orbweaver
