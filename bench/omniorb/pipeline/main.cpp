// omniORB's stages and producer of `orbweaver bench pipeline`, over TCP: one-way and two-way calls with a
// thread for each connection, and one-way calls with its thread pool, which dispatches in any order.
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/omniorb/setup.h"
#include "bench/pipeline/stage_recorder.h"
#include "bench/pipeline/subject.h"
#include "bench/pipeline/work.h"
#include "pipeline.hh"

namespace {

using namespace orbweaver::bench;

class Stage final : public POA_Pipeline::Stage {
 public:
  /// `next`: nil for the last stage.
  Stage(const PipelineSettings& settings, Pipeline::Stage_ptr next)
      : settings_(settings), next_(Pipeline::Stage::_duplicate(next)) {}

  void push(CORBA::ULong number, const Pipeline::Samples& data) override { process(number, data); }
  void transfer(CORBA::ULong number, const Pipeline::Samples& data) override { process(number, data); }

  Pipeline::Reports* end(CORBA::ULong packets) override {
    if (is_unordered(settings_.mode)) recorder_.wait_for(packets);
    const StageRecorder::Totals totals = recorder_.totals();
    Pipeline::Reports_var reports = CORBA::is_nil(next_) ? new Pipeline::Reports : next_->end(passed_on_);
    const CORBA::ULong following = reports->length();
    reports->length(following + 1);
    for (CORBA::ULong i = following; i > 0; --i) reports[i] = reports[i - 1];
    reports[0] = {totals.processed.received,
                  totals.processed.reordered,
                  totals.arrived.reordered,
                  totals.processed.duplicates,
                  totals.corrupt,
                  totals.overhead.late_us,
                  totals.overhead.between_us,
                  totals.overhead.pass_on_us,
                  totals.last_ns};
    return reports._retn();
  }

 private:
  void process(CORBA::ULong number, const Pipeline::Samples& data) {
    recorder_.arrive(number);
    const std::int64_t worked_ns = recorder_.work_on(settings_, number, data.get_buffer(), data.length());
    if (!CORBA::is_nil(next_)) {
      settings_.mode == PipelineMode::twoway ? next_->transfer(number, data) : next_->push(number, data);
      ++passed_on_;
    }
    recorder_.leave(worked_ns);
  }

  const PipelineSettings settings_;
  const Pipeline::Stage_var next_;
  StageRecorder recorder_;
  std::atomic<CORBA::ULong> passed_on_{0};
};

CORBA::ORB_var orb_for(const PipelineSettings& settings) {
  return tuned_orb("tcp", omniorb_endpoint("tcp"), is_unordered(settings.mode) ? settings.threads : 0);
}

Pipeline::Stage_ptr stage_at(CORBA::ORB_ptr orb, const std::string& address) {
  if (address.empty()) return Pipeline::Stage::_nil();
  const CORBA::Object_var object = orb->string_to_object(address.c_str());
  Pipeline::Stage_ptr stage = Pipeline::Stage::_narrow(object);
  if (CORBA::is_nil(stage) || stage->_non_existent())
    throw std::runtime_error("there is no stage at the address");
  return stage;
}

void serve(const PipelineSettings& settings, unsigned, const std::string& next,
           const std::function<void(const std::string&)>& ready) {
  const CORBA::ORB_var orb = orb_for(settings);
  const Pipeline::Stage_var following = stage_at(orb, next);
  Stage servant(settings, following);
  const Pipeline::Stage_var self = activated(orb, servant);
  const CORBA::String_var ior = orb->object_to_string(self);
  ready(ior.in());
  orb->run();
}

std::vector<StageResult> results(const Pipeline::Reports& reports, std::int64_t start_ns) {
  std::vector<StageResult> stages;
  for (CORBA::ULong i = 0; i < reports.length(); ++i) {
    const Pipeline::Report& report = reports[i];
    const double last_ms = static_cast<double>(report.last_ns - start_ns) / 1e6;
    stages.push_back({last_ms,
                      report.received,
                      report.reordered,
                      report.reordered_on_arrival,
                      report.duplicates,
                      report.corrupt,
                      {report.late_us, report.between_us, report.pass_on_us}});
  }
  return stages;
}

PipelineResult produce(const PipelineSettings& settings, const std::string& next) {
  const CORBA::ORB_var orb = orb_for(settings);
  std::vector<std::unique_ptr<Stage>> own;
  Pipeline::Stage_var first = stage_at(orb, next);
  for (unsigned i = 0; settings.collocated && i < settings.stages; ++i) {
    own.push_back(std::make_unique<Stage>(settings, first));
    first = activated(orb, *own.back());
  }
  const Sends sends = send_packets(settings, [&](std::uint32_t number, const std::vector<double>& samples) {
    const Pipeline::Samples view(kPacketSamples, kPacketSamples, const_cast<double*>(samples.data()), false);
    settings.mode == PipelineMode::twoway ? first->transfer(number, view) : first->push(number, view);
  });
  const std::uint64_t peak_kib = peak_memory_kib();
  const Pipeline::Reports_var reports = first->end(settings.packets);
  PipelineResult result{settings, results(reports, sends.start_ns), sends.send_us, peak_kib};
  orb->destroy();
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return pipeline_subject_main(argc, argv, {translated(serve), translated(produce)});
}
