#pragma once

#include <orbweaver/loan.h>
#include <orbweaver/poa.h>

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "stagesS.h"

namespace blocktest {

using StageRef = IDL::traits<Blocks::Stage>::ref_type;

/// Servant of Blocks::Stage.
class StageServant final : public virtual CORBA::servant_traits<Blocks::Stage>::base_type {
 public:
  void push(orbweaver::span<const double> samples) override {
    sum_ = std::accumulate(samples.begin(), samples.end(), 0.0);
    in_block_ = !orbweaver::hold(samples).is_copy();
  }
  void push_octets(orbweaver::span<const std::uint8_t> octets) override {
    sum_ = std::accumulate(octets.begin(), octets.end(), 0.0);
    in_block_ = !orbweaver::hold(octets).is_copy();
  }
  void push_points(orbweaver::span<const Blocks::Point> points) override {
    sum_ = 0;
    for (const Blocks::Point& point : points) sum_ += point.x() + point.y();
    in_block_ = !orbweaver::hold(points).is_copy();
  }
  double sum(orbweaver::span<const double> samples) override {
    return std::accumulate(samples.begin(), samples.end(), 0.0);
  }
  void keep(orbweaver::span<const double> samples) override {
    orbweaver::HeldView<double> held = orbweaver::hold(samples);
    if (next_) next_->keep(held.view());
    swap_kept(std::move(held));
  }
  void set_next(StageRef next) override { next_ = next; }
  void lend_to(StageRef next, std::uint32_t count, double value) override {
    auto block = orbweaver::loan<double>(count);
    std::fill(block.begin(), block.end(), value);
    next->keep(block.view());
  }
  bool keep_another(orbweaver::span<const double> samples) override {
    all_.push_back(orbweaver::hold(samples));
    return all_.back().is_copy();
  }
  void note(orbweaver::span<const double> samples) override {
    handled_ends_ += !samples.empty() && samples[0] == 1;
  }
  std::uint32_t echo(std::uint32_t n) override { return n; }
  std::uint32_t noted() override { return handled_ends_; }
  void drop_kept() override {
    swap_kept({});
    all_.clear();
  }
  double kept_sum() override {
    const auto held = kept();
    return std::accumulate(held.view().begin(), held.view().end(), 0.0);
  }
  bool kept_is_copy() override { return kept().is_copy(); }
  double pushed_sum() override { return sum_; }
  bool pushed_in_block() override { return in_block_; }

 private:
  /// Replaces the held view. The old one is released after the lock, because its block may then be lent to
  /// this stage again over another connection.
  void swap_kept(orbweaver::HeldView<double> held) {
    const std::lock_guard lock(mutex_);
    std::swap(kept_, held);
  }
  orbweaver::HeldView<double> kept() {
    const std::lock_guard lock(mutex_);
    return kept_;
  }

  std::mutex mutex_;  // guards kept_
  orbweaver::HeldView<double> kept_;
  std::vector<orbweaver::HeldView<double>> all_;
  std::uint32_t handled_ends_ = 0;
  StageRef next_;
  double sum_ = 0;
  bool in_block_ = false;
};

}  // namespace blocktest
