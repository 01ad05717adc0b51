// The servant of a machine, and the checks that one machine makes of another.
#pragma once

#include <mutex>
#include <string>

#include "foreignS.h"

namespace foreign {

using MachineRef = IDL::traits<Foreign::Machine>::ref_type;

/// Each calls another machine and returns what was wrong; empty: nothing. Raise the exceptions of the calls.
std::string check_numbers(const MachineRef& there);
std::string check_constructed(const MachineRef& there);
std::string check_anys(const MachineRef& there);
std::string check_values(const MachineRef& there);
std::string check_exceptions(const MachineRef& there);
std::string check_views(const MachineRef& there);

class Machine final : public virtual CORBA::servant_traits<Foreign::Machine>::base_type {
 public:
  std::string kind() override;
  std::string transport() override;
  std::string text_of(const Foreign::Numbers& n) override;
  std::string text_of_choices(const Foreign::Choices& c) override;
  std::string text_of_any(const CORBA::Any& a) override;
  std::string text_of_node(IDL::traits<Foreign::Node>::ref_type n) override;
  Foreign::Numbers pass(const Foreign::Numbers& a, Foreign::Numbers& b, Foreign::Numbers& c) override;
  Foreign::Choices pass_choices(const Foreign::Choices& c) override { return c; }
  Foreign::Rows pass_rows(const Foreign::Rows& r) override { return r; }
  CORBA::Any pass_any(const CORBA::Any& a) override { return a; }
  IDL::traits<Foreign::Node>::ref_type pass_node(IDL::traits<Foreign::Node>::ref_type n) override {
    return n;
  }
  void fail(std::uint64_t code, const std::string& text) override;
  double sum(orbweaver::span<const double> samples) override;
  std::int64_t sum_of(orbweaver::span<const std::int32_t> samples) override;
  void note(std::uint64_t number) override;
  Foreign::Codes notes() override;
  std::string check(MachineRef other) override;

 private:
  std::mutex mutex_;
  Foreign::Codes notes_;
};

}  // namespace foreign
