#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>

#include <orbweaver/deadline.h>
#include <orbweaver/detail/future_call.h>
#include <orbweaver/exception.h>

#if defined(__cpp_impl_coroutine) || defined(__cpp_coroutines)
#include <coroutine>
#endif

namespace orbweaver {

/// Result of an asynchronous call, which `async_op` of a stub returns (docs/asynchronous-calls.md). `T` is
/// the result of the operation; with `out` or `inout` parameters a std::tuple of the result, unless it is
/// void, and these parameters in their order; void if there is neither.
///
/// A Future may be moved, and destroyed at any time: the call continues, and its results are discarded. One
/// thread at a time uses it.
template <class T>
class [[nodiscard]] Future {
 public:
  /// A Future without a call.
  Future() noexcept = default;
  /// @cond internal
  explicit Future(CORBA::object_reference<FutureCall<T>> call) noexcept : call_(std::move(call)) {}
  /// @endcond

  /// Whether there is a call whose result has not been taken.
  bool valid() const noexcept { return static_cast<bool>(call_); }
  /// Whether `get` returns or raises at once. Raises BAD_INV_ORDER if not `valid`.
  bool is_ready() const { return call_->is_complete(); }
  /// Waits until the call is complete. Raises BAD_INV_ORDER if not `valid`.
  void wait() const { call_->wait(Deadline::never().ns); }
  /// Waits at most for `duration`; returns whether the call is complete. Raises BAD_INV_ORDER if not `valid`.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) const {
    constexpr std::chrono::duration<double> kLongest = std::chrono::hours(24 * 365 * 100);
    if (duration > kLongest) return wait(), true;  // `duration` may not fit into nanoseconds
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
    return call_->wait(ns <= 0 ? 0 : Deadline::in_ns(ns).ns);
  }
  /// Waits, and returns the result or raises the exception of the call. The Future is not `valid` afterwards.
  /// May be called in a reply handler or an upcall. Raises BAD_INV_ORDER if not `valid`.
  T get() {
    wait();
    return take();
  }
  /// Ends the call with TRANSIENT (0x4f570027), unless it is complete, and sends CancelRequest: a server that
  /// has not begun the request need not execute it. A coroutine that awaits the Future is resumed as after a
  /// reply, up to 100 ms later; another thread may call this function then. Raises BAD_INV_ORDER if not
  /// `valid`.
  void cancel() { call_->cancel(); }

#if defined(__cpp_impl_coroutine) || defined(__cpp_coroutines)
  /// Awaiter of `co_await`.
  class Awaiter {
   public:
    explicit Awaiter(Future& future) noexcept : future_(future) {}
    bool await_ready() const { return future_.is_ready(); }
    bool await_suspend(std::coroutine_handle<> coroutine) {
      return future_.call_->resume_later(
          [](void* address) { std::coroutine_handle<>::from_address(address).resume(); },
          coroutine.address());
    }
    T await_resume() { return future_.take(); }

   private:
    Future& future_;
  };
  /// `co_await future`: suspends the coroutine until the call is complete; as `get` otherwise. The coroutine
  /// is resumed where reply handlers are called. The Future stays alive until then, and is awaited once.
  Awaiter operator co_await() & noexcept { return Awaiter(*this); }
  /// As above, for a temporary Future.
  Awaiter operator co_await() && noexcept { return Awaiter(*this); }
#endif

 private:
  T take() {
    const CORBA::object_reference<FutureCall<T>> call = std::exchange(call_, nullptr);
    if (call->failure()) std::rethrow_exception(call->failure());
    return call->take_results();
  }

  CORBA::object_reference<FutureCall<T>> call_;
};

}  // namespace orbweaver
