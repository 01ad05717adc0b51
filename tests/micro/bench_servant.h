#pragma once

#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <mutex>
#include <stdexcept>
#include <string>

#include "workshopS.h"

/// The servant of the tests. This header is compiled for the micro library and for the full one.
class BenchServant final : public virtual CORBA::servant_traits<MicroTest::Bench>::base_type {
 public:
  BenchServant(CORBA::object_reference<CORBA::ORB> orb, std::string name)
      : orb_(std::move(orb)), name_(std::move(name)) {}

  std::string name() override { return name_; }
  std::int32_t value() override { return value_; }
  void value(std::int32_t v) override { value_ = v; }
  MicroTest::Record echo_record(const MicroTest::Record& data) override { return data; }
  MicroTest::Octets echo_octets(const MicroTest::Octets& data) override { return data; }
  MicroTest::Shape echo_shape(const MicroTest::Shape& data) override { return data; }
  std::wstring echo_wide(const std::wstring& text) override { return text; }
  double sum(std::uint8_t, orbweaver::span<const double> data) override {
    double total = 0;
    for (const double each : data) total += each;
    return total;
  }
  std::string exchange(std::string& left, std::string& right) override {
    std::swap(left, right);
    return right + left;
  }
  std::int32_t divide(std::int32_t dividend, std::int32_t divisor, std::int32_t& remainder) override {
    if (dividend < 0) throw MicroTest::Busy();
    if (divisor == 0) throw MicroTest::Refused("division by zero", dividend);
    remainder = dividend % divisor;
    return dividend / divisor;
  }
  void raise_bad_param(std::uint32_t minor_code) override {
    throw CORBA::BAD_PARAM(minor_code, CORBA::CompletionStatus::COMPLETED_YES);
  }
  void raise_something_else() override { throw std::runtime_error("not of CORBA"); }
  IDL::traits<MicroTest::Bench>::ref_type itself() override { return _this(); }
  CORBA::object_reference<CORBA::Object> as_object() override { return _this(); }
  IDL::traits<MicroTest::Named>::ref_type none() override { return nullptr; }
  std::int32_t tell(IDL::traits<MicroTest::Listener>::ref_type who, std::int32_t depth) override {
    return who->heard(depth);
  }
  std::string name_of(IDL::traits<MicroTest::Named>::ref_type who) override { return who->name(); }
  void note(const std::string& text) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    notes_.push_back(text);
  }
  MicroTest::Names notes() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return notes_;
  }
  IDL::traits<MicroTest::Bench>::ref_type make_temporary() override {
    temporary_ = CORBA::make_reference<BenchServant>(orb_, "temporary");
    return temporary_->_this();
  }
  void remove_temporary() override {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    poa->deactivate_object(poa->servant_to_id(temporary_));
    temporary_ = nullptr;
  }
  void stop() override { orb_->shutdown(false); }

 private:
  const CORBA::object_reference<CORBA::ORB> orb_;
  const std::string name_;
  std::int32_t value_ = 0;
  std::mutex mutex_;
  MicroTest::Names notes_;
  CORBA::object_reference<BenchServant> temporary_;
};
