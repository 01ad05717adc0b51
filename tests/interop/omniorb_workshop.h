// The workshop servant for omniORB: reference behaviour of every operation.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "interop.hh"

namespace interop {

class OmniOrbWorkshop : public POA_Interop::Workshop, public PortableServer::RefCountServantBase {
 public:
  explicit OmniOrbWorkshop(std::string name) : name_(std::move(name)) {}

  char* name() override { return CORBA::string_dup(name_.c_str()); }
  CORBA::Long value() override { return value_; }
  void value(CORBA::Long v) override { value_ = v; }
  CORBA::Long add(CORBA::Long amount) override { return value_ += amount; }

  char* echo_string(const char* text) override { return CORBA::string_dup(text); }
  Interop::Octets* echo_octets(const Interop::Octets& data) override { return new Interop::Octets(data); }
  Interop::Doubles* echo_doubles(const Interop::Doubles& data) override { return new Interop::Doubles(data); }
  Interop::Names* echo_names(const Interop::Names& data) override { return new Interop::Names(data); }
  Interop::Record* echo_record(const Interop::Record& data) override { return new Interop::Record(data); }
  Interop::Records* echo_records(const Interop::Records& data) override { return new Interop::Records(data); }
  Interop::Grid_slice* echo_grid(const Interop::Grid data) override { return Interop::Grid_dup(data); }

  CORBA::Long divide(CORBA::Long dividend, CORBA::Long divisor, CORBA::Long& remainder) override;
  void exchange(char*& left, char*& right, CORBA::String_out together) override;
  Interop::Track* mirror(const Interop::Track& data, CORBA::ULong& points) override;

  void refuse(const char* reason, CORBA::Long code) override;
  void be_busy() override { throw Interop::Busy(); }
  void raise_bad_param(CORBA::ULong minor_code) override {
    throw CORBA::BAD_PARAM(minor_code, CORBA::COMPLETED_YES);
  }
  void raise_something_else() override { throw 42; }

  Interop::Workshop_ptr itself() override { return _this(); }
  Interop::Workshop_ptr open_branch(const char* name) override;
  Interop::Named_ptr as_named() override { return _this(); }
  CORBA::Object_ptr as_object() override { return _this(); }
  Interop::Workshop_ptr none() override { return Interop::Workshop::_nil(); }
  Interop::Workshop_ptr moved() override;
  char* name_of(Interop::Named_ptr who) override { return who->name(); }
  CORBA::Boolean is_nil_object(CORBA::Object_ptr who) override { return CORBA::is_nil(who); }

  CORBA::Any* remake(const CORBA::Any& data) override;
  CORBA::TypeCode_ptr type_of(const CORBA::Any& data) override { return data.type(); }
  CORBA::TypeCode_ptr echo_type(CORBA::TypeCode_ptr type) override {
    return CORBA::TypeCode::_duplicate(type);
  }

  void note(const char* text) override;
  Interop::Names* notes() override;

  CORBA::Object_ptr types() override;

 private:
  const std::string name_;
  CORBA::Long value_ = 0;
  std::mutex mutex_;
  std::vector<std::string> notes_;
};

/// The workshop that the test program calls. Defined by the test program.
Interop::Workshop_ptr workshop_under_test();

}  // namespace interop
