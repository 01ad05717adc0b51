// The workshop servant for Orbweaver, in the IDL to C++11 mapping.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "interopS.h"

namespace interop {

class OrbweaverWorkshop : public virtual CORBA::servant_traits<Interop::Workshop>::base_type {
 public:
  using WorkshopRef = IDL::traits<Interop::Workshop>::ref_type;
  using NamedRef = IDL::traits<Interop::Named>::ref_type;
  using ObjectRef = IDL::traits<CORBA::Object>::ref_type;

  explicit OrbweaverWorkshop(std::string name) : name_(std::move(name)) {}

  std::string name() override { return name_; }
  std::int32_t value() override { return value_; }
  void value(std::int32_t v) override { value_ = v; }
  std::int32_t add(std::int32_t amount) override { return value_ += amount; }

  std::string echo_string(const std::string& text) override { return text; }
  Interop::Octets echo_octets(const Interop::Octets& data) override { return data; }
  Interop::Doubles echo_doubles(const Interop::Doubles& data) override { return data; }
  Interop::Names echo_names(const Interop::Names& data) override { return data; }
  Interop::Record echo_record(const Interop::Record& data) override { return data; }
  Interop::Records echo_records(const Interop::Records& data) override { return data; }
  Interop::Grid echo_grid(const Interop::Grid& data) override { return data; }

  std::int32_t divide(std::int32_t dividend, std::int32_t divisor, std::int32_t& remainder) override;
  void exchange(std::string& left, std::string& right, std::string& together) override;
  Interop::Track mirror(const Interop::Track& data, std::uint32_t& points) override;

  void refuse(const std::string& reason, std::int32_t code) override {
    throw Interop::Refused(reason, code, Interop::Doubles());
  }
  void be_busy() override { throw Interop::Busy(); }
  void raise_bad_param(std::uint32_t minor_code) override {
    throw CORBA::BAD_PARAM(minor_code, CORBA::CompletionStatus::COMPLETED_YES);
  }
  void raise_something_else() override { throw 42; }

  WorkshopRef itself() override { return _this(); }
  WorkshopRef open_branch(const std::string& name) override;
  NamedRef as_named() override { return _this(); }
  ObjectRef as_object() override { return _this(); }
  WorkshopRef none() override { return nullptr; }
  WorkshopRef moved() override;
  std::string name_of(NamedRef who) override { return who->name(); }
  bool is_nil_object(ObjectRef who) override { return !who; }

  CORBA::Any remake(const CORBA::Any& data) override;
  CORBA::typecode_reference type_of(const CORBA::Any& data) override { return data.type(); }
  CORBA::typecode_reference echo_type(CORBA::typecode_reference type) override { return type; }

  void note(const std::string& text) override;
  Interop::Names notes() override;

  ObjectRef types() override;

 private:
  const std::string name_;
  std::atomic<std::int32_t> value_ = 0;
  std::mutex mutex_;
  Interop::Names notes_;
};

/// The workshop that the test program calls. Defined by the test program.
OrbweaverWorkshop::WorkshopRef workshop_under_test();

}  // namespace interop
