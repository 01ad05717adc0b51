#include "tls/context.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "platform/file_permissions.h"
#include "tls/identity.h"

namespace orbweaver::tls {
namespace {

namespace fs = std::filesystem;

// Forward secrecy and authenticated encryption only; TLS 1.3 has no other.
constexpr const char* kTls12Ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:DHE+AESGCM:DHE+CHACHA20:!aNULL:!PSK";

Error invalid(const std::string& what) { return {ErrorKind::invalid, what}; }

/// Reason why the file cannot be read; empty if it can. Only regular files are opened: opening a FIFO would
/// block the thread, which accepts connections, until another process writes to it.
std::string unreadable(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return error ? error.message() : "there is no such file";
  if (fs::is_directory(path, error)) return "it is a directory";
  if (!fs::is_regular_file(path, error)) return "it is no regular file";
  return std::ifstream(path) ? "" : "this user may not read it";
}

/// Checks that only its owner can read or change a file with a secret.
Result<void> check_secret(const std::string& named, const std::string& path) {
  const std::string exposed = platform::insecure_permissions_of(path);
  if (exposed.empty()) return {};
  return invalid(named + ": " + exposed +
                 ", so that others than its owner may read or change it: chmod 600 " + path);
}

/// Password callback data: whether OpenSSL requested a password, and the file that has it; without a callback
/// OpenSSL would prompt on the terminal.
struct Password {
  const std::string& file;
  bool requested = false;

  static int read_password(char* room, int bytes, int, void* asked) {
    auto& self = *static_cast<Password*>(asked);
    self.requested = true;
    std::string password;
    std::ifstream in(self.file);
    if (self.file.empty() || !std::getline(in, password)) return -1;
    const bool fits = password.size() <= static_cast<std::size_t>(bytes);
    if (fits) std::copy(password.begin(), password.end(), room);
    const int given = fits ? static_cast<int>(password.size()) : -1;
    OPENSSL_cleanse(password.data(), password.size());
    return given;
  }
};

Result<void> load_certificate(SSL_CTX* context, const Settings& settings) {
  const std::string named = "tls.certificate " + settings.certificate;
  if (const std::string why = unreadable(settings.certificate); !why.empty())
    return invalid(named + ": " + why);
  if (SSL_CTX_use_certificate_chain_file(context, settings.certificate.c_str()) != 1) {
    const unsigned long first = ERR_peek_error();
    const unsigned long code = take_error_code();
    const bool none = ERR_GET_LIB(first) == ERR_LIB_PEM && ERR_GET_REASON(first) == PEM_R_NO_START_LINE;
    return invalid(named + (none ? ": it holds no certificate in PEM form ('-----BEGIN CERTIFICATE-----')"
                                 : ": it cannot be used: " + reason_text(code)));
  }
  const X509& certificate = *SSL_CTX_get0_certificate(context);
  if (X509_cmp_current_time(X509_get0_notAfter(&certificate)) < 0) {
    return invalid(named + " (" + subject_of(certificate) + ") expired on " + end_of_validity(certificate) +
                   ": renew it, or set this machine's clock");
  }
  if (X509_cmp_current_time(X509_get0_notBefore(&certificate)) > 0) {
    return invalid(named + " (" + subject_of(certificate) + ") is not valid before " +
                   begin_of_validity(certificate) + ": set this machine's clock");
  }
  return {};
}

Result<void> load_key(SSL_CTX* context, const Settings& settings) {
  const bool own_file = settings.key != settings.certificate;
  const std::string named = "tls.key " + settings.key;
  if (const std::string why = unreadable(settings.key); !why.empty()) return invalid(named + ": " + why);
  if (!settings.key_password_file.empty()) {
    if (const std::string why = unreadable(settings.key_password_file); !why.empty()) {
      return invalid("tls.key-password-file " + settings.key_password_file + ": " + why);
    }
  }
  Password password{settings.key_password_file};
  const BioPtr file(BIO_new_file(settings.key.c_str(), "r"));
  const PkeyPtr key(file ? PEM_read_bio_PrivateKey(file.get(), nullptr, Password::read_password, &password)
                         : nullptr);
  take_error_code();
  if (!key && password.requested) {
    return invalid(named + (settings.key_password_file.empty()
                                ? " is encrypted: name a file with its password by tls.key-password-file"
                                : " is not opened by the password in " + settings.key_password_file));
  }
  if (!key) {
    return invalid(
        named +
        (own_file
             ? ": it holds no private key in PEM form"
             : ": it holds a certificate and no private key in PEM form: name the key's file by tls.key"));
  }
  if (auto safe = check_secret(named, settings.key); !safe) return safe;
  if (password.requested) {
    const std::string& secret = settings.key_password_file;
    if (auto safe = check_secret("tls.key-password-file " + secret, secret); !safe) return safe;
  }
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    take_error_code();
    return invalid(named + " does not belong to tls.certificate " + settings.certificate +
                   ": name the key for which the certificate was issued");
  }
  return {};
}

Result<void> load_authorities(SSL_CTX* context, const Settings& settings, Role role) {
  if (settings.ca.empty()) {
    if (role == Role::client && settings.verify != Verify::none) SSL_CTX_set_default_verify_paths(context);
    return {};
  }
  const std::string named = "tls.ca " + settings.ca;
  std::error_code error;
  const bool directory = fs::is_directory(settings.ca, error);
  if (!directory) {
    if (const std::string why = unreadable(settings.ca); !why.empty()) return invalid(named + ": " + why);
  }
  const int loaded = directory ? SSL_CTX_load_verify_dir(context, settings.ca.c_str())
                               : SSL_CTX_load_verify_file(context, settings.ca.c_str());
  if (loaded != 1) {
    take_error_code();
    return invalid(named + ": it holds no certificate in PEM form ('-----BEGIN CERTIFICATE-----')");
  }
  // Every certificate in the file is a trust anchor, whether or not it is self-signed.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  if (role == Role::server && !directory) {
    // sent to clients, for their choice of a certificate
    SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(settings.ca.c_str()));
  }
  return {};
}

Result<void> set_rules(SSL_CTX* context, const Settings& settings, Role role) {
  if (!settings.tls12 && !settings.tls13)
    return invalid("tls.min-version is 1.3 and tls.max-version is 1.2: empty range");
  SSL_CTX_set_max_proto_version(context, settings.tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  SSL_CTX_set_min_proto_version(context, settings.tls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  // Connections are long: session resumption would save little and keep secrets longer.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_mode(context, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  const std::string& list = settings.ciphers;
  if (SSL_CTX_set_cipher_list(context, list.empty() ? kTls12Ciphers : list.c_str()) != 1) {
    take_error_code();
    return invalid("tls.ciphers '" + list +
                   "' names no known cipher of TLS 1.2: `openssl ciphers -v -tls1_2` lists them");
  }
  if (!settings.ciphersuites.empty() &&
      SSL_CTX_set_ciphersuites(context, settings.ciphersuites.c_str()) != 1) {
    take_error_code();
    return invalid("tls.ciphersuites '" + settings.ciphersuites +
                   "' is not a list of cipher suites of TLS 1.3: `openssl ciphers -v -s -tls1_3` lists them");
  }
  int mode = settings.verify == Verify::none ? SSL_VERIFY_NONE : SSL_VERIFY_PEER;
  if (role == Role::server && settings.verify == Verify::required) mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  SSL_CTX_set_verify(context, mode, nullptr);
  return {};
}

/// Identity and modification time of a file; changes when it is replaced.
std::string stamp(const std::string& path) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error).time_since_epoch().count();
  const auto bytes = fs::is_directory(path, error) ? 0 : fs::file_size(path, error);
  return path + '\n' + std::to_string(time) + ' ' + std::to_string(bytes) + '\n';
}

}  // namespace

Result<ContextPtr> make_context(const Settings& settings, Role role) {
  if (role == Role::server) {
    if (settings.certificate.empty()) {
      return invalid(
          "a server needs a certificate: -ORBTransportOption tls.certificate=FILE (and tls.key, unless the "
          "file holds the key, too)");
    }
    if (settings.ca.empty() && settings.verify != Verify::none) {
      return invalid(
          "a server needs its clients' authorities: -ORBTransportOption tls.ca=FILE, or "
          "tls.verify=none to admit every client");
    }
  }
  ContextPtr context(SSL_CTX_new(role == Role::server ? TLS_server_method() : TLS_client_method()),
                     SSL_CTX_free);
  if (!context)
    return Error{ErrorKind::unavailable, "OpenSSL cannot be used: " + reason_text(take_error_code())};
  if (!settings.certificate.empty()) {
    if (auto loaded = load_certificate(context.get(), settings); !loaded) return loaded.take_error();
    if (auto loaded = load_key(context.get(), settings); !loaded) return loaded.take_error();
  }
  if (auto loaded = load_authorities(context.get(), settings, role); !loaded) return loaded.take_error();
  if (auto set = set_rules(context.get(), settings, role); !set) return set.take_error();
  ERR_clear_error();
  return context;
}

Result<ContextPtr> Contexts::get(const Settings& settings, Role role) {
  const std::string made_from = std::to_string(static_cast<int>(role)) +
                                std::to_string(static_cast<int>(settings.verify)) +
                                (settings.tls12 ? "2" : "3") + stamp(settings.certificate) +
                                stamp(settings.key) + stamp(settings.key_password_file) + stamp(settings.ca) +
                                settings.ciphers + '\n' + settings.ciphersuites;
  const std::lock_guard lock(mutex_);
  if (const auto known = contexts_.find(made_from); known != contexts_.end()) return known->second;
  auto context = make_context(settings, role);
  if (!context) return context;
  if (contexts_.size() >= kMaxContexts) contexts_.clear();
  contexts_.emplace(made_from, *context);
  return context;
}

}  // namespace orbweaver::tls
