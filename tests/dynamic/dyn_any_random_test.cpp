// Random values of the types of everything.idl, which RandomCdr encodes by the IDL alone: a DynAny takes them
// apart, builds them again part by part, and encodes the same octets, of which the generated code makes the
// same value.
#include <bit>
#include <map>

#include "dyn_anys.h"
#include "idlc/driver/compile.h"
#include "idlc/source/render.h"
#include "random_cdr.h"

namespace dynany {
namespace {

using namespace orbweaver::idl;
using orbweaver::idl::testing::ByteOrder;
using orbweaver::idl::testing::RandomCdr;

struct TypeCase {
  const CORBA::TypeCode& type;
  void (*same_value)(const Any& a, const Any& b);
};

template <class T>
void expect_same_value(const Any& a, const Any& b) {
  T value{};
  ASSERT_TRUE(a >>= value);
  Any again;
  again <<= value;
  EXPECT_EQ(octets_of(again), octets_of(b));
}

#define TYPE(T)                                        \
  {                                                    \
#T, { TypeCodeOf<T>::get(), expect_same_value<T> } \
  }
const std::map<std::string, TypeCase> kTypes{
    TYPE(Every::Everything), TYPE(Every::Tree),    TYPE(Every::Dynamic),       TYPE(Every::Ledger),
    TYPE(Every::ByPrice),    TYPE(Every::ByKind),  TYPE(Every::ByNumber),      TYPE(Every::ByTruth),
    TYPE(Every::ByLetter),   TYPE(Every::BySmall), TYPE(Every::ByLarge),       TYPE(Every::Leaf),
    TYPE(Every::Modern),     TYPE(Every::TooMuch), TYPE(Every::Wrapped),       TYPE(Every::Empty),
    TYPE(Every::Nothing),    TYPE(Every::Outer),   TYPE(Every::WithReference),
};
#undef TYPE

void collect(const std::vector<const ir::Declaration*>& contents,
             std::map<std::string, const ir::Declaration*>& into) {
  for (const ir::Declaration* each : contents) {
    if (each->kind == ir::DeclKind::module) {
      collect(ir::as<ir::Module>(*each).contents, into);
    } else if (const std::string name = ir::scoped_name(each).substr(2); kTypes.contains(name)) {
      const bool defined = each->kind != ir::DeclKind::struct_ || ir::as<ir::Struct>(*each).defined;
      if (defined) into[name] = each;
    }
  }
}

/// An any of the type with random contents.
Any random_any(const CORBA::TypeCode& type, const ir::Declaration& declaration, std::uint32_t seed) {
  RandomCdr value(seed, std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big);
  value.value(declaration);
  std::vector<std::uint8_t> bytes = value.bytes();
  std::vector<std::uint8_t> none;
  orbweaver::cdr::Encoder no_references(none);
  Any any;
  orbweaver::any::Access::put(any, type, no_references, std::move(bytes));
  return any;
}

TEST(RandomDynAnys, AreBuiltAgainFromTheirParts) {
  Sources sources;
  Diagnostics diagnostics;
  const CompileResult compiled =
      compile(sources, ORBWEAVER_SOURCE_DIR "/tests/idl/everything.idl", {}, diagnostics);
  ASSERT_TRUE(diagnostics.ok()) << render_text(diagnostics, sources, false);
  std::map<std::string, const ir::Declaration*> declarations;
  collect(compiled.unit->contents, declarations);
  ASSERT_EQ(declarations.size(), kTypes.size());
  for (const auto& [name, each] : kTypes) {
    for (std::uint32_t seed = 0; seed < 30; ++seed) {
      SCOPED_TRACE(name + ", seed " + std::to_string(seed));
      const Any any = random_any(each.type, *declarations.at(name), seed);
      const Ref whole = factory().create_dyn_any(any), built = initial(any.type());
      EXPECT_EQ(octets_of(whole->to_any()), octets_of(any));
      rebuild(whole, built);
      EXPECT_EQ(octets_of(built->to_any()), octets_of(any));
      EXPECT_TRUE(built->equal(whole));
      EXPECT_TRUE(built->copy()->equal(whole));
      EXPECT_TRUE(whole->type()->equal(built->to_any().type()));
      each.same_value(built->to_any(), any);
      rebuild(initial(any.type()), built);
      EXPECT_TRUE(built->equal(initial(any.type())));
      built->assign(whole);
      EXPECT_EQ(octets_of(built->to_any()), octets_of(any));
      if (::testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace dynany
