#pragma once

// What generated servant code is made of. Users do not call this.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <orbweaver/cdr/codec.h>
#include <orbweaver/operation.h>
#include <orbweaver/poa.h>
#include <orbweaver/stub.h>

namespace orbweaver {

/// One request at its servant. Lives while the upcall does; used by the thread that serves it.
class ServerCall {
 public:
  std::string_view operation() const noexcept { return operation_; }
  cdr::Decoder& arguments() noexcept { return in_; }
  /// All arguments decoded? If not, a MARSHAL reply is made and the servant must not be called.
  bool complete();
  /// Begins the reply: at most `results_bound` bytes of results follow.
  cdr::Encoder& reply(std::size_t results_bound);
  /// What the skeleton is serving: its `raises` decide which user exceptions may leave.
  void serving(const Operation& operation) noexcept { serving_ = &operation; }

  /// The entry of a skeleton's table that the last call with this one's header was served by.
  struct Remembered {
    const void* table = nullptr;
    const void* entry = nullptr;
  };
  /// Where to look and to remember; null: this call's header is nobody's.
  Remembered* remembered() noexcept { return remembered_; }

  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

 protected:
  explicit ServerCall(cdr::Decoder& in) noexcept : in_(in) {}
  ~ServerCall() = default;

  /// Room for a reply of at most this many bytes with its header written: the connection's part.
  virtual cdr::Encoder& begin_reply(std::size_t results_bound) = 0;
  virtual void refuse_arguments() = 0;

  std::string_view operation_;
  cdr::Decoder& in_;
  const Operation* serving_ = nullptr;
  Remembered* remembered_ = nullptr;
};

/// One slot of a skeleton's operation table; `name` is null where it is empty.
template <class Skeleton>
struct DispatchEntry {
  const Operation* operation;
  void (*serve)(Skeleton& servant, ServerCall& call);
};

/// Finds and serves; `Slots` is a power of two, and the table has no collisions under `seed`.
template <class Skeleton, std::size_t Slots>
bool dispatch(const DispatchEntry<Skeleton> (&table)[Slots], std::uint32_t seed, Skeleton& servant, ServerCall& call) {
  static_assert((Slots & (Slots - 1)) == 0);
  if (ServerCall::Remembered* const known = call.remembered(); known != nullptr && known->table == &table) {
    const auto& entry = *static_cast<const DispatchEntry<Skeleton>*>(known->entry);
    call.serving(*entry.operation);
    entry.serve(servant, call);
    return true;
  }
  const std::string_view name = call.operation();
  const auto& entry = table[operation_hash_fast(name.data(), name.size(), seed) & (Slots - 1)];
  if (entry.operation == nullptr || entry.operation->name_bytes != name.size() ||
      std::memcmp(entry.operation->name, name.data(), name.size()) != 0) {
    return false;
  }
  if (ServerCall::Remembered* const known = call.remembered()) *known = {&table, &entry};
  call.serving(*entry.operation);
  entry.serve(servant, call);
  return true;
}

/// An inherited operation in the table of a derived skeleton.
template <class Derived, class Base, void (*Serve)(Base&, ServerCall&)>
void serve_inherited(Derived& servant, ServerCall& call) {
  Serve(servant, call);
}

/// Storage for an argument that a skeleton decodes, kept by the thread from call to call, so that
/// strings and sequences allocate only until they have seen their usual size. Very large ones are
/// given back after use.
template <class T>
class Recycled {
 public:
  Recycled() : value_(take()) {}
  ~Recycled() { give_back(std::move(value_)); }
  Recycled(const Recycled&) = delete;
  Recycled& operator=(const Recycled&) = delete;
  T& operator*() noexcept { return *value_; }
  T* operator->() noexcept { return value_.get(); }

 private:
  static constexpr std::size_t kKept = 8;
  static std::vector<std::unique_ptr<T>>& shelf() {
    static thread_local std::vector<std::unique_ptr<T>> values;
    return values;
  }
  static std::unique_ptr<T> take() {
    auto& values = shelf();
    if (values.empty()) {
      values.reserve(kKept);  // here, where it may fail, and not when the value is given back
      return std::make_unique<T>();
    }
    std::unique_ptr<T> value = std::move(values.back());
    values.pop_back();
    return value;
  }
  static void give_back(std::unique_ptr<T> value) noexcept {
    constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
    auto& values = shelf();
    if (values.size() >= kKept || large(*value, 0) > kKeptBytes) return;
    values.push_back(std::move(value));
  }
  template <class U>
  static auto large(const U& value, int) -> decltype(value.capacity() * sizeof(value[0])) {
    return value.capacity() * sizeof(value[0]);
  }
  template <class U>
  static std::size_t large(const U&, long) {
    return 0;
  }

  std::unique_ptr<T> value_;
};

}  // namespace orbweaver
