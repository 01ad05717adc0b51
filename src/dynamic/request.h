#pragma once

#include <orbweaver/dynamic.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>

namespace orbweaver::dynamic {

/// A request of the dynamic invocation interface. A deferred one is called by another thread, which alone
/// uses arguments and result until it has ended.
class Request final : public CORBA::Request {
 public:
  Request(CORBA::object_reference<CORBA::Object> target, std::string operation);

  CORBA::object_reference<CORBA::Object> target() const override { return target_; }
  const std::string& operation() const noexcept override { return operation_; }
  CORBA::object_reference<CORBA::NVList> arguments() const override { return arguments_; }
  CORBA::object_reference<CORBA::NamedValue> result() const override { return result_; }
  CORBA::object_reference<CORBA::ExceptionList> exceptions() const override { return exceptions_; }
  CORBA::object_reference<CORBA::ContextList> contexts() const override { return contexts_; }
  CORBA::object_reference<CORBA::Context> ctx() const override { return context_; }
  void ctx(const CORBA::object_reference<CORBA::Context>& context) override { context_ = context; }

  void invoke() override;
  void send_oneway() override;
  void send_deferred() override;
  bool poll_response() override;
  void get_response() override;

  /// Replaces the parts that are not nil.
  void use(CORBA::object_reference<CORBA::NVList> arguments,
           CORBA::object_reference<CORBA::NamedValue> result,
           CORBA::object_reference<CORBA::ExceptionList> exceptions,
           CORBA::object_reference<CORBA::ContextList> contexts);
  /// Called by the thread of a deferred request: calls `prepare`, makes the call, and keeps the exception of
  /// either.
  void call_deferred(const std::function<void()>& prepare) noexcept;
  /// Whether `call_deferred` has returned. Any thread.
  bool has_ended();

 private:
  enum class State { unsent, sent, deferred, taken };

  CORBA::Any& add(const std::string& name, CORBA::Flags flags) override;
  void begin(State next);
  void call(bool oneway);
  void check_deferred() const;

  const CORBA::object_reference<CORBA::Object> target_;
  const std::string operation_;
  CORBA::object_reference<CORBA::NVList> arguments_;
  CORBA::object_reference<CORBA::NamedValue> result_;
  CORBA::object_reference<CORBA::ExceptionList> exceptions_;
  CORBA::object_reference<CORBA::ContextList> contexts_;
  CORBA::object_reference<CORBA::Context> context_;
  State state_ = State::unsent;

  std::mutex mutex_;  // guards the members below
  std::condition_variable has_ended_;
  bool ended_ = false;
  std::exception_ptr exception_;
};

}  // namespace orbweaver::dynamic
