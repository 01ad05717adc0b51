#pragma once

#include <map>
#include <mutex>
#include <sstream>
#include <string>

#include "anysS.h"

namespace orbtest {

using AnysRef = IDL::traits<OrbTest::Anys>::ref_type;

/// A servant that takes, stores and returns anys as arguments, results, attributes, members and in
/// exceptions.
class AnysServant final : public virtual CORBA::servant_traits<OrbTest::Anys>::base_type {
 public:
  CORBA::Any held() override {
    const std::lock_guard lock(mutex_);
    return held_;
  }
  void held(const CORBA::Any& any) override {
    const std::lock_guard lock(mutex_);
    held_ = any;
  }
  void hold(const CORBA::Any& any) override { held(any); }
  CORBA::typecode_reference type_held() override { return held().type(); }
  CORBA::Any turn(const CORBA::Any& a, CORBA::Any& b, CORBA::typecode_reference& type_of_a) override {
    type_of_a = a.type();
    CORBA::Any was = b;
    b = a;
    return was;
  }
  OrbTest::Values reversed(const OrbTest::Values& several) override {
    return {several.rbegin(), several.rend()};
  }
  OrbTest::Branch same(const OrbTest::Branch& tree, OrbTest::Either& which) override {
    if (which._d()) which.described(which.one().type());
    return tree;
  }
  std::map<std::string, CORBA::Any> by_type(const OrbTest::Values& several) override {
    std::map<std::string, CORBA::Any> out;
    for (const CORBA::Any& any : several) {
      std::ostringstream name;
      name << any.type();
      out[name.str()] = any;
    }
    return out;
  }
  void refuse(const CORBA::Any& a) override { throw OrbTest::Odd(a, a.type()); }

 private:
  std::mutex mutex_;
  CORBA::Any held_;
};

}  // namespace orbtest
