#include "radio_impl.h"

namespace Radio {

void Listener_impl::push(::orbweaver::span<const float> /*data*/) {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Listener::push is not written yet");
}

}  // namespace Radio

namespace Radio {

::Radio::Channel Tuner_impl::now() {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Tuner::_get_now is not written yet");
}

std::uint16_t Tuner_impl::gain() {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Tuner::_get_gain is not written yet");
}

void Tuner_impl::gain(std::uint16_t /*_value*/) {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Tuner::_set_gain is not written yet");
}

::Radio::Channel Tuner_impl::tune(const ::Radio::Channel& /*to*/, ::Radio::Setting& /*how*/,
                                  std::uint32_t& /*settled*/) {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Tuner::tune is not written yet");
}

void Tuner_impl::listen(::IDL::traits<::Radio::Listener>::ref_type /*who*/) {
  throw ::CORBA::NO_IMPLEMENT(0, ::CORBA::CompletionStatus::COMPLETED_NO, "Radio::Tuner::listen is not written yet");
}

}  // namespace Radio
