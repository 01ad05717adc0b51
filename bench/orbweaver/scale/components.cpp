#include "components.h"

#include <mutex>
#include <vector>

#include "bench/harness/clock.h"
#include "bench/orbweaver/setup.h"
#include "bench/scale/started_components.h"
#include "scaleS.h"

namespace orbweaver::bench {
namespace {

using StageRef = IDL::traits<Scale::Stage>::ref_type;
using StarterRef = IDL::traits<Scale::Starter>::ref_type;

class Starter final : public virtual CORBA::servant_traits<Scale::Starter>::base_type {
 public:
  explicit Starter(StartedComponents& components, std::uint32_t count)
      : components_(components), stages_(count) {}

  void announce(std::uint32_t number, StageRef started) override {
    if (number >= stages_.size()) return;
    stages_[number] = std::move(started);  // read after wait_until_announced()
    components_.announced(number);
  }
  void packet(std::uint32_t number, const Scale::Samples&) override {
    components_.packet(number, steady_ns());
  }
  const std::vector<StageRef>& stages() const { return stages_; }

 private:
  StartedComponents& components_;
  std::vector<StageRef> stages_;
};

class Stage final : public virtual CORBA::servant_traits<Scale::Stage>::base_type {
 public:
  Stage(std::uint32_t number, StarterRef starter) : number_(number), starter_(std::move(starter)) {}
  void begin() override { starter_->packet(number_, Scale::Samples(kFirstPacketSamples)); }

 private:
  const std::uint32_t number_;
  const StarterRef starter_;
};

}  // namespace

ScaleSample start_components(const ScaleSettings& settings) {
  StartedComponents components(settings.count);
  const OrbRef orb = orb_over("tcp", {"-ORBWait", "block"});
  const auto starter = CORBA::make_reference<Starter>(components, settings.count);
  active_root_poa(orb);
  components.start(orb->object_to_string(starter->_this()));
  components.wait_until_announced();
  for (const StageRef& stage : starter->stages()) stage->begin();
  components.wait_for_packets();
  const ScaleSample sample = components.sample();
  orb->destroy();
  return sample;
}

void run_component(const ScaleComponent& side) {
  const OrbRef orb = orb_over("tcp", {"-ORBWait", "block"});
  const auto starter = IDL::traits<Scale::Starter>::narrow(orb->string_to_object(side.starter));
  if (!starter) throw std::runtime_error("the reference is not of type Scale::Starter");
  const auto stage = CORBA::make_reference<Stage>(side.number, starter);
  active_root_poa(orb);
  starter->announce(side.number, stage->_this());
  orb->run();
}

}  // namespace orbweaver::bench
