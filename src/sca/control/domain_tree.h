#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sca/control/domain_client.h"

/// What a domain consists of, as its CORBA objects tell: plain data.
namespace orbweaver::sca {

/// What all objects of the tree have.
struct ReadObject {
  std::string id, name, profile;
  std::string problem;  ///< Why it could not be read: "does not answer (TIMEOUT)"; empty: it was.
};

struct ReadProperty {
  std::string id;
  std::string text;
  nlohmann::json value;
};

struct ReadDevice : ReadObject {
  std::string admin, operational, usage;
  std::string part_of;  ///< Id of the device of which it is part (compositeDevice); empty: of none.
  std::vector<ReadProperty> properties;  ///< That can be queried; capacities are among them.
};

struct ReadNode : ReadObject {
  std::vector<ReadDevice> devices;
  std::vector<std::string> services;
};

struct ReadComponent {
  std::string id, device, implementation, name;
  std::uint32_t process = 0;  ///< 0: unknown.
};

struct ReadApplication : ReadObject {
  std::string state;      ///< "started", "failed", …; empty: not known, as of other core frameworks.
  std::string failure;    ///< Why it has failed; empty: it has not.
  bool redeploy = false;  ///< It is created again when a node of it is lost.
  IDL::traits<CF::Application>::ref_type reference;
  std::vector<ReadComponent> components;
};

struct ReadFactory : ReadObject {
  IDL::traits<CF::ApplicationFactory>::ref_type reference;
};

struct DomainTree {
  std::string name, id, profile;
  std::vector<ReadNode> nodes;
  std::vector<ReadFactory> installed;
  std::vector<ReadApplication> applications;
};

/// Each asks the objects concurrently: one that does not answer delays the others by nothing, and has a
/// `problem`. Raises exceptions if the domain manager itself does not answer.
std::vector<ReadNode> read_nodes(const DomainClient::DomainRef& domain);
std::vector<ReadFactory> read_factories(const DomainClient::DomainRef& domain);
std::vector<ReadApplication> read_applications(const DomainClient::DomainRef& domain);
/// Why an application has failed; empty if it has not, or its domain does not tell.
std::string failure_of(const IDL::traits<CF::Application>::ref_type& application) noexcept;
DomainTree read_tree(const DomainClient::DomainRef& domain, const std::string& name);

nlohmann::json to_json(const ReadNode& node);
nlohmann::json to_json(const ReadFactory& factory);
nlohmann::json to_json(const ReadApplication& application);
nlohmann::json to_json(const DomainTree& tree);
/// Lines for people, each indented by `indent` blanks. The parts of a device follow it.
std::string to_text(const ReadNode& node, std::size_t indent);
std::string to_text(const ReadDevice& device, std::size_t indent);
std::string to_text(const ReadFactory& factory, std::size_t indent);
std::string to_text(const ReadApplication& application, std::size_t indent);
std::string to_text(const DomainTree& tree);

}  // namespace orbweaver::sca
