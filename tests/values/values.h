#pragma once

#include <orbweaver/orb.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "cdr/testing.h"
#include "valuesS.h"

/// Value types of values.idl as their program implements them, and helpers to encode graphs of values.
namespace valuetest {

using NodeRef = IDL::traits<Values::Node>::ref_type;
using orbweaver::cdr::testing::hex;
using orbweaver::cdr::testing::Octets;

class NodeFactory final : public IDL::traits<Values::Node>::factory_type {
 public:
  NodeRef create(std::int32_t number, const std::string& name) override {
    return IDL::traits<Values::Node>::make_reference(number, name, nullptr, nullptr, Values::Nodes{});
  }
};
inline NodeRef node(std::int32_t number, const std::string& name = {}) {
  return NodeFactory().create(number, name);
}

class GaugeValue final : public virtual OBV::Values::Gauge {
 public:
  std::int32_t count() override { return counted(); }
  std::string called() override { return "gauge " + caption(); }
  std::string label() override { return caption(); }
  void label(const std::string& text) override { caption(text); }
  bool zeroed() override { return counted() == 0; }
  void zeroed(bool zero) override { counted(zero ? 0 : 1); }
};

/// Writes the number of samples as text, and the first sample and the node behind it.
class PackedValue final : public virtual OBV::Values::Packed {
 public:
  void marshal(IDL::traits<CORBA::DataOutputStream>::ref_type os) override {
    os->write_string(std::to_string(values().size()));
    os->write_double_array(values(), 0, static_cast<std::uint32_t>(values().size()));
    os->write_octet(7);
    os->write_Value(first());
    os->write_wstring(L"end");
  }
  void unmarshal(IDL::traits<CORBA::DataInputStream>::ref_type is) override {
    is->read_double_array(values(), 0, static_cast<std::uint32_t>(std::stoul(is->read_string())));
    seven = is->read_octet();
    first(Values::Node::_downcast(is->read_Value()));
    end = is->read_wstring();
    stream = is;
  }
  int seven = 0;
  std::wstring end;
  IDL::traits<CORBA::DataInputStream>::ref_type stream;  // kept too long
};

template <class Impl>
class FactoryOf final : public CORBA::ValueFactoryBase {
 public:
  IDL::traits<CORBA::ValueBase>::ref_type create_for_unmarshal() override {
    return CORBA::make_reference<Impl>();
  }
};

/// The factories of all value types while it exists.
class AllFactories {
 public:
  AllFactories() {
    orbweaver::accept_cyclic_values(true);
    using orbweaver::register_value_factory;
    register_value_factory<Values::Node, NodeFactory>();
    register_value_factory<Values::Base>();
    register_value_factory<Values::Derived>();
    register_value_factory<Values::MostDerived>();
    register_value_factory<Values::Sealed>();
    register_value_factory<Values::Empty>();
    register_value_factory<Values::Holder>();
    register_value_factory<Values::Gauge, FactoryOf<GaugeValue>>();
    register_value_factory<Values::Packed, FactoryOf<PackedValue>>();
  }
  ~AllFactories() {
    for (const char* id :
         {"Node", "Base", "Derived", "MostDerived", "Sealed", "Empty", "Holder", "Gauge", "Packed"}) {
      try {
        orbweaver::unregister_value_factory(std::string("IDL:Values/") + id + ":1.0");
      } catch (const CORBA::BAD_PARAM&) {  // a test has removed it
      }
    }
  }
  AllFactories(const AllFactories&) = delete;
  AllFactories& operator=(const AllFactories&) = delete;
};

/// Encodes values that share one space of indirections, at offset 0.
template <class... T>
Octets encoded_values(const T&... values) {
  Octets bytes;
  orbweaver::cdr::Encoder out(bytes);
  orbweaver::cdr::encode_apart(
      out, [&](orbweaver::cdr::Encoder& apart) { (orbweaver::cdr::encode(apart, values), ...); });
  out.finish();
  return bytes;
}

/// A new ORB with these options.
inline CORBA::object_reference<CORBA::ORB> make_orb(const std::vector<std::string>& options) {
  static std::atomic<int> count{0};
  std::vector<std::string> words{"test"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(words.size());
  return CORBA::ORB_init(argc, argv.data(), "values " + std::to_string(++count));
}

}  // namespace valuetest
