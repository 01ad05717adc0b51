#include "stage.h"

#include <utility>

namespace orbweaver::bench {
namespace {

/// Time for which a stage waits for a missing packet: longer than a thread of a busy machine is delayed.
constexpr std::int64_t kSkipAfter_ms = 10'000;

}  // namespace

Stage::Stage(const PipelineSettings& settings, StageRef next) : settings_(settings), next_(std::move(next)) {
  const auto process_stored = [this](StoredPacket& packet) { process(packet.number, packet.samples.view()); };
  if (settings.mode == PipelineMode::twoway_thread)
    threaded_.emplace("stage", streams::QueueLimits{settings.queue}, process_stored);
  if (settings.mode == PipelineMode::stamped)
    stamped_.emplace("stage", streams::StampedPortOptions{settings.queue, kSkipAfter_ms, 0}, process_stored);
  if (settings.mode == PipelineMode::ordered)
    ordered_.emplace("stage", [this](PacketView& packet) { process(packet.number, packet.samples); });
}

void Stage::push(std::uint32_t number, span<const double> samples) {
  recorder_.arrive(number);
  if (stamped_) {
    if (!stamped_->push(number, {number, hold(samples)})) throw CORBA::TRANSIENT();
  } else if (ordered_) {
    if (!ordered_->push(number, {number, samples})) throw CORBA::TRANSIENT();
  } else {
    process(number, samples);
  }
}

void Stage::transfer(std::uint32_t number, span<const double> samples) {
  recorder_.arrive(number);
  if (!threaded_) return process(number, samples);
  if (!threaded_->push({number, hold(samples)}, samples.size_bytes())) throw CORBA::TRANSIENT();
}

void Stage::process(std::uint32_t number, span<const double> samples) {
  recorder_.work_on(settings_, number, samples.data(), samples.size());
  if (next_) pass_on(number, samples);
  recorder_.leave();
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
  if (threaded_) threaded_->finish();
  if (stamped_) stamped_->finish();
  if (ordered_) ordered_->finish();
  const StageRecorder::Totals totals = recorder_.totals();
  ::Pipeline::Reports reports;
  reports.emplace_back(totals.processed.received, totals.processed.reordered, totals.arrived.reordered,
                       totals.processed.duplicates, totals.corrupt, totals.last_ns);
  if (next_)
    for (::Pipeline::Report& report : next_->end(passed_on_)) reports.push_back(std::move(report));
  return reports;
}

}  // namespace orbweaver::bench
