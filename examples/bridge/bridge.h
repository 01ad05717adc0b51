#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <orbweaver/dynamic.h>
#include <orbweaver/dynamic_servant.h>

/// What a bridge knows of an operation.
struct Signature {
  struct Parameter {
    std::string name;
    CORBA::Flags mode = CORBA::ARG_IN;
    CORBA::typecode_reference type;
  };

  CORBA::typecode_reference result = CORBA::_tc_void;
  std::vector<Parameter> parameters = {};
  std::vector<CORBA::typecode_reference> exceptions = {};
  bool oneway = false;
};

/// A servant that forwards each call to another object (CORBA 3.3 part 2, 8: a request-level bridge). It has
/// no stubs and skeletons: `find` returns the signature of an operation, null if there is none. References
/// are passed on as they are. Any thread.
class Bridge final : public PortableServer::DynamicImplementation {
 public:
  using Find = std::function<const Signature*(const std::string& operation)>;

  Bridge(IDL::traits<CORBA::Object>::ref_type target, std::string interface, Find find)
      : target_(std::move(target)), interface_(std::move(interface)), find_(std::move(find)) {}

  void invoke(const IDL::traits<CORBA::ServerRequest>::ref_type& request) override {
    const Signature* const signature = find_(request->operation());
    if (signature == nullptr)
      throw CORBA::BAD_OPERATION(0, CORBA::CompletionStatus::COMPLETED_NO,
                                 "no operation " + request->operation());
    // One list for both calls: the client's arguments are those of the target, and the target's results those
    // of the client.
    auto arguments = CORBA::make_reference<CORBA::NVList>();
    for (const auto& each : signature->parameters) arguments->add_item(each.name, each.mode)->type(each.type);
    request->arguments(arguments);
    auto call = orbweaver::create_request(target_, nullptr, request->operation(), arguments, nullptr);
    if (signature->oneway) return call->send_oneway();
    call->set_return_type(signature->result);
    for (const auto& each : signature->exceptions) call->exceptions()->add(each);
    call->invoke();  // the client gets the exceptions of the target
    if (signature->result->kind() != CORBA::TCKind::tk_void) request->set_result(call->return_value());
  }

  std::string _primary_interface(const PortableServer::ObjectId&,
                                 const IDL::traits<PortableServer::POA>::ref_type&) override {
    return interface_;
  }
  bool _is_a(const std::string& repository_id) override { return target_->_is_a(repository_id); }
  bool _non_existent() override { return target_->_non_existent(); }

 private:
  const IDL::traits<CORBA::Object>::ref_type target_;
  const std::string interface_;
  const Find find_;
};
