#pragma once

// Reply handlers as CORBA objects, for generated code; not for users.

#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

#include <orbweaver/detail/async_stub.h>
#include <orbweaver/detail/cdr/scope_of.h>
#include <orbweaver/detail/skeleton.h>

namespace orbweaver {

/// Encoding of an exception as a value of type Messaging::ExceptionHolder (CORBA 3.3 part 1, 17.7).
class EncodedException {
 public:
  explicit EncodedException(const Messaging::ExceptionHolder& holder);
  std::size_t bound() const noexcept { return 128 + exception_.size(); }
  void write(cdr::Encoder& out) const;

 private:
  std::vector<std::uint8_t> exception_;
  bool is_system_ = false;
};
/// Decodes such a value, of a call of `called`; nil after a fault.
CORBA::object_reference<Messaging::ExceptionHolder> decode_exception_holder(cdr::Decoder& in,
                                                                            const Operation& called);

/// Base of the handlers that pass replies to an object. Calls of an object without a time limit have that of
/// -ORBTune reply-handler-timeout-ms.
class RemoteHandler {
 protected:
  explicit RemoteHandler(CORBA::object_reference<CORBA::Object> object);
  template <class... Results>
  void reply(const Operation& operation, const Results&... results) const {
    const auto write = [&](cdr::Encoder& out) { (cdr::encode(out, results), ...); };
    if constexpr (sizeof...(Results) == 0) {
      call([&](auto& object) { twoway(object, operation, 0, NoArguments{}, NoResults{}); });
    } else if constexpr (cdr::kHoldValues<Results...>) {
      const typename cdr::ScopeOfAny<Results...>::Scope::Encoded encoded(write);
      call([&](auto& object) {
        twoway(
            object, operation, encoded.bound(), [&](cdr::Encoder& out) { encoded.write(out); }, NoResults{});
      });
    } else {
      call([&](auto& object) {
        twoway(object, operation, (cdr::Bound(0) + ... + cdr::bound_of(results)), write, NoResults{});
      });
    }
  }
  void fail(const Operation& operation, const Messaging::ExceptionHolder& holder) const {
    const EncodedException exception(holder);
    call([&](auto& object) {
      twoway(
          object, operation, exception.bound(), [&](cdr::Encoder& out) { exception.write(out); },
          NoResults{});
    });
  }

 private:
  template <class Pass>
  void call(Pass&& pass) const {
    const CallCount count;
    pass(has_limit() ? *object_ : *limited_);
  }
  /// Counts a call at its end: remote_reply_handler_statistics().
  class CallCount {
   public:
    CallCount() noexcept : exceptions_(std::uncaught_exceptions()) {}
    ~CallCount();

   private:
    const int exceptions_;
  };
  /// Whether a policy or option limits a call that begins now.
  bool has_limit() const;

  const CORBA::object_reference<CORBA::Object> object_, limited_;  // the same object, with policies
};

/// Servant of the object of a reply handler.
template <class Handler>
class HandlerServant final : public virtual PortableServer::Servant {
 public:
  using HandlerRef = CORBA::object_reference<Handler>;
  struct Entry {
    const Operation* operation;
    void (*serve)(Handler& handler, ServerCall& call);
  };
  HandlerServant(HandlerRef handler, const Interface& interface, const Entry* entries, std::size_t count)
      : handler_(std::move(handler)), interface_(interface), entries_(entries), count_(count) {}
  bool _dispatch(ServerCall& call) override {
    for (const Entry* each = entries_; each != entries_ + count_; ++each) {
      if (call.operation() != std::string_view(each->operation->name, each->operation->name_bytes)) continue;
      call.operation_found({});
      call.set_operation(*each->operation);
      each->serve(*handler_, call);
      return true;
    }
    return false;
  }
  void* _as(const Interface*) noexcept override { return nullptr; }
  const Interface& _interface() const noexcept override { return interface_; }

 private:
  const HandlerRef handler_;
  const Interface& interface_;
  const Entry* const entries_;
  const std::size_t count_;
};

/// Entries of a HandlerServant: a function of the handler, with results or with an exception of `Called`.
template <class Handler, auto Reply, class... Results>
void serve_reply(Handler& handler, ServerCall& call) {
  AsyncResults<Results...> results;
  results.decode(call.arguments());
  if (!call.arguments_decoded()) return;
  std::apply([&](auto&... each) { (handler.*Reply)(each...); }, results.values);
}
template <class Handler, auto Excep, const Operation& Called>
void serve_exception(Handler& handler, ServerCall& call) {
  auto holder = decode_exception_holder(call.arguments(), Called);
  if (!call.arguments_decoded()) return;
  (handler.*Excep)(std::move(holder));
}

}  // namespace orbweaver
