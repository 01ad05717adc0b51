#pragma once

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "platform/memory.h"

namespace faulttest {

/// What really happened, in memory that the test and the process it kills both have: the test holds what an
/// exception says of a call against it.
struct Ledger {
  std::atomic<std::uint32_t> begun;     ///< Upcalls that were entered.
  std::atomic<std::uint32_t> finished;  ///< … and came to their end.
  std::atomic<std::int64_t> killed_ns;  ///< When the process that the test is about was killed; 0: not yet.
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

}  // namespace faulttest
