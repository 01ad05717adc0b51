#pragma once

// Run-time support for the asynchronous functions of generated stubs; not for users.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/detail/cdr/codec.h>
#include <orbweaver/detail/cdr/scope_of.h>
#include <orbweaver/detail/future_call.h>
#include <orbweaver/detail/stub.h>
#include <orbweaver/future.h>
#include <orbweaver/reply_handler.h>
#include <orbweaver/span.h>

namespace orbweaver {

/// Copies of the arguments of an asynchronous call.
template <class... Arguments>
class AsyncArguments {
 public:
  template <class... From>
  explicit AsyncArguments(From&&... from) : values_(std::forward<From>(from)...) {}
  cdr::Bound bound() const {
    return std::apply([](const auto&... each) { return (cdr::Bound(0) + ... + cdr::bound_of(each)); },
                      values_);
  }
  void encode(cdr::Encoder& out) const {
    std::apply([&](const auto&... each) { (cdr::encode(out, each), ...); }, values_);
  }

 private:
  std::tuple<Arguments...> values_;
};
template <>
class AsyncArguments<> {
 public:
  cdr::Bound bound() const noexcept { return 0; }
  void encode(cdr::Encoder&) const noexcept {}
};

/// The same for arguments with values of value types, which are encoded at once: the caller may change them.
template <class... Arguments>
class AsyncValues {
 public:
  template <class... From>
  explicit AsyncValues(From&&... from) : kept_(std::make_unique<Kept>(std::forward<From>(from)...)) {}
  cdr::Bound bound() const noexcept { return kept_->encoded.bound(); }
  void encode(cdr::Encoder& out) const { kept_->encoded.write(out); }

 private:
  struct Kept {
    using Encoded = typename cdr::ScopeOfAny<Arguments...>::Scope::Encoded;
    template <class... From>
    explicit Kept(From&&... from) : values(std::forward<From>(from)...), encoded(*this) {}
    void operator()(cdr::Encoder& out) const {
      std::apply([&](const auto&... each) { (cdr::encode(out, each), ...); }, values);
    }
    const std::tuple<Arguments...> values;  // encoded again for GIOP 1.0 and 1.1
    const Encoded encoded;
  };
  std::unique_ptr<const Kept> kept_;
};

/// Copies of `from`.
template <class... From>
auto async_arguments(From&&... from) {
  if constexpr (cdr::kHoldValues<std::decay_t<From>...>)
    return AsyncValues<std::decay_t<From>...>(std::forward<From>(from)...);
  else
    return AsyncArguments<std::decay_t<From>...>(std::forward<From>(from)...);
}
/// A copy of what a view refers to.
template <class T>
std::vector<std::remove_const_t<T>> owned(const span<T>& view) {
  return {view.begin(), view.end()};
}
inline std::string owned(std::string_view view) { return std::string(view); }

/// A call with its arguments: `Base` has the virtual functions for results.
template <class Arguments, class Base>
class CallWithArguments final : public Base {
 public:
  template <class... BaseArguments>
  CallWithArguments(Arguments arguments, BaseArguments&&... base)
      : Base(std::forward<BaseArguments>(base)...), arguments_(std::move(arguments)) {}

 private:
  cdr::Bound bound() const override { return arguments_.bound(); }
  void encode(cdr::Encoder& out) const override { arguments_.encode(out); }
  const Arguments arguments_;
};

/// Results of a call, decoded in their order.
template <class... Results>
struct AsyncResults {
  std::tuple<Results...> values{};
  void decode(cdr::Decoder& in) {
    if constexpr (cdr::kHoldValues<Results...>) {
      const typename cdr::ScopeOfAny<Results...>::Scope scope(in);
      decode_each(in);
    } else {
      decode_each(in);
    }
  }
  void decode_each(cdr::Decoder& in) {
    std::apply([&](auto&... each) { (cdr::decode(in, each), ...); }, values);
  }
};

/// Calls `reply` of a handler with the results, or `excep` with the exception. A nil handler is not called.
template <class Handler, class Reply, class... Results>
class HandledCall : public AsyncCall {
 public:
  using Excep = void (Handler::*)(CORBA::object_reference<Messaging::ExceptionHolder>);
  HandledCall(const CORBA::Object& target, const Operation& operation,
              CORBA::object_reference<Handler> handler, Reply reply, Excep excep)
      : AsyncCall(target, operation), handler_(std::move(handler)), reply_(reply), excep_(excep) {}

 private:
  void decode(cdr::Decoder& in) final { results_.decode(in); }
  bool arrived() noexcept final { return static_cast<bool>(handler_); }
  void run() final {
    if (failure()) return (handler_.get()->*excep_)(make_exception_holder(failure()));
    std::apply([&](auto&... each) { (handler_.get()->*reply_)(each...); }, results_.values);
  }

  const CORBA::object_reference<Handler> handler_;
  const Reply reply_;
  const Excep excep_;
  AsyncResults<Results...> results_;
};

/// Keeps the results until they are taken.
template <class... Results>
class KeptResults : public FutureCall<typename ResultsOf<Results...>::type> {
 public:
  using T = typename ResultsOf<Results...>::type;
  using FutureCall<T>::FutureCall;
  T take_results() final {
    if constexpr (sizeof...(Results) == 1)
      return std::move(std::get<0>(results_.values));
    else if constexpr (sizeof...(Results) > 1)
      return std::move(results_.values);
  }

 private:
  void decode(cdr::Decoder& in) final { results_.decode(in); }
  AsyncResults<Results...> results_;
};

/// `sendc_op`: makes a call whose results are passed to a handler.
template <class... Results, class Arguments, class Handler, class Reply>
void send_with_handler(const CORBA::Object& target, const Operation& operation,
                       CORBA::object_reference<Handler> handler, Reply reply,
                       typename HandledCall<Handler, Reply, Results...>::Excep excep, Arguments arguments) {
  using Call = CallWithArguments<Arguments, HandledCall<Handler, Reply, Results...>>;
  const auto call = CORBA::object_reference<Call>::adopt(
      new Call(std::move(arguments), target, operation, std::move(handler), reply, excep));
  call.get()->start();
}

/// `async_op`: makes a call whose results are kept. For `sendp_op`, too.
template <class... Results, class Arguments>
CORBA::object_reference<FutureCall<typename ResultsOf<Results...>::type>> send_kept(
    const CORBA::Object& target, const Operation& operation, Arguments arguments) {
  using Call = CallWithArguments<Arguments, KeptResults<Results...>>;
  auto call = CORBA::object_reference<Call>::adopt(new Call(std::move(arguments), target, operation));
  call.get()->start();
  return call;
}

}  // namespace orbweaver
