#pragma once

#include <initializer_list>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <orbweaver/sca/detail/simple_value.h>
#include <orbweaver/sca/property_value.h>

namespace orbweaver::sca {

class Component;

/// Rule of a property or of a member of a struct: numbers of a range, as in its PRF.
///
///     Property<double> gain_{*this, "gain", 1.0, Range{0, 10}};
template <class T>
struct Range {
  T min;  ///< The lowest value.
  T max;  ///< The highest value.
};
template <class T>
Range(T, T) -> Range<T>;  ///< Of two numbers of one type.

/// Rule: the values of an enumeration, as in the PRF.
///
///     Property<std::string> modulation_{*this, "modulation", "bpsk", OneOf{"bpsk", "qpsk"}};
template <class T>
struct OneOf {
  /// All values.
  OneOf(std::initializer_list<T> all) : values(all) {}
  std::vector<T> values;  ///< All values.
};

namespace detail {
template <class T>
struct ElementOf {
  using Type = T;
  static constexpr bool is_sequence = false;
};
template <class T>
struct ElementOf<std::vector<T>> {
  using Type = T;
  static constexpr bool is_sequence = true;
};

/// The rules of a property, or of the elements of a sequence, of a simple type T.
template <class T>
struct Rules {
  PropertyMode mode = PropertyMode::readwrite;
  std::optional<T> min, max;
  std::vector<T> choices;

  void add(PropertyMode its_mode) { mode = its_mode; }
  template <class U>
  void add(const Range<U>& range) {
    static_assert(kIsOrdered<T>, "only numbers have a range");
    min = static_cast<T>(range.min);
    max = static_cast<T>(range.max);
  }
  template <class U>
  void add(const OneOf<U>& one_of) {
    for (const U& each : one_of.values) choices.push_back(static_cast<T>(each));
  }
};
/// Those of a struct, whose members have rules of their own.
struct StructRules {
  PropertyMode mode = PropertyMode::readwrite;
  void add(PropertyMode its_mode) { mode = its_mode; }
};
template <class T>
using RulesOf = std::conditional_t<kIsSimple<T>, Rules<T>, StructRules>;

template <class R, class... Given>
R rules_of(const Given&... given) {
  R rules;
  (rules.add(given), ...);
  return rules;
}

/// Value `id` that is given to the component that is being constructed, or null.
const PropertyValue* parameter(Component& owner, std::string_view id);
/// Protects the values of the component's properties.
std::unique_lock<std::mutex> lock_values(Component& owner);

/// Throws std::invalid_argument if the rules do not permit the value.
template <class T>
void check_rules(const std::string& subject, const T& value, const Rules<T>& rules) {
  if constexpr (kIsOrdered<T>) {
    // A NaN is in no range.
    if ((rules.min && !(value >= *rules.min)) || (rules.max && !(value <= *rules.max))) {
      throw std::invalid_argument(subject + " cannot be " + property_text(value) + ": it must be " +
                                  (rules.min ? "at least " + property_text(*rules.min) : "") +
                                  (rules.min && rules.max ? " and " : "") +
                                  (rules.max ? "at most " + property_text(*rules.max) : ""));
    }
  }
  if (rules.choices.empty()) return;
  std::string texts;
  for (const T& choice : rules.choices) {
    if (choice == value) return;
    texts += (texts.empty() ? "" : ", ") + property_text(choice);
  }
  throw std::invalid_argument(subject + " cannot be '" + property_text(value) + "': it must be one of " +
                              texts);
}

[[noreturn]] void throw_other_form(const std::string& subject, PropertyForm expected);

/// Stores a value in a variable of type T, a simple type or a sequence of it.
template <class T>
void assign(const std::string& subject, const PropertyValue& value, T& to,
            const Rules<typename ElementOf<T>::Type>& rules) {
  using Element = typename ElementOf<T>::Type;
  if constexpr (ElementOf<T>::is_sequence) {
    if (value.form != PropertyForm::sequence) throw_other_form(subject, PropertyForm::sequence);
    T elements;
    elements.reserve(value.elements.size());
    for (const std::string& text : value.elements) {
      Element element = parse_property<Element>(subject, text);
      check_rules(subject, element, rules);
      elements.push_back(std::move(element));
    }
    to = std::move(elements);
  } else {
    if (value.form != PropertyForm::simple) throw_other_form(subject, PropertyForm::simple);
    Element element = parse_property<Element>(subject, value.text);
    check_rules(subject, element, rules);
    to = std::move(element);
  }
}

/// The value of a variable of a simple type or a sequence of it.
template <class T>
PropertyValue value_of(const T& from) {
  using Element = typename ElementOf<T>::Type;
  if constexpr (ElementOf<T>::is_sequence) {
    std::vector<std::string> elements;
    elements.reserve(from.size());
    for (const Element& element : from) elements.push_back(property_text<Element>(element));
    return PropertyValue::sequence(std::move(elements));
  } else {
    return property_text<T>(from);
  }
}
}  // namespace detail

/// A member of a struct that is the value of a property: its id in the PRF, and where it is stored.
template <class Struct, class T>
struct Member {
  /// Type of the member, or of its elements if it is a sequence.
  using Element = typename detail::ElementOf<T>::Type;
  static_assert(detail::kIsSimple<Element>, "a member of a struct is of a simple type, or a sequence of one");

  /// `id` must outlive the member: a literal. `given` are rules: Range, OneOf.
  template <class... Given>
  Member(const char* member_id, T Struct::*pointer_to_member, const Given&... given)
      : id(member_id), pointer(pointer_to_member), rules(detail::rules_of<detail::Rules<Element>>(given...)) {
  }

  const char* id;                ///< In the PRF.
  T Struct::*pointer;            ///< Where it is stored.
  detail::Rules<Element> rules;  ///< What it may be set to.
};
template <class Struct, class T, class... Given>
Member(const char*, T Struct::*, const Given&...) -> Member<Struct, T>;  ///< Of the struct and the type.

namespace detail {
/// Stores the members given in `value`; the others keep their values.
template <class Struct>
void assign_members(const std::string& subject, const PropertyValue::Members& given, Struct& to) {
  const auto members = Struct::members();
  for (const auto& [id, value] : given) {
    bool is_known = false;
    const auto store = [&, &id = id, &value = value](const auto& member) {
      if (id != member.id) return;
      is_known = true;
      assign(subject + ": member '" + id + "'", value, to.*member.pointer, member.rules);
    };
    std::apply([&](const auto&... each) { (store(each), ...); }, members);
    if (!is_known) throw std::invalid_argument(subject + " has no member '" + id + "'");
  }
}

template <class Struct>
PropertyValue::Members members_of(const Struct& from) {
  PropertyValue::Members all;
  std::apply([&](const auto&... each) { (all.emplace_back(each.id, value_of(from.*each.pointer)), ...); },
             Struct::members());
  return all;
}

template <class T>
MemberType member_type(const char* id) {
  return {id, simple_type<typename ElementOf<T>::Type>(), ElementOf<T>::is_sequence};
}

template <class Struct>
std::vector<MemberType> member_types() {
  std::vector<MemberType> all;
  const auto add = [&]<class T>(const Member<Struct, T>& member) {
    all.push_back(member_type<T>(member.id));
  };
  std::apply([&](const auto&... each) { (add(each), ...); }, Struct::members());
  return all;
}
}  // namespace detail

/// Base of a component's properties, of any type.
class PropertyBase {
 public:
  virtual ~PropertyBase() = default;
  PropertyBase(const PropertyBase&) = delete;
  PropertyBase& operator=(const PropertyBase&) = delete;

  /// Id in the PRF.
  const std::string& id() const { return id_; }
  /// Who may read and set it.
  virtual PropertyMode mode() const = 0;
  /// Its type in a PRF.
  virtual DeclaredType declared_type() const = 0;
  /// Throws std::invalid_argument with a message if it cannot have this value.
  virtual void check(const PropertyValue& value) const = 0;
  /// Sets the value; throws as check.
  virtual void set(const PropertyValue& value) = 0;
  /// The present value.
  virtual PropertyValue read() const = 0;

 protected:
  /// Throws std::invalid_argument if the component already has a property of that id.
  PropertyBase(Component& owner, std::string_view id);

  /// The component.
  Component& owner() const { return owner_; }
  /// "property 'gain'".
  std::string subject() const { return "property '" + id_ + "'"; }

 private:
  Component& owner_;
  std::string id_;
};

/// Property of a component: a member of it, with the property's id in the PRF.
///
///     Property<double> gain_{*this, "gain", 1.0, Range{0, 10}};
///     Property<std::uint32_t> errors_{*this, "errors", 0, PropertyMode::readonly};
///     Property<std::vector<float>> taps_{*this, "taps", {1.0F}};
///
/// T is bool, char, an integer, float, double, std::string, UtcTime, a std::complex of a number, a
/// std::vector of these (a simplesequence), or a struct that names its members, or a std::vector of such
/// structs (a structsequence):
///
///     struct Tuner {
///       double frequency = 100e6;
///       std::vector<float> taps;
///       static auto members() {
///         return std::tuple(Member("frequency", &Tuner::frequency, Range{1e6, 6e9}),
///                           Member("taps", &Tuner::taps));
///       }
///     };
///     Property<Tuner> tuner_{*this, "tuner", {}};
///     Property<std::vector<Tuner>> tuners_{*this, "tuners", {}};
///
/// A property of kind `execparam` has its value when the member is constructed. A property of kind
/// `configure` is set after initialize() and before the component is started, and may be set again while it
/// runs: between two packets, on the component's own thread, so that reading it needs no lock
/// (Component::on_configure). The default applies if no value is given. Of a struct, members that are not
/// given keep their values; of a sequence, they have those of a new T. The constructor throws
/// std::invalid_argument if the value given is not of the type, or its rules do not permit it.
template <class T>
class Property final : public PropertyBase {
  using Element = typename detail::ElementOf<T>::Type;
  static constexpr bool kIsSequence = detail::ElementOf<T>::is_sequence;
  static constexpr bool kIsSimple = detail::kIsSimple<Element>;
  using Rules = detail::RulesOf<Element>;

 public:
  /// `owner` must outlive the property. `given` are rules, as in the PRF: a PropertyMode, a Range, OneOf. Of
  /// a sequence, the latter two are for each element. The default is not checked. Throws
  /// std::invalid_argument for an id in use.
  template <class... Given>
  Property(Component& owner, std::string_view id, T default_value, const Given&... given)
      : PropertyBase(owner, id), rules_(detail::rules_of<Rules>(given...)), value_(std::move(default_value)) {
    if (const PropertyValue* value = detail::parameter(owner, id)) assign(*value, value_);
  }
  /// The present value. By the component's own thread.
  const T& value() const { return value_; }
  /// As value().
  operator const T&() const { return value_; }
  /// Sets the value, of a readonly property, too, and whatever its rules permit others. By the component's
  /// own thread.
  void set_value(T value) {
    const auto lock = detail::lock_values(owner());
    value_ = std::move(value);
  }

  PropertyMode mode() const override { return rules_.mode; }
  DeclaredType declared_type() const override {
    if constexpr (kIsSimple)
      return {
          kIsSequence ? PropertyForm::sequence : PropertyForm::simple, detail::simple_type<Element>(), {}};
    else
      return {kIsSequence ? PropertyForm::structure_sequence : PropertyForm::structure,
              {},
              detail::member_types<Element>()};
  }
  void check(const PropertyValue& value) const override {
    T ignored{};
    assign(value, ignored);
  }
  void set(const PropertyValue& value) override { assign(value, value_); }
  PropertyValue read() const override {
    if constexpr (kIsSimple) {
      return detail::value_of(value_);
    } else if constexpr (kIsSequence) {
      std::vector<PropertyValue::Members> structs;
      for (const Element& each : value_) structs.push_back(detail::members_of(each));
      return PropertyValue::structure_sequence(std::move(structs));
    } else {
      return PropertyValue::structure(detail::members_of(value_));
    }
  }

 private:
  void assign(const PropertyValue& value, T& to) const {
    if constexpr (kIsSimple) {
      detail::assign(subject(), value, to, rules_);
    } else if constexpr (kIsSequence) {
      if (value.form != PropertyForm::structure_sequence)
        detail::throw_other_form(subject(), PropertyForm::structure_sequence);
      T elements;
      for (const auto& members : value.structs)
        detail::assign_members(subject(), members, elements.emplace_back());
      to = std::move(elements);
    } else {
      if (value.form != PropertyForm::structure || value.structs.size() != 1)
        detail::throw_other_form(subject(), PropertyForm::structure);
      T changed = to;
      detail::assign_members(subject(), value.structs.front(), changed);
      to = std::move(changed);
    }
  }

  Rules rules_;
  T value_;
};

}  // namespace orbweaver::sca
