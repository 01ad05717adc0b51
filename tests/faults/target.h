#pragma once

#include <orbweaver/loan.h>
#include <orbweaver/orb.h>
#include <orbweaver/poa.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>

#include "faultsS.h"
#include "platform/memory.h"

namespace faulttest {

using TargetRef = IDL::traits<Faults::Target>::ref_type;

/// What really happened, in memory that the test and the process it kills both have: the test holds what an
/// exception says of a call against it.
struct Ledger {
  std::atomic<std::uint32_t> begun;     ///< Upcalls that were entered.
  std::atomic<std::uint32_t> finished;  ///< … and came to their end.
};

/// The ledger's page, made by the test; `path` is how a process that it starts finds it.
class LedgerPage {
 public:
  LedgerPage() : file_(orbweaver::platform::make_memory_file("orbweaver-ledger", orbweaver::platform::page_bytes()).fd) {
    map();
  }
  explicit LedgerPage(orbweaver::platform::Fd file) : file_(std::move(file)) { map(); }
  Ledger& operator*() const noexcept { return *reinterpret_cast<Ledger*>(page_.data()); }
  Ledger* operator->() const noexcept { return &**this; }
  std::string path() const;

 private:
  void map() {
    auto mapped = orbweaver::platform::map_shared(file_, {{0, orbweaver::platform::page_bytes(), 1}});
    if (!mapped) throw std::runtime_error("no ledger");
    page_ = std::move(mapped.mapping);
  }
  orbweaver::platform::Fd file_;
  orbweaver::platform::Mapping page_;
};

/// Counts what it is asked.
class TargetServant final : public virtual CORBA::servant_traits<Faults::Target>::base_type {
 public:
  explicit TargetServant(Ledger& ledger) : ledger_(ledger) {}

  std::int32_t twice(std::int32_t n) override {
    const Counted counted(ledger_);
    return 2 * n;
  }
  void note(std::int32_t) override { const Counted counted(ledger_); }
  void put(const Faults::Octets&) override { const Counted counted(ledger_); }
  Faults::Octets echo(const Faults::Octets& data) override {
    const Counted counted(ledger_);
    return data;
  }
  void keep(orbweaver::span<const double> samples) override {
    const Counted counted(ledger_);
    kept_ = orbweaver::hold(samples);
  }
  double kept_sum() override {
    const Counted counted(ledger_);
    return sum_of_kept();
  }
  void drop() override {
    const Counted counted(ledger_);
    drop_kept();
  }

  /// Of the test's own, while no call is in progress.
  double sum_of_kept() const { return std::accumulate(kept_.view().begin(), kept_.view().end(), 0.0); }
  void drop_kept() { kept_ = {}; }

 private:
  struct Counted {
    explicit Counted(Ledger& l) : ledger(l) { ++ledger.begun; }
    ~Counted() { ++ledger.finished; }
    Ledger& ledger;
  };

  Ledger& ledger_;
  orbweaver::Held<double> kept_;
};

/// Calls of every kind: small, one-way, larger than a ring of 64 KiB, with a block. `each(call)` makes one; when it
/// returns false there are no more.
template <class Each>
void script(Faults::Target& target, Each&& each) {
  const Faults::Octets large(200'000);
  const auto block = [&] {
    auto samples = orbweaver::loan<double>(1024, orbweaver::WhenFull::wait, 20'000);
    std::fill(samples.begin(), samples.end(), 2.0);
    target.keep(samples.view());
  };
  (void)(each([&] { target.twice(1); }) && each([&] { target.note(1); }) && each([&] { target.twice(2); }) &&
         each([&] { target.echo(large); }) && each(block) && each([&] { target.kept_sum(); }) &&
         each([&] { target.twice(3); }) && each([&] { target.drop(); }) && each([&] { target.twice(4); }));
}

}  // namespace faulttest
