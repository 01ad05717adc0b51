// micro-client, micro-full-client REFERENCE [-ORB…]: calls each operation of the bench of a server, prints
// the checks that fail, and ends the server.
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

#include "bench_servant.h"
#include "checks.h"

namespace {

/// Whether `call` raises E, and `matches(e)`.
template <class E, class Call, class Matches>
bool raises(Call call, Matches matches) {
  try {
    call();
  } catch (const E& e) {
    return matches(e);
  } catch (const CORBA::Exception& e) {
    std::fprintf(stderr, "raised instead: %s\n", e.what());
  }
  return false;
}
template <class E, class Call>
bool raises(Call call) {
  return raises<E>(call, [](const E&) { return true; });
}

using BenchRef = IDL::traits<MicroTest::Bench>::ref_type;

class ListenerServant final : public virtual CORBA::servant_traits<MicroTest::Listener>::base_type {
 public:
  explicit ListenerServant(BenchRef bench) : bench_(std::move(bench)) {}
  std::int32_t heard(std::int32_t depth) override {
    return depth == 0 ? 1 : depth + bench_->tell(_this(), depth - 1);
  }

 private:
  const BenchRef bench_;
};

MicroTest::Record sample() {
  MicroTest::Record r;
  r.flag(200);
  r.ratio(0.25);
  r.valid(true);
  r.code(-7);
  r.letter('x');
  r.big(-(std::int64_t{1} << 40));
  r.label(
      "gr\xc3\xb6\xc3\x9f"
      "er");
  r.level(1.5F);
  r.hue(MicroTest::Colour::blue);
  r.aliases({"a", "", "ccc"});
  r.path({{1, 2}, {3, 4}});
  r.cells({{{{1, 2, 3}}, {{4, 5, 6}}}});
  r.few({7, 8});
  return r;
}

bool equal(const MicroTest::Record& a, const MicroTest::Record& b) {
  return a.flag() == b.flag() && a.ratio() == b.ratio() && a.valid() == b.valid() && a.code() == b.code() &&
         a.letter() == b.letter() && a.big() == b.big() && a.label() == b.label() && a.level() == b.level() &&
         a.hue() == b.hue() && a.aliases() == b.aliases() && a.path().size() == b.path().size() &&
         a.path()[1].y() == b.path()[1].y() && a.cells() == b.cells() && a.few() == b.few();
}

void check_values(MicroTest::Bench& bench) {
  CHECK(bench.name() == "peer");
  bench.value(42);
  CHECK(bench.value() == 42);
  CHECK(equal(bench.echo_record(sample()), sample()));
  for (const std::size_t size : {0u, 1u, 4096u, 300'000u}) {
    MicroTest::Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::uint8_t>(i * 7);
    CHECK(bench.echo_octets(octets) == octets);
  }
  MicroTest::Shape shape;
  shape.labels({"one", "two"});
  CHECK(bench.echo_shape(shape).labels() == shape.labels());
  shape.corner({5, 6});
  CHECK(bench.echo_shape(shape).corner().y() == 6);
  shape.sides(9);
  CHECK(bench.echo_shape(shape).sides() == 9);
  CHECK(bench.echo_wide(L"w\u00e4hrung \u20ac") == L"w\u00e4hrung \u20ac");
  const std::vector<double> samples{1.5, 2.5, 4};
  CHECK(bench.sum(1, orbweaver::span<const double>(samples)) == 8);
  std::string left = "left", right = "right";
  CHECK(bench.exchange(left, right) == "leftright");
  CHECK(left == "right" && right == "left");
}

void check_exceptions(MicroTest::Bench& bench) {
  std::int32_t remainder = 0;
  CHECK(bench.divide(17, 5, remainder) == 3 && remainder == 2);
  CHECK(
      raises<MicroTest::Refused>([&] { bench.divide(17, 0, remainder); },
                                 [](auto& e) { return e.reason() == "division by zero" && e.code() == 17; }));
  CHECK(raises<MicroTest::Busy>([&] { bench.divide(-1, 1, remainder); }));
  CHECK(raises<CORBA::BAD_PARAM>([&] { bench.raise_bad_param(0x4f570099); },
                                 [](auto& e) {
                                   return e.minor() == 0x4f570099 &&
                                          e.completed() == CORBA::CompletionStatus::COMPLETED_YES;
                                 }));
  CHECK(raises<CORBA::SystemException>([&] { bench.raise_something_else(); }));
  CHECK(raises<CORBA::UNKNOWN>([&] { bench.raise_something_else(); }));
}

void check_references(CORBA::ORB& orb, const BenchRef& bench) {
  const BenchRef itself = bench->itself();
  CHECK(itself->_is_equivalent(itself) && itself->name() == "peer");
  const auto object = bench->as_object();
  CHECK(object->_is_a("IDL:MicroTest/Named:1.0") && !object->_is_a("IDL:MicroTest/Listener:1.0"));
  CHECK(IDL::traits<MicroTest::Bench>::narrow(object)->name() == "peer");
  CHECK(IDL::traits<MicroTest::Listener>::narrow(object) == nullptr);
  CHECK(bench->none() == nullptr);
  CHECK(!bench->_non_existent());
  CHECK(bench->name_of(bench) == "peer");
  const auto again = orb.string_to_object(orb.object_to_string(bench));
  CHECK(again->_is_equivalent(bench) && again->_hash(1000) == bench->_hash(1000));
  const BenchRef temporary = bench->make_temporary();
  CHECK(temporary->name() == "temporary");
  bench->remove_temporary();
  CHECK(raises<CORBA::OBJECT_NOT_EXIST>([&] { temporary->name(); }));
  CHECK(temporary->_non_existent());
}

void check_callbacks(const BenchRef& bench) {
  const auto listener = CORBA::make_reference<ListenerServant>(bench);
  CHECK(bench->tell(listener->_this(), 0) == 1);
  CHECK(bench->tell(listener->_this(), 4) == 4 + 3 + 2 + 1 + 1);
}

void check_order(MicroTest::Bench& bench) {
  const std::size_t before = bench.notes().size();
  for (int i = 0; i < 200; ++i) bench.note(std::to_string(i));
  const MicroTest::Names notes = bench.notes();
  bool in_order = notes.size() == before + 200;
  for (std::size_t i = 0; in_order && i < 200; ++i) in_order = notes[before + i] == std::to_string(i);
  CHECK(in_order);
}

void check_threads(MicroTest::Bench& bench) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        std::string left = std::to_string(t), right = std::to_string(i);
        const std::string expected = left + right;
        if (bench.exchange(left, right) != expected) ++wrong;
      }
    });
  }
  for (std::thread& each : threads) each.join();
  CHECK(wrong == 0);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const auto orb = CORBA::ORB_init(argc, argv);
    const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    if (argc != 2) return 2;
    const BenchRef bench = IDL::traits<MicroTest::Bench>::narrow(orb->string_to_object(argv[1]));
    check_values(*bench);
    check_exceptions(*bench);
    check_references(*orb, bench);
    check_callbacks(bench);
    check_order(*bench);
    check_threads(*bench);
    bench->stop();
    orb->destroy();
  } catch (const CORBA::Exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return result_of_checks();
}
