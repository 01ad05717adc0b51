// Orbweaver's stages and producer of `orbweaver bench pipeline`.
#include <orbweaver/any.h>
#include <orbweaver/messaging.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/orbweaver/setup.h"
#include "bench/pipeline/subject.h"
#include "bench/pipeline/work.h"
#include "stage.h"

namespace {

using namespace orbweaver::bench;

std::optional<Messaging::SyncScope> sync_scope(PipelineMode mode) {
  switch (mode) {
    case PipelineMode::oneway_none: return Messaging::SYNC_NONE;
    case PipelineMode::oneway_transport: return Messaging::SYNC_WITH_TRANSPORT;
    case PipelineMode::oneway_server: return Messaging::SYNC_WITH_SERVER;
    case PipelineMode::oneway_target: return Messaging::SYNC_WITH_TARGET;
    default: return std::nullopt;
  }
}

OrbRef orb_for(const PipelineSettings& settings, const std::string& id = "") {
  std::vector<std::string> options = {"-ORBWait", settings.wait};
  if (is_unordered(settings.mode))
    options.insert(options.end(), {"-ORBThreads", "unordered:" + std::to_string(settings.threads)});
  const OrbRef orb = orb_over(settings.collocated ? "inproc" : settings.transport, std::move(options), id);
  if (const auto scope = sync_scope(settings.mode)) {
    CORBA::Any value;
    value <<= *scope;
    IDL::traits<CORBA::PolicyManager>::narrow(orb->resolve_initial_references("ORBPolicyManager"))
        ->set_policy_overrides({orb->create_policy(Messaging::SYNC_SCOPE_POLICY_TYPE, value)},
                               CORBA::SetOverrideType::SET_OVERRIDE);
  }
  return orb;
}

StageRef stage_at(const OrbRef& orb, const std::string& address) {
  if (address.empty()) return nullptr;
  const StageRef stage = IDL::traits<Pipeline::Stage>::narrow(orb->string_to_object(address));
  if (!stage) throw std::runtime_error("the reference is not of type Pipeline::Stage");
  (void)stage->_non_existent();  // opens the connection: connecting is not measured
  return stage;
}

void serve(const PipelineSettings& settings, unsigned, const std::string& next,
           const std::function<void(const std::string&)>& ready) {
  const OrbRef orb = orb_for(settings);
  const auto stage = CORBA::make_reference<Stage>(settings, stage_at(orb, next));
  active_root_poa(orb);
  ready(orb->object_to_string(stage->_this()));
  orb->run();
}

/// All stages in this process. Each is called over a connection of its own: calls of one connection are
/// served one after the other. With unordered dispatch each has an ORB, added to `orbs`: the requests of one
/// stage may occupy all threads of a pool, while the stage waits for the next one.
StageRef collocated_stages(const OrbRef& orb, const PipelineSettings& settings, std::vector<OrbRef>& orbs) {
  active_root_poa(orb);
  StageRef first;
  for (unsigned i = 0; i < settings.stages; ++i) {
    if (!is_unordered(settings.mode)) {
      const StageRef stage = CORBA::make_reference<Stage>(settings, first)->_this();
      first = IDL::traits<Pipeline::Stage>::narrow(orbweaver::with_private_connection(stage));
      continue;
    }
    const OrbRef& own = orbs.emplace_back(orb_for(settings, "stage " + std::to_string(i)));
    const std::string next = first ? own->object_to_string(first) : "";
    const auto root = active_root_poa(own);
    const auto id = root->activate_object(CORBA::make_reference<Stage>(settings, stage_at(own, next)));
    first = stage_at(orb, own->object_to_string(root->id_to_reference(id)));
  }
  return first;
}

std::vector<StageResult> results(const Pipeline::Reports& reports, std::int64_t start_ns) {
  std::vector<StageResult> stages;
  for (const Pipeline::Report& report : reports) {
    const double last_ms = static_cast<double>(report.last_ns() - start_ns) / 1e6;
    stages.push_back({last_ms,
                      report.received(),
                      report.reordered(),
                      report.reordered_on_arrival(),
                      report.duplicates(),
                      report.corrupt(),
                      {report.late_us(), report.between_us(), report.pass_on_us()}});
  }
  return stages;
}

PipelineResult produce(const PipelineSettings& settings, const std::string& next) {
  const OrbRef orb = orb_for(settings);
  std::vector<OrbRef> orbs;  // of collocated stages
  const StageRef first = settings.collocated ? collocated_stages(orb, settings, orbs) : stage_at(orb, next);
  const bool two_way = settings.mode == PipelineMode::twoway || settings.mode == PipelineMode::twoway_thread;
  const Sends sends = send_packets(settings, [&](std::uint32_t number, const std::vector<double>& samples) {
    two_way ? first->transfer(number, samples) : first->push(number, samples);
  });
  const std::uint64_t peak_kib = peak_memory_kib();
  const PipelineResult result{settings, results(first->end(settings.packets), sends.start_ns), sends.send_us,
                              peak_kib};
  for (const OrbRef& own : orbs) own->destroy();
  orb->destroy();
  return result;
}

}  // namespace

int main(int argc, char** argv) { return pipeline_subject_main(argc, argv, {serve, produce}); }
