#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/typecode_fwd.h>
#include <orbweaver/object.h>

/// @file
/// Contexts: properties of a client that are sent with operations whose IDL has a `context` clause. Generated
/// headers include it if the IDL has one.

namespace CORBA {
class Context;
}
namespace IDL {
template <>
struct traits<CORBA::Context> : orbweaver::local_interface_traits<CORBA::Context> {};
}  // namespace IDL

namespace CORBA {

/// For Context::get_values: searches no parents (CORBA 3.3 part 1, 8.6.3).
inline constexpr std::uint32_t CTX_RESTRICT_SCOPE = 15;

/// Named text values of a client, inherited from a parent context (CORBA 3.3 part 1, 8.6). An operation
/// declared with `context ("user", "sys.*")` has a Context as its last parameter; the values of the
/// properties that match are sent with the request, and the servant receives a Context with these. Nil is
/// a context without properties. Names have letters, digits, '.' and '_', and begin with a letter; they are
/// case-sensitive. Thread-safe.
///
/// The values are returned as a std::map, where CORBA has an NVList.
class Context final : public LocalObject {
 public:
  /// Reference to a context.
  using _ref_type = object_reference<Context>;
  /// Values by the names of their properties.
  using Values = std::map<std::string, std::string>;

  /// A context without properties and without a parent.
  explicit Context(std::string name = {});
  ~Context() override;

  /// The name given when it was created; may be empty.
  std::string context_name() const;
  /// The context from which it inherits; nil if there is none.
  _ref_type parent() const;
  /// Creates a context that inherits from this one, and keeps it alive. `name` may be empty.
  _ref_type create_child(const std::string& name);
  /// Sets a property. Raises BAD_CONTEXT (0x4f570125) for an invalid name.
  void set_one_value(const std::string& name, const std::string& value);
  /// Sets a property to the string in `value`. Raises as the other function, and BAD_TYPECODE (0x4f570126) if
  /// the any does not contain a string.
  void set_one_value(const std::string& name, const Any& value);
  /// Sets properties: all of them, or none if one has an invalid name.
  void set_values(const Values& values);
  /// Removes the properties of this context that match: a name, or the beginning of names and a '*'. Raises
  /// BAD_CONTEXT (0x4f570127) if there are none.
  void delete_values(const std::string& pattern);
  /// The values of the properties that match `pattern`, of this context and its parents; those of the
  /// nearest. `start_scope`: the name of the context at which the search begins, this one or a parent; empty:
  /// this one. `flags`: 0 or CTX_RESTRICT_SCOPE. Raises BAD_CONTEXT if there is no such context (0x4f570128)
  /// and if no property matches (0x4f570127).
  Values get_values(const std::string& start_scope, std::uint32_t flags, const std::string& pattern) const;

  /// @cond internal
  /// For generated code.
  static const char* _interface_id() noexcept { return "IDL:omg.org/CORBA/Context:1.0"; }
  /// Adds the properties that match and are not yet in `found`. Returns whether there are any.
  bool _find(const std::string& pattern, bool with_parents, Values& found) const;
  /// Sets the properties that a request contained. Their names are the client's, and not checked.
  void _receive(Values values);
  /// @endcond

 private:
  Context(std::string name, _ref_type parent);
  struct Properties;
  std::unique_ptr<Properties> properties_;
};

}  // namespace CORBA

/// @cond internal
namespace orbweaver {

// For generated code. A context is sent as a sequence of strings: names, each followed by its value (CORBA
// 3.3 part 2, 9.3.5.4).

/// The properties of a client's context, which may be nil, that a request contains.
std::vector<std::string> context_values(const CORBA::object_reference<CORBA::Context>& context,
                                        std::initializer_list<const char*> patterns);
/// The context that a servant receives. `values`: an even number of strings.
CORBA::object_reference<CORBA::Context> context_of(const std::vector<std::string>& values);
/// Decodes the strings of a context; the fault bad_length for an odd number.
void decode_context(cdr::Decoder& in, std::vector<std::string>& values);

}  // namespace orbweaver
/// @endcond
