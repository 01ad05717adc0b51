#pragma once

#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "workshop.hh"

/// The servant of the tests, for omniORB: as bench_servant.h.
class OmniOrbBench final : public virtual POA_MicroTest::Bench, public PortableServer::RefCountServantBase {
 public:
  OmniOrbBench(CORBA::ORB_ptr orb, std::string name)
      : orb_(CORBA::ORB::_duplicate(orb)), name_(std::move(name)) {}

  char* name() override { return CORBA::string_dup(name_.c_str()); }
  CORBA::Long value() override { return value_; }
  void value(CORBA::Long v) override { value_ = v; }
  MicroTest::Record* echo_record(const MicroTest::Record& data) override {
    return new MicroTest::Record(data);
  }
  MicroTest::Octets* echo_octets(const MicroTest::Octets& data) override {
    return new MicroTest::Octets(data);
  }
  MicroTest::Shape* echo_shape(const MicroTest::Shape& data) override { return new MicroTest::Shape(data); }
  CORBA::WChar* echo_wide(const CORBA::WChar* text) override { return CORBA::wstring_dup(text); }
  CORBA::Double sum(CORBA::Octet, const MicroTest::Doubles& data) override {
    CORBA::Double total = 0;
    for (CORBA::ULong i = 0; i < data.length(); ++i) total += data[i];
    return total;
  }
  char* exchange(char*& left, char*& right) override {
    std::swap(left, right);
    return CORBA::string_dup((std::string(right) + left).c_str());
  }
  CORBA::Long divide(CORBA::Long dividend, CORBA::Long divisor, CORBA::Long& remainder) override {
    if (dividend < 0) throw MicroTest::Busy();
    if (divisor == 0) throw MicroTest::Refused("division by zero", dividend);
    remainder = dividend % divisor;
    return dividend / divisor;
  }
  void raise_bad_param(CORBA::ULong minor_code) override {
    throw CORBA::BAD_PARAM(minor_code, CORBA::COMPLETED_YES);
  }
  void raise_something_else() override { throw std::runtime_error("not of CORBA"); }
  MicroTest::Bench_ptr itself() override { return _this(); }
  CORBA::Object_ptr as_object() override { return _this(); }
  MicroTest::Named_ptr none() override { return MicroTest::Named::_nil(); }
  CORBA::Long tell(MicroTest::Listener_ptr who, CORBA::Long depth) override { return who->heard(depth); }
  char* name_of(MicroTest::Named_ptr who) override { return who->name(); }
  void note(const char* text) override {
    const std::lock_guard lock(mutex_);
    notes_.length(notes_.length() + 1);
    notes_[notes_.length() - 1] = text;
  }
  MicroTest::Names* notes() override {
    const std::lock_guard lock(mutex_);
    return new MicroTest::Names(notes_);
  }
  MicroTest::Bench_ptr make_temporary() override {
    temporary_ = new OmniOrbBench(orb_, "temporary");
    return temporary_->_this();
  }
  void remove_temporary() override {
    const PortableServer::POA_var poa = temporary_->_default_POA();
    const PortableServer::ObjectId_var id = poa->servant_to_id(temporary_);
    poa->deactivate_object(id);
    temporary_->_remove_ref();
    temporary_ = nullptr;
  }
  void stop() override { orb_->shutdown(false); }

 private:
  const CORBA::ORB_var orb_;
  const std::string name_;
  CORBA::Long value_ = 0;
  std::mutex mutex_;
  MicroTest::Names notes_;
  OmniOrbBench* temporary_ = nullptr;
};

/// Resolves the root POA and activates its manager.
inline PortableServer::POA_ptr active_root_poa(CORBA::ORB_ptr orb) {
  const CORBA::Object_var object = orb->resolve_initial_references("RootPOA");
  PortableServer::POA_var poa = PortableServer::POA::_narrow(object);
  const PortableServer::POAManager_var manager = poa->the_POAManager();
  manager->activate();
  return poa._retn();
}
