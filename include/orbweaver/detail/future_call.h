#pragma once

// Asynchronous calls whose results are kept until they are asked for; not for users.

#include <atomic>
#include <tuple>
#include <type_traits>
#include <utility>

#include <orbweaver/detail/async_call.h>

namespace orbweaver {

/// The results of a call: its result, and its `out` and `inout` parameters.
template <class... Results>
struct ResultsOf {
  using type = std::tuple<Results...>;
};
template <class Result>
struct ResultsOf<Result> {
  using type = Result;
};
template <>
struct ResultsOf<> {
  using type = void;
};

/// An asynchronous call with a Future or a poller.
class KeptCall : public AsyncCall {
 public:
  /// Calls `resume(closure)` once the call is complete, where reply handlers are called. False: it is
  /// complete already, and `resume` is not called. Once.
  bool resume_later(void (*resume)(void*), void* closure) noexcept {
    resume_ = resume;
    closure_ = closure;
    Waiter expected = Waiter::none;
    // Release: run() sees the members above. Acquire: this thread sees the results.
    return waiter_.compare_exchange_strong(expected, Waiter::coroutine, std::memory_order_acq_rel);
  }

 protected:
  using AsyncCall::AsyncCall;
  bool arrived() noexcept final {
    return waiter_.exchange(Waiter::arrived, std::memory_order_acq_rel) == Waiter::coroutine;
  }
  void run() final { resume_(closure_); }

 private:
  enum class Waiter : std::uint8_t { none, coroutine, arrived };
  void (*resume_)(void*) = nullptr;
  void* closure_ = nullptr;
  std::atomic<Waiter> waiter_{Waiter::none};
};

/// The same with its results, a T.
template <class T>
class FutureCall : public KeptCall {
 public:
  virtual T take_results() = 0;

 protected:
  using KeptCall::KeptCall;
};

}  // namespace orbweaver
