#pragma once

#include <orbweaver/dynamic_servant.h>

#include <string>

namespace orbweaver {
class ServerCall;
}

namespace orbweaver::dynamic {

/// A request that a dynamic skeleton executes. `call` lives until `end`.
class ServerRequest final : public CORBA::ServerRequest {
 public:
  explicit ServerRequest(ServerCall& call);

  const std::string& operation() const noexcept override { return operation_; }
  void arguments(const CORBA::object_reference<CORBA::NVList>& parameters) override;
  CORBA::object_reference<CORBA::Context> ctx() override;
  void set_result(const CORBA::Any& value) override;
  void set_exception(const CORBA::Any& value) override;

  /// Makes the reply, or throws the exception that was set. Called once, after invoke.
  void reply();
  /// Ends the use of the call.
  void end() noexcept { call_ = nullptr; }

 private:
  ServerCall& call();

  const std::string operation_;
  ServerCall* call_;
  CORBA::object_reference<CORBA::NVList> parameters_;  // nil: not yet asked for
  bool context_taken_ = false, has_result_ = false, has_exception_ = false;
  CORBA::Any result_, exception_;
};

}  // namespace orbweaver::dynamic
