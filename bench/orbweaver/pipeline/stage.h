// A stage of the pipeline in the IDL to C++11 mapping.
#pragma once

#include <orbweaver/loan.h>
#include <orbweaver/streams/queued_port.h>
#include <orbweaver/streams/reordering_port.h>
#include <orbweaver/streams/upcall_port.h>

#include <atomic>
#include <optional>

#include "bench/pipeline/settings.h"
#include "bench/pipeline/stage_recorder.h"
#include "pipelineS.h"

namespace orbweaver::bench {

using StageRef = IDL::traits<::Pipeline::Stage>::ref_type;

/// A packet that outlives its upcall.
struct StoredPacket {
  std::uint32_t number = 0;
  HeldView<double> samples;
};
/// A packet whose work has ended, for the thread that passes it on.
struct WorkedPacket {
  StoredPacket packet;
  std::int64_t worked_ns = 0;
};
/// A packet during its upcall.
struct PacketView {
  std::uint32_t number;
  span<const double> samples;
};

/// Works on packets and passes them to the next stage, as the mode of the settings says.
class Stage final : public virtual CORBA::servant_traits<::Pipeline::Stage>::base_type {
 public:
  /// `next`: nil for the last stage.
  Stage(const PipelineSettings& settings, StageRef next);

  void push(std::uint32_t number, span<const double> samples) override;
  void transfer(std::uint32_t number, span<const double> samples) override;
  ::Pipeline::Reports end(std::uint32_t packets) override;

 private:
  void process(std::uint32_t number, span<const double> samples);
  void process_queued(StoredPacket& packet);
  void pass_on(std::uint32_t number, span<const double> samples);

  const PipelineSettings settings_;
  const StageRef next_;
  StageRecorder recorder_;
  std::atomic<std::uint32_t> passed_on_{0};
  std::optional<streams::QueuedPort<WorkedPacket>> output_;
  std::optional<streams::QueuedPort<StoredPacket>> queued_;
  std::optional<streams::ReorderingPort<StoredPacket>> reordering_;
  std::optional<streams::UpcallPort<PacketView>> upcall_;
};

}  // namespace orbweaver::bench
