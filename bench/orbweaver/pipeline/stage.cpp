#include "stage.h"

#include <utility>

namespace orbweaver::bench {
namespace {

/// Time for which a stage waits for a missing packet: longer than a thread of a busy machine is delayed.
constexpr std::chrono::seconds kSkipAfter{10};

}  // namespace

Stage::Stage(const PipelineSettings& settings, StageRef next) : settings_(settings), next_(std::move(next)) {
  const auto process_stored = [this](StoredPacket& packet) { process(packet.number, packet.samples.view()); };
  if (settings.mode == PipelineMode::twoway_thread && next_)
    output_.emplace("stage output", streams::QueueLimits{settings.queue}, [this](WorkedPacket& worked) {
      pass_on(worked.packet.number, worked.packet.samples.view());
      recorder_.leave(worked.worked_ns);
    });
  if (settings.mode == PipelineMode::twoway_thread)
    queued_.emplace("stage", streams::QueueLimits{settings.queue},
                    [this](StoredPacket& packet) { process_queued(packet); });
  if (settings.mode == PipelineMode::stamped)
    reordering_.emplace("stage", streams::ReorderOptions{settings.queue, streams::kUnlimited, kSkipAfter},
                        process_stored);
  if (settings.mode == PipelineMode::ordered)
    upcall_.emplace("stage", [this](PacketView& packet) { process(packet.number, packet.samples); });
}

void Stage::push(std::uint32_t number, span<const double> samples) {
  recorder_.arrive(number);
  if (reordering_) {
    raise_if_rejected(reordering_->push(number, {number, hold(samples)}, samples.size_bytes()));
  } else if (upcall_) {
    raise_if_rejected(upcall_->push(number, {number, samples}));
  } else {
    process(number, samples);
  }
}

void Stage::transfer(std::uint32_t number, span<const double> samples) {
  recorder_.arrive(number);
  if (!queued_) return process(number, samples);
  raise_if_rejected(queued_->push({number, hold(samples)}, samples.size_bytes()));
}

void Stage::process(std::uint32_t number, span<const double> samples) {
  const std::int64_t worked_ns = recorder_.work_on(settings_, number, samples.data(), samples.size());
  if (next_) pass_on(number, samples);
  recorder_.leave(worked_ns);
}

/// Works on a packet in the thread of the input port. The output port makes the two-way call to the next
/// stage during the work on the next packet.
void Stage::process_queued(StoredPacket& packet) {
  const span<const double> samples = packet.samples.view();
  if (!output_) return process(packet.number, samples);
  const std::int64_t worked_ns = recorder_.work_on(settings_, packet.number, samples.data(), samples.size());
  raise_if_rejected(output_->push({std::move(packet), worked_ns}, samples.size_bytes()));
}

void Stage::pass_on(std::uint32_t number, span<const double> samples) {
  if (settings_.mode == PipelineMode::twoway || settings_.mode == PipelineMode::twoway_thread)
    next_->transfer(number, samples);
  else
    next_->push(number, samples);
  ++passed_on_;
}

::Pipeline::Reports Stage::end(std::uint32_t packets) {
  // Otherwise this call is dispatched behind all packets that have not been lost.
  if (is_unordered(settings_.mode)) recorder_.wait_for(packets);
  if (queued_) queued_->finish();
  if (output_) output_->finish();
  if (reordering_) reordering_->finish();
  if (upcall_) upcall_->finish();
  const StageRecorder::Totals totals = recorder_.totals();
  ::Pipeline::Reports reports;
  reports.emplace_back(totals.processed.received, totals.processed.reordered, totals.arrived.reordered,
                       totals.processed.duplicates, totals.corrupt, totals.overhead.late_us,
                       totals.overhead.between_us, totals.overhead.pass_on_us, totals.last_ns);
  if (next_)
    for (::Pipeline::Report& report : next_->end(passed_on_)) reports.push_back(std::move(report));
  return reports;
}

}  // namespace orbweaver::bench
