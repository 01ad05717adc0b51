#include "idlc/cpp/constructs.h"
#include "idlc/cpp/marshal.h"
#include "idlc/cpp/names.h"
#include "idlc/cpp/text.h"
#include "idlc/ir/holds_values.h"
#include "idlc/ir/layout.h"

namespace orbweaver::idl::cpp {

using namespace ir;

std::string skeleton_class(const Interface& decl) {
  if (decl.local) return {};
  std::vector<std::string> bases;
  for (const Interface* base : decl.bases) bases.push_back("public virtual " + skeleton(*base));
  if (bases.empty()) bases.push_back("public virtual ::PortableServer::Servant");
  std::string operations;
  for (const Call& call : calls_of(decl))
    operations += signature(call, "virtual " + type_name(*call.result) + " ", " = 0;\n", 2);
  return list("class " + identifier(decl) + " : ", bases, " {\n") +
         fill(R"( public:
  using _stub_type = $stub$;

$operations$
  ::IDL::traits<$stub$>::ref_type _this() { return ::IDL::traits<$stub$>::narrow(_this_object()); }
  bool _dispatch(::orbweaver::ServerCall& _call) override;
  void* _as(const ::orbweaver::Interface* _type) noexcept override;
  const ::orbweaver::Interface& _interface() const noexcept override { return $stub$::_static_interface(); }
};

)",
              {{"stub", qualified(decl)},
               {"operations", operations.empty() ? "" : indented(operations, 2) + "\n"}});
}

std::string servant_traits(const Interface& decl) {
  if (decl.local) return {};
  return fill(R"(template <>
struct servant_traits<$stub$> {
  using base_type = $skeleton$;
  using ref_type = servant_reference<base_type>;
  using weak_ref_type = weak_servant_reference<base_type>;
};

)",
              {{"stub", qualified(decl)}, {"skeleton", skeleton(decl)}});
}

std::string operations_declared(const Interface& decl) {
  if (decl.local) return {};
  std::string out;
  for (const Call& call : calls_of(decl)) out += "extern const ::orbweaver::Operation " + call.label + ";\n";
  for (const Call& call : calls_of(decl)) {
    out +=
        "void serve_" + call.label + "(" + skeleton(decl) + "& _servant, ::orbweaver::ServerCall& _call);\n";
  }
  return out;
}

std::string operations_defined(const Interface& decl) {
  if (decl.local) return {};
  std::string out;
  for (const Call& call : calls_of(decl)) {
    std::vector<std::string> raises;
    for (const Declaration* each : call.raises) {
      raises.push_back("{" + string_literal(each->repository_id()) + ", &" + qualified(*each) +
                       "::_decode_and_raise}");
    }
    if (!raises.empty()) {
      out += list("static constexpr ::orbweaver::RaisedException raises_" + call.label + "[] = {", raises,
                  "};\n");
    }
    out += fill("const ::orbweaver::Operation $label${$name$, $bytes$, $oneway$, $raises$, $count$};\n",
                {{"label", call.label},
                 {"name", string_literal(call.wire_name)},
                 {"bytes", std::to_string(call.wire_name.size())},
                 {"oneway", call.oneway ? "true" : "false"},
                 {"raises", raises.empty() ? "nullptr" : "raises_" + call.label},
                 {"count", std::to_string(raises.size())}});
  }
  return out;
}

namespace {

// The variable of a skeleton that holds an argument during the upcall.
struct Argument {
  std::string declaration;  // one line
  std::string expression;
};

Argument argument(const Parameter& each) {
  std::string name = identifier(each.name);
  const Type& real = resolved(*each.type);
  if (each.view) return {parameter_type(each) + " " + name + "{};\n", name};
  // Values of fixed size, references and `out` arguments are local variables. Strings and sequences that are
  // received reuse pooled storage. An any is not pooled, because it may contain references, which must be
  // released.
  bool fixed = is_scalar(*each.type) || holds_values(*each.type) || is_reference(*each.type) ||
               real.kind == TypeKind::any ||
               (layout_of(real).max_bytes != 0 && layout_of(real).max_bytes <= 256);
  if (fixed || each.direction == Direction::out) return {type_name(*each.type) + " " + name + "{};\n", name};
  return {"::orbweaver::PooledArgument<" + type_name(*each.type) + "> " + name + ";\n", "*" + name};
}

std::string serve_body(const Call& call) {
  std::string declarations, decodes, encodes;
  std::vector<std::string> arguments, results;
  bool result = call.result->kind != TypeKind::void_;
  if (result) {
    results.push_back("_result");
    encodes += "::orbweaver::cdr::encode(_out, _result);\n";
  }
  for (const Parameter& each : call.parameters) {
    Argument kept = argument(each);
    declarations += kept.declaration;
    arguments.push_back(kept.expression);
    if (travels_in(each)) decodes += decode_line(each, kept.expression);
    if (travels_out(each)) {
      results.push_back(kept.expression);
      encodes += encode_line(each, kept.expression);
    }
  }
  if (!call.contexts.empty()) {
    declarations += "std::vector<std::string> _values;\n";
    decodes += "::orbweaver::decode_context(_in, _values);\n";
    arguments.push_back("::orbweaver::context_of(_values)");
  }
  std::string reply;
  if (returns_values(call)) {
    reply = "const auto _write = [&](::orbweaver::cdr::Encoder& _out) {\n" + indented(encodes, 2) +
            "};\nconst ::orbweaver::cdr::EncodedValues _encoded(_write);\n" +
            "_encoded.write(_call.reply(_encoded.bound()));\n";
  } else if (!results.empty())
    reply = "::orbweaver::cdr::Encoder& _out = _call.reply(" + bound_sum(results, 6) + ");\n" + encodes;
  if (sends_values(call))
    decodes = "{\n  const ::orbweaver::cdr::ValueReadScope _scope(_in);\n" + indented(decodes, 2) + "}\n";
  return fill(R"($declarations$
$in$
$decodes$
$check$
$result$_servant.$name$($arguments$);
$reply$
)",
              {{"declarations", declarations},
               {"in", decodes.empty() ? "" : "::orbweaver::cdr::Decoder& _in = _call.arguments();\n"},
               {"decodes", decodes},
               {"check", decodes.empty() ? "" : "if (!_call.arguments_decoded()) return;"},
               {"result", result ? "const " + type_name(*call.result) + " _result = " : ""},
               {"name", call.cpp_name},
               {"arguments", join(arguments, ", ")},
               {"reply", reply}});
}

}  // namespace

std::string serve_functions(const Interface& decl) {
  if (decl.local) return {};
  std::string out;
  for (const Call& call : calls_of(decl)) {
    const bool native = has_native_type(call);
    std::string body = native ? raise_native_type(decl, call) : serve_body(call);
    bool uses_call = body.find("_call.") != std::string::npos;
    out += fill(R"(void serve_$label$($skeleton$&$servant$, ::orbweaver::ServerCall&$call$) {
$body$
}

)",
                {{"label", call.label},
                 {"skeleton", skeleton(decl)},
                 {"servant", native ? "" : " _servant"},
                 {"call", uses_call ? " _call" : ""},
                 {"body", indented(body, 2)}});
  }
  return out;
}

namespace {

// The operation table: its entries in the order of their slots, and the expression for the hash seed.
struct Table {
  std::vector<std::string> slots;
  std::string seeds;  // with a two-level hash: the table of seeds, in lines before the call
  std::string seed;
};

Table table_of(const Interface& decl, const SkeletonNames& skeletons) {
  std::vector<std::string> names, entries;
  for (const Interface* owner : ancestry(decl)) {
    for (const Call& call : calls_of(*owner)) {
      std::string scope = "::" + operations_namespace(*owner) + "::";
      std::string serve = "&" + skeletons.serve_function(*owner, call);
      if (owner != &decl) {
        serve = "&::orbweaver::serve_inherited<" + skeletons.skeleton + ", " + skeletons.skeleton_of(*owner) +
                ",\n                                       " + serve + ">";
      }
      names.push_back(call.wire_name);
      entries.push_back("{&" + scope + call.label + ", " + serve + "},\n");
    }
  }
  Table out;
  std::vector<int> order;
  if (names.size() <= kMaxSingleLevelNames) {
    HashTable hash = perfect_hash(names);
    order = std::move(hash.slots);
    out.seed = std::to_string(hash.seed);
  } else {
    TwoLevelHash hash = two_level_hash(names);
    order = std::move(hash.slots);
    std::vector<std::string> seeds;
    for (std::uint32_t each : hash.seeds) seeds.push_back(std::to_string(each));
    const std::string count = std::to_string(seeds.size());
    out.seeds = "  // A first hash selects the seed of the second.\n" +
                list("  static constexpr std::uint32_t kSeeds[" + count + "] = {", seeds, "};\n") +
                "  const std::string_view _name = _call.operation();\n";
    out.seed = "kSeeds[::orbweaver::operation_hash_fast(_name.data(), _name.size(), 0) & " +
               std::to_string(seeds.size() - 1) + "]";
  }
  for (int index : order)
    out.slots.push_back(index < 0 ? "{nullptr, nullptr},\n" : entries[static_cast<std::size_t>(index)]);
  return out;
}

}  // namespace

std::string dispatch_function(const Interface& decl, const SkeletonNames& names) {
  const Table table = table_of(decl, names);
  return fill(R"(bool $name$::_dispatch(::orbweaver::ServerCall& _call) {
  // Operations by their hash: with this seed no two operations have the same slot.
  static constexpr ::orbweaver::DispatchEntry<$skeleton$> kOperations[$count$] = {
$slots$
  };
$seeds$
  return ::orbweaver::dispatch(kOperations, $seed$, *this, _call);
}

)",
              {{"name", names.class_name},
               {"skeleton", names.skeleton},
               {"count", std::to_string(table.slots.size())},
               {"slots", indented(join(table.slots, ""), 6)},
               {"seeds", table.seeds},
               {"seed", table.seed}});
}

std::string dispatch(const Interface& decl) {
  if (decl.local) return {};
  std::string as;
  for (const Interface* each : ancestry(decl)) {
    as += "if (_type == &" + qualified(*each) + "::_static_interface()) return static_cast<" +
          skeleton(*each) + "*>(this);\n";
  }
  const SkeletonNames names{identifier(decl), skeleton(decl),
                            [](const Interface& owner) { return skeleton(owner); },
                            [](const Interface& owner, const Call& call) {
                              return "::" + operations_namespace(owner) + "::serve_" + call.label;
                            }};
  return dispatch_function(decl, names) +
         fill(R"(void* $name$::_as(const ::orbweaver::Interface* _type) noexcept {
$as$
  return nullptr;
}

)",
              {{"name", identifier(decl)}, {"as", indented(as, 2)}});
}

}  // namespace orbweaver::idl::cpp
