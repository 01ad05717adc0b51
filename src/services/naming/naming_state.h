#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

/// The contents of a naming service: plain data, without the ORB.
namespace orbweaver::naming {

/// Identifies a context of the service: the octets of its object id.
using ContextId = std::string;

/// Id and kind of a name component, by which bindings are compared and sorted.
using Key = std::pair<std::string, std::string>;

/// What a name is bound to.
struct Target {
  enum class Kind : std::uint8_t {
    object = 0,           ///< `text`: a stringified IOR.
    foreign_context = 1,  ///< `text`: the stringified IOR of a context of another service.
    own_context = 2,      ///< `text`: the ContextId of a context of this service, which may be destroyed.
  };
  Kind kind = Kind::object;
  std::string text;
  friend bool operator==(const Target&, const Target&) = default;
};

/// Limits of a naming service (docs/naming.md).
struct Limits {
  std::size_t contexts = 65'536;
  std::size_t bindings_of_context = 65'536;
  std::size_t bindings = 262'144;               ///< Of all contexts.
  std::size_t total_bytes = 256 * 1024 * 1024;  ///< Of all contexts: names, references and their storage.
  std::size_t reference_bytes = 64 * 1024;      ///< Of a stringified reference.
  std::size_t listed_bindings = 1'000;          ///< Returned by one call of list or next_n.
  std::size_t listed_bytes = 512 * 1024;        ///< Their names.
  std::size_t iterators = 1'024;
};

/// One change of the state, made as a whole: a context is created or destroyed, a binding is written or
/// removed, or a context is created and bound.
struct Change {
  std::optional<ContextId> create;
  std::optional<ContextId> destroy;
  std::optional<ContextId> context;  ///< The context of `key`; empty: no binding changes.
  Key key;
  std::optional<Target> target;  ///< Empty: the binding is removed.
};

/// Contexts and their bindings. Not thread-safe.
class NamingState {
 public:
  using Bindings = std::map<Key, Target>;

  /// The bindings of a context; null if there is no such context. Valid until the next `apply`.
  const Bindings* find(const ContextId& context) const;
  /// Why the state would exceed `limits` with this change; null if it would not.
  const char* exceeded_limit(const Change& change, const Limits& limits) const;
  /// Makes the change. A binding of an unknown context is ignored.
  void apply(const Change& change);
  const std::unordered_map<ContextId, Bindings>& contexts() const noexcept { return contexts_; }
  std::size_t bindings() const noexcept { return bindings_; }

 private:
  std::unordered_map<ContextId, Bindings> contexts_;
  std::size_t bindings_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace orbweaver::naming
