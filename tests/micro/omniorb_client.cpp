// micro-omniorb-client REFERENCE [-ORB…]: calls the bench of a server with omniORB, prints the checks that
// fail, and ends the server.
#include <cstring>

#include "checks.h"
#include "omniorb_bench.h"

namespace {

class OmniOrbListener final : public virtual POA_MicroTest::Listener,
                              public PortableServer::RefCountServantBase {
 public:
  explicit OmniOrbListener(MicroTest::Bench_ptr bench) : bench_(MicroTest::Bench::_duplicate(bench)) {}
  CORBA::Long heard(CORBA::Long depth) override {
    const MicroTest::Listener_var itself = _this();
    return depth == 0 ? 1 : depth + bench_->tell(itself, depth - 1);
  }

 private:
  const MicroTest::Bench_var bench_;
};

void check_values(MicroTest::Bench_ptr bench) {
  const CORBA::String_var name = bench->name();
  CHECK(std::strcmp(name, "peer") == 0);
  bench->value(42);
  CHECK(bench->value() == 42);
  MicroTest::Record record;
  record.flag = 200;
  record.ratio = 0.25;
  record.valid = true;
  record.code = -7;
  record.letter = 'x';
  record.big = -(CORBA::LongLong(1) << 40);
  record.label =
      "gr\xc3\xb6\xc3\x9f"
      "er";
  record.level = 1.5F;
  record.hue = MicroTest::blue;
  record.path.length(2);
  record.path[1].y = 4;
  std::memset(record.cells, 0, sizeof record.cells);
  record.cells[1][2] = 6;
  record.few.length(1);
  record.few[0] = 7;
  const MicroTest::Record_var echo = bench->echo_record(record);
  CHECK(echo->flag == 200 && echo->ratio == 0.25 && echo->valid && echo->code == -7 && echo->letter == 'x');
  CHECK(echo->big == record.big && std::strcmp(echo->label, record.label) == 0 && echo->level == 1.5F);
  CHECK(echo->hue == MicroTest::blue && echo->aliases.length() == 0 && echo->path[1].y == 4);
  CHECK(echo->cells[1][2] == 6 && echo->few[0] == 7);
  for (const CORBA::ULong size : {0u, 1u, 4096u, 300'000u}) {
    MicroTest::Octets octets;
    octets.length(size);
    for (CORBA::ULong i = 0; i < size; ++i) octets[i] = static_cast<CORBA::Octet>(i * 7);
    const MicroTest::Octets_var back = bench->echo_octets(octets);
    CHECK(back->length() == size &&
          (size == 0 || std::memcmp(back->get_buffer(), octets.get_buffer(), size) == 0));
  }
  MicroTest::Shape shape;
  shape.sides(9);
  const MicroTest::Shape_var same = bench->echo_shape(shape);
  CHECK(same->sides() == 9);
  const CORBA::WString_var wide = bench->echo_wide(L"w\u00e4hrung");
  CHECK(std::wcscmp(wide, L"w\u00e4hrung") == 0);
  MicroTest::Doubles samples;
  samples.length(2);
  samples[0] = 1.5;
  samples[1] = 2.5;
  CHECK(bench->sum(1, samples) == 4);
  CORBA::String_var left = CORBA::string_dup("left"), right = CORBA::string_dup("right");
  const CORBA::String_var both = bench->exchange(left.inout(), right.inout());
  CHECK(std::strcmp(both, "leftright") == 0 && std::strcmp(left, "right") == 0);
}

void check_exceptions(MicroTest::Bench_ptr bench) {
  CORBA::Long remainder = 0;
  CHECK(bench->divide(17, 5, remainder) == 3 && remainder == 2);
  bool refused = false, busy = false, bad_param = false, unknown = false;
  try {
    bench->divide(17, 0, remainder);
  } catch (const MicroTest::Refused& e) {
    refused = e.code == 17 && std::strcmp(e.reason, "division by zero") == 0;
  }
  try {
    bench->divide(-1, 0, remainder);
  } catch (const MicroTest::Busy&) {
    busy = true;
  }
  try {
    bench->raise_bad_param(7);
  } catch (const CORBA::BAD_PARAM& e) {
    bad_param = e.minor() == 7 && e.completed() == CORBA::COMPLETED_YES;
  }
  try {
    bench->raise_something_else();
  } catch (const CORBA::UNKNOWN&) {
    unknown = true;
  }
  CHECK(refused);
  CHECK(busy);
  CHECK(bad_param);
  CHECK(unknown);
}

void check_references(MicroTest::Bench_ptr bench) {
  const MicroTest::Bench_var itself = bench->itself();
  const CORBA::String_var name = bench->name_of(itself);
  CHECK(std::strcmp(name, "peer") == 0);
  const CORBA::Object_var object = bench->as_object();
  const MicroTest::Listener_var other = MicroTest::Listener::_narrow(object);
  CHECK(CORBA::is_nil(other));
  const MicroTest::Named_var none = bench->none();
  CHECK(CORBA::is_nil(none));
  CHECK(!bench->_non_existent());
  const MicroTest::Bench_var temporary = bench->make_temporary();
  bench->remove_temporary();
  CHECK(temporary->_non_existent());
  auto* const servant = new OmniOrbListener(bench);
  const MicroTest::Listener_var listener = servant->_this();
  servant->_remove_ref();  // the object adapter has a reference
  CHECK(bench->tell(listener, 0) == 1);
  CHECK(bench->tell(listener, 4) == 4 + 3 + 2 + 1 + 1);
}

void check_order(MicroTest::Bench_ptr bench) {
  for (int i = 0; i < 200; ++i) bench->note(std::to_string(i).c_str());
  MicroTest::Names_var notes = bench->notes();
  bool in_order = notes->length() == 200;
  for (CORBA::ULong i = 0; in_order && i < 200; ++i) in_order = std::to_string(i) == notes[i].in();
  CHECK(in_order);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const char* options[][2] = {
        {"endPoint", "giop:tcp:127.0.0.1:"}, {"nativeCharCodeSet", "UTF-8"}, {nullptr, nullptr}};
    const CORBA::ORB_var orb = CORBA::ORB_init(argc, argv, "omniORB4", options);
    if (argc != 2) return 2;
    const PortableServer::POA_var poa = active_root_poa(orb);
    const CORBA::Object_var object = orb->string_to_object(argv[1]);
    const MicroTest::Bench_var bench = MicroTest::Bench::_narrow(object);
    check_values(bench);
    check_exceptions(bench);
    check_references(bench);
    check_order(bench);
    bench->stop();
    orb->destroy();
  } catch (const CORBA::Exception& problem) {
    std::fprintf(stderr, "micro-omniorb-client: %s\n", problem._name());
    return 1;
  }
  return result_of_checks();
}
