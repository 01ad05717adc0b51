#include "machine.h"

#include <orbweaver/any.h>
#include <orbweaver/peer.h>

#include <numeric>

#include "values.h"

namespace foreign {
namespace {

/// Empty if the texts are equal.
std::string difference(const std::string& what, const std::string& found, const std::string& expected) {
  return found == expected ? "" : what + ": " + found + "\ninstead of\n" + expected + "\n";
}

}  // namespace

std::string check_numbers(const MachineRef& there) {
  std::string wrong;
  for (const Foreign::Numbers& each : {lowest(), highest(), special()}) {
    wrong += difference("numbers there", there->text_of(each), text(each));
    Foreign::Numbers b = highest(), c;
    wrong += difference("result", text(there->pass(each, b, c)), text(each));
    wrong += difference("inout", text(b), text(each));
    wrong += difference("out", text(c), text(highest()));
  }
  return wrong;
}

std::string check_constructed(const MachineRef& there) {
  std::string wrong = difference("unions there", there->text_of_choices(choices()), text(choices()));
  wrong += difference("unions", text(there->pass_choices(choices())), text(choices()));
  const Foreign::Rows rows{{1.5, -2.5}, {}, {1e300, -1e-300, 0.1}};
  if (there->pass_rows(rows) != rows) wrong += "bounded sequences in a bounded sequence\n";
  return wrong;
}

std::string check_anys(const MachineRef& there) {
  CORBA::Any anys[5];
  anys[0] <<= lowest();
  anys[1] <<= choices();
  anys[2] <<= table();
  anys[3] <<= std::uint64_t{0xfedcba9876543210};
  anys[4] <<= std::string("text");
  std::string wrong;
  for (const CORBA::Any& each : anys) {
    wrong += difference("any there", there->text_of_any(each), text(each));
    wrong += difference("any", text(there->pass_any(each)), text(each));
  }
  // An any in an any is not decoded at the other machine, which forwards the bytes of this one.
  CORBA::Any outer, inner;
  outer <<= anys[1];
  const CORBA::Any back = there->pass_any(there->pass_any(outer));
  wrong += difference("any in an any", (back >>= inner) ? text(inner) : "no any", text(anys[1]));
  return wrong;
}

std::string check_values(const MachineRef& there) {
  std::string wrong = difference("values there", there->text_of_node(nodes()), text(nodes()));
  return wrong + difference("values", text(there->pass_node(nodes())), text(nodes()));
}

std::string check_exceptions(const MachineRef& there) {
  try {
    there->fail(0xfedcba9876543210, "the text");
    return "no exception\n";
  } catch (const Foreign::Wrong& raised) {
    return raised.code() == 0xfedcba9876543210 ? difference("exception", raised.text(), "the text")
                                               : "code " + std::to_string(raised.code()) + "\n";
  }
}

std::string check_views(const MachineRef& there) {
  std::string wrong;
  for (const std::size_t length : {0u, 1u, 1000u, 300'000u}) {
    std::vector<double> samples(length);
    std::iota(samples.begin(), samples.end(), -0.5);
    if (there->sum(samples) != std::accumulate(samples.begin(), samples.end(), 0.0))
      wrong += "sum of " + std::to_string(length) + " doubles\n";
    std::vector<std::int32_t> longs(length, -2'000'000'000);
    if (there->sum_of(longs) != -2'000'000'000 * static_cast<std::int64_t>(length))
      wrong += "sum of " + std::to_string(length) + " longs\n";
  }
  return wrong;
}

std::string Machine::kind() { return this_machine(); }

std::string Machine::transport() {
  const orbweaver::Peer* const caller = orbweaver::peer();
  return caller == nullptr ? "no peer" : caller->transport;
}

std::string Machine::text_of(const Foreign::Numbers& n) { return text(n); }
std::string Machine::text_of_choices(const Foreign::Choices& c) { return text(c); }
std::string Machine::text_of_any(const CORBA::Any& a) { return text(a); }
std::string Machine::text_of_node(IDL::traits<Foreign::Node>::ref_type n) { return text(n); }

Foreign::Numbers Machine::pass(const Foreign::Numbers& a, Foreign::Numbers& b, Foreign::Numbers& c) {
  c = b;
  b = a;
  return a;
}

void Machine::fail(std::uint64_t code, const std::string& text) { throw Foreign::Wrong(code, text); }

double Machine::sum(orbweaver::span<const double> samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0);
}

std::int64_t Machine::sum_of(orbweaver::span<const std::int32_t> samples) {
  return std::accumulate(samples.begin(), samples.end(), std::int64_t{0});
}

void Machine::note(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(number);
}

Foreign::Codes Machine::notes() {
  const std::lock_guard lock(mutex_);
  return notes_;
}

std::string Machine::check(MachineRef other) {
  return check_numbers(other) + check_constructed(other) + check_anys(other) + check_values(other) +
         check_exceptions(other) + check_views(other);
}

}  // namespace foreign
