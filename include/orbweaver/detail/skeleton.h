#pragma once

// Run-time support for generated skeletons; not for users.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/operation.h>
#include <orbweaver/detail/stub.h>
#include <orbweaver/poa.h>

namespace orbweaver {

/// One request, as seen by a skeleton. Exists during the upcall; used by the thread that executes it.
class ServerCall {
 public:
  std::string_view operation() const noexcept { return operation_; }
  cdr::Decoder& arguments() noexcept { return in_; }
  /// Returns whether all arguments were decoded. If not, a MARSHAL reply has been made and the servant must
  /// not be called.
  bool arguments_decoded() {
    if (__builtin_expect(in_.ok(), 1)) return true;  // [[likely]] is not in C++17
    raise_bad_arguments();
    return false;
  }
  /// Begins the reply, and returns the encoder for at most `results_bound` bytes of results. Not called by
  /// operations without results: the connection sends their reply.
  cdr::Encoder& reply(std::size_t results_bound);
  /// Sets the operation being executed: its `raises` clause determines which user exceptions are sent to the
  /// client.
  void set_operation(const Operation& operation) noexcept { served_operation_ = &operation; }

  /// Entry of a skeleton's table used by the last call with the same request header.
  struct DispatchHint {
    const void* table = nullptr;
    const void* entry = nullptr;
  };
  /// The entry to try first; null if the request header is not in the cache.
  const DispatchHint* dispatch_hint() const noexcept { return dispatch_hint_; }
  /// Called when the operation was found by its name, before it is executed. Implemented by the connection:
  /// sets the dispatch hint, or sends the reply of a one-way call with SYNC_WITH_SERVER, which gets no hint.
  virtual void operation_found(const DispatchHint& found) = 0;

  ServerCall(const ServerCall&) = delete;
  ServerCall& operator=(const ServerCall&) = delete;

 protected:
  explicit ServerCall(cdr::Decoder& in) noexcept : in_(in) {}
  ~ServerCall() = default;

  /// Implemented by the connection: returns an encoder for a reply of at most `results_bound` bytes, with the
  /// reply header written.
  virtual cdr::Encoder& begin_reply(std::size_t results_bound) = 0;
  /// Implemented by the connection: makes the MARSHAL reply for arguments that did not decode.
  virtual void raise_bad_arguments() = 0;

  std::string_view operation_;
  cdr::Decoder& in_;
  const Operation* served_operation_ = nullptr;
  DispatchHint* dispatch_hint_ = nullptr;
};

/// One slot of a skeleton's operation table; `operation` is null if it is empty.
template <class Skeleton>
struct DispatchEntry {
  const Operation* operation;
  void (*serve)(Skeleton& servant, ServerCall& call);
};

/// Finds the operation in `table` by its name; null if there is none of that name.
template <class Skeleton, std::size_t Slots>
[[gnu::noinline]] const DispatchEntry<Skeleton>* find_entry(const DispatchEntry<Skeleton> (&table)[Slots],
                                                            std::uint32_t seed, ServerCall& call) {
  const std::string_view name = call.operation();
  const auto& entry = table[operation_hash_fast(name.data(), name.size(), seed) & (Slots - 1)];
  if (entry.operation == nullptr || entry.operation->name_bytes != name.size() ||
      std::memcmp(entry.operation->name, name.data(), name.size()) != 0) {
    return nullptr;
  }
  call.operation_found({&table, &entry});
  return &entry;
}

/// Finds the operation in `table` and calls it; returns false if there is none of that name. `Slots` is a
/// power of two, and the table has no collisions under `seed`.
template <class Skeleton, std::size_t Slots>
bool dispatch(const DispatchEntry<Skeleton> (&table)[Slots], std::uint32_t seed, Skeleton& servant,
              ServerCall& call) {
  static_assert((Slots & (Slots - 1)) == 0);
  const ServerCall::DispatchHint* const hint = call.dispatch_hint();
  const auto* const entry = hint != nullptr && hint->table == &table
                                ? static_cast<const DispatchEntry<Skeleton>*>(hint->entry)
                                : find_entry(table, seed, call);
  if (entry == nullptr) return false;
  call.set_operation(*entry->operation);
  entry->serve(servant, call);
  return true;
}

/// Table entry of a derived skeleton for an inherited operation.
template <class Derived, class Base, void (*Serve)(Base&, ServerCall&)>
void serve_inherited(Derived& servant, ServerCall& call) {
  Serve(servant, call);
}

/// Storage for a decoded argument, kept by the thread from call to call, so that strings and sequences stop
/// allocating once they have had their usual size. Values of more than kMaxPooledBytes are freed after use.
template <class T>
class PooledArgument {
 public:
  PooledArgument() : value_(take()) {}
  ~PooledArgument() { give_back(std::move(value_)); }
  PooledArgument(const PooledArgument&) = delete;
  PooledArgument& operator=(const PooledArgument&) = delete;
  T& operator*() noexcept { return *value_; }
  T* operator->() noexcept { return value_.get(); }

 private:
  static constexpr std::size_t kMaxPooled = 8;
  static std::vector<std::unique_ptr<T>>& free_list() {
    static thread_local std::vector<std::unique_ptr<T>> values;
    return values;
  }
  static std::unique_ptr<T> take() {
    auto& values = free_list();
    if (values.empty()) {
      values.reserve(kMaxPooled);  // here, where an exception can be raised; give_back is noexcept
      return std::make_unique<T>();
    }
    std::unique_ptr<T> value = std::move(values.back());
    values.pop_back();
    return value;
  }
  static void give_back(std::unique_ptr<T> value) noexcept {
    constexpr std::size_t kMaxPooledBytes = std::size_t{1} << 20;
    auto& values = free_list();
    if (values.size() >= kMaxPooled || large(*value, 0) > kMaxPooledBytes) return;
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
