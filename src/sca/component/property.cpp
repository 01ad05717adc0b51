#include <orbweaver/sca/property.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <orbweaver/sca/component.h>

namespace orbweaver::sca {

PropertyBase::PropertyBase(Component& owner, std::string_view id) : owner_(owner), id_(id) {
  if (owner.find_property(id) != nullptr) {
    throw std::invalid_argument("the component has two properties with the id '" + id_ +
                                "'; rename one of them, in the class and in its PRF");
  }
  owner.properties_.push_back(this);
}

namespace detail {

const PropertyValue* parameter(Component& owner, std::string_view id) { return owner.context_.value(id); }

std::unique_lock<std::mutex> lock_values(Component& owner) { return std::unique_lock(owner.values_mutex_); }

void throw_other_form(const std::string& subject, PropertyForm expected) {
  const char* const form = expected == PropertyForm::simple      ? "a simple value"
                           : expected == PropertyForm::sequence  ? "a sequence of simple values"
                           : expected == PropertyForm::structure ? "a struct"
                                                                 : "a sequence of structs";
  throw std::invalid_argument(subject + " must be " + form);
}

bool parse_time(const std::string& text, UtcTime& time) {
  using namespace std::chrono;
  if (text == "now") {
    const auto now = system_clock::now().time_since_epoch();
    const auto whole = floor<seconds>(now);
    time = {whole.count(), duration<double>(now - whole).count()};
    return true;
  }
  unsigned year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  int read = 0;
  if (text.find_first_not_of("0123456789:.") != std::string::npos ||
      std::sscanf(text.c_str(), "%4u:%2u:%2u::%2u:%2u:%2u%n", &year, &month, &day, &hour, &minute, &second,
                  &read) != 6)
    return false;
  const year_month_day date{std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                            std::chrono::day(day)};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return false;
  const std::string rest = text.substr(static_cast<std::size_t>(read));
  double fraction = 0;
  if (!rest.empty()) {
    if (rest[0] != '.' || rest.find_first_not_of("0123456789", 1) != std::string::npos) return false;
    if (rest.size() > 1) std::from_chars(rest.data(), rest.data() + rest.size(), fraction);
  }
  const auto at = sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
  time = {duration_cast<seconds>(at.time_since_epoch()).count(), fraction};
  return true;
}

std::string time_text(const UtcTime& time) {
  using namespace std::chrono;
  // Years of four digits.
  constexpr std::int64_t kFirst = -62'167'219'200, kLast = 253'402'300'799;
  const sys_seconds at{seconds(std::clamp(time.seconds, kFirst, kLast))};
  const auto midnight = floor<days>(at);
  const year_month_day date{midnight};
  const hh_mm_ss of_day{at - midnight};
  char text[64];
  const int size =
      std::snprintf(text, sizeof text, "%04d:%02u:%02u::%02d:%02d:%02d", static_cast<int>(date.year()),
                    static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                    static_cast<int>(of_day.hours().count()), static_cast<int>(of_day.minutes().count()),
                    static_cast<int>(of_day.seconds().count()));
  std::string result(text, static_cast<std::size_t>(size));
  if (!(time.fraction > 0 && time.fraction < 1)) return result;
  char fraction[32];
  const auto written =
      std::to_chars(fraction, fraction + sizeof fraction, time.fraction, std::chars_format::fixed);
  return result + std::string(fraction + 1, written.ptr);  // without the 0 before the point
}

}  // namespace detail

}  // namespace orbweaver::sca
