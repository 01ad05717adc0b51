// A starting point made by orbweaver-idl; it is yours to edit.
#pragma once

#include "radioS.h"

namespace Radio {

class Listener_impl final : public virtual ::CORBA::servant_traits<::Radio::Listener>::base_type {
 public:
  void push(::orbweaver::span<const float> data) override;
};

}  // namespace Radio

namespace Radio {

class Tuner_impl final : public virtual ::CORBA::servant_traits<::Radio::Tuner>::base_type {
 public:
  ::Radio::Channel now() override;
  std::uint16_t gain() override;
  void gain(std::uint16_t _value) override;
  ::Radio::Channel tune(const ::Radio::Channel& to, ::Radio::Setting& how, std::uint32_t& settled) override;
  void listen(::IDL::traits<::Radio::Listener>::ref_type who) override;
};

}  // namespace Radio

