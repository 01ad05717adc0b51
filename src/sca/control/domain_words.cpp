#include "sca/control/domain_words.h"

#include <algorithm>

#include "base/printable.h"
#include "sca/control/follow.h"

namespace orbweaver::sca {
namespace {

constexpr std::size_t kMaxWords = 1'000;

/// Calls `name(reference)` for all references concurrently; those that do not answer have no name.
template <class References, class Name>
void add_names(const References& references, Name name, std::vector<std::string>& words) {
  std::vector<std::string> names(references.size());
  each_concurrently(references.size(), [&](std::size_t i) {
    try {
      if (references[i]) names[i] = name(references[i]);
    } catch (const CORBA::Exception&) {
    }
  });
  words.insert(words.end(), names.begin(), names.end());
}

void add_applications(const DomainClient::DomainRef& domain, std::vector<std::string>& words) {
  add_names(
      domain->applications(), [](const auto& each) { return each->name(); }, words);
}

void add_installed(const DomainClient::DomainRef& domain, std::vector<std::string>& words) {
  add_names(
      domain->applicationFactories(), [](const auto& each) { return each->name(); }, words);
}

void add_nodes_and_devices(const DomainClient::DomainRef& domain, std::vector<std::string>& words) {
  const auto managers = domain->deviceManagers();
  add_names(
      managers, [](const auto& each) { return each->label(); }, words);
  std::vector<CF::DeviceSequence> devices(managers.size());
  each_concurrently(managers.size(), [&](std::size_t i) {
    try {
      if (managers[i]) devices[i] = managers[i]->registeredDevices();
    } catch (const CORBA::Exception&) {
    }
  });
  for (const CF::DeviceSequence& of_node : devices)
    add_names(
        of_node, [](const auto& each) { return each->identifier(); }, words);
}

/// The files of the folder of `prefix`.
void add_files(const DomainClient::DomainRef& domain, const std::string& prefix,
               std::vector<std::string>& words) {
  const std::size_t slash = prefix.rfind('/');
  const std::string folder = slash == std::string::npos ? "/" : prefix.substr(0, slash + 1);
  if (folder.find_first_of("*?") != std::string::npos) return;  // which match several
  for (const CF::FileSystem::FileInformationType& each : domain->fileMgr()->list(folder + "*")) {
    const std::string& name = each.name();  // with or without its folder
    const std::string last = name.substr(name.rfind('/') + 1);
    const bool is_folder = each.kind() != CF::FileSystem::FileType::PLAIN;
    if (!last.empty()) words.push_back(folder + last + (is_folder ? "/" : ""));
  }
}

std::vector<std::string> all_words(const ControlOptions& options, DomainWord kind,
                                   const std::string& prefix) {
  const DomainClient client(options);
  std::vector<std::string> words;
  switch (kind) {
    case DomainWord::application: add_applications(client.domain(), words); break;
    case DomainWord::installed_application: add_installed(client.domain(), words); break;
    case DomainWord::object: {
      const auto domain = client.domain();
      add_applications(domain, words);
      add_installed(domain, words);
      add_nodes_and_devices(domain, words);
      break;
    }
    case DomainWord::domain: words = client.domain_names(); break;
    case DomainWord::channel:
      for (const std::string& name : standard_channels())
        if (client.find_in_domain(name)) words.push_back(name);
      break;
    case DomainWord::log:
      if (client.find_in_domain("Log")) words.emplace_back("Log");
      break;
    case DomainWord::file: add_files(client.domain(), prefix, words); break;
  }
  return words;
}

}  // namespace

std::vector<std::string> domain_words(const ControlOptions& options, DomainWord kind,
                                      const std::string& prefix) {
  std::vector<std::string> words;
  const auto read = execute([&] {
    words = all_words(options, kind, prefix);
    return std::string();
  });
  if (!read) return {};
  std::erase_if(words, [&](const std::string& word) {
    return word.empty() || !word.starts_with(prefix) || printable(word) != word;
  });
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  if (words.size() > kMaxWords) words.resize(kMaxWords);
  return words;
}

}  // namespace orbweaver::sca
