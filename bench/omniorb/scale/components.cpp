#include "components.h"

#include <vector>

#include "bench/harness/clock.h"
#include "bench/omniorb/setup.h"
#include "bench/scale/started_components.h"
#include "scale.hh"

namespace orbweaver::bench {
namespace {

class Starter final : public POA_Scale::Starter {
 public:
  Starter(StartedComponents& components, CORBA::ULong count) : components_(components), stages_(count) {}

  void announce(CORBA::ULong number, Scale::Stage_ptr started) override {
    if (number >= stages_.size()) return;
    stages_[number] = Scale::Stage::_duplicate(started);  // read after wait_until_announced()
    components_.announced(number);
  }
  void packet(CORBA::ULong number, const Scale::Samples&) override {
    components_.packet(number, steady_ns());
  }
  const std::vector<Scale::Stage_var>& stages() const { return stages_; }

 private:
  StartedComponents& components_;
  std::vector<Scale::Stage_var> stages_;
};

class Stage final : public POA_Scale::Stage {
 public:
  Stage(CORBA::ULong number, Scale::Starter_ptr starter)
      : number_(number), starter_(Scale::Starter::_duplicate(starter)) {}
  void begin() override {
    Scale::Samples samples;
    samples.length(kFirstPacketSamples);
    for (CORBA::ULong i = 0; i < samples.length(); ++i) samples[i] = 0;
    starter_->packet(number_, samples);
  }

 private:
  const CORBA::ULong number_;
  const Scale::Starter_var starter_;
};

}  // namespace

ScaleSample start_components(const ScaleSettings& settings) {
  StartedComponents components(settings.count);
  const CORBA::ORB_var orb = tuned_orb("tcp", omniorb_endpoint("tcp"));
  Starter servant(components, settings.count);
  const Scale::Starter_var starter = activated(orb, servant);
  const CORBA::String_var ior = orb->object_to_string(starter);
  components.start(ior.in());
  components.wait_until_announced();
  for (const Scale::Stage_var& stage : servant.stages()) stage->begin();
  components.wait_for_packets();
  const ScaleSample sample = components.sample();
  orb->destroy();  // before the servant is destroyed, which it still refers to
  return sample;
}

void run_component(const ScaleComponent& side) {
  const CORBA::ORB_var orb = tuned_orb("tcp", omniorb_endpoint("tcp"));
  const CORBA::Object_var object = orb->string_to_object(side.starter.c_str());
  const Scale::Starter_var starter = Scale::Starter::_narrow(object);
  if (CORBA::is_nil(starter)) throw std::runtime_error("the reference is not of type Scale::Starter");
  Stage servant(side.number, starter);
  const Scale::Stage_var stage = activated(orb, servant);
  starter->announce(side.number, stage);
  orb->run();
}

}  // namespace orbweaver::bench
