#include "monitor/http/library_server.h"

#include <algorithm>
#include <string>

#include "base/catch_and_log.h"

namespace orbweaver::monitor {
namespace {

/// Headers of every response. The page loads nothing from elsewhere, and no other page may show or read it.
constexpr std::pair<const char*, const char*> kSecurityHeaders[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
};

HttpRequest request_of(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method == "HEAD" ? "GET" : from.method;
  request.path = from.target.substr(0, from.target.find('?'));
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    request.header.emplace(lower, value);
  }
  request.body = from.body;
  return request;
}

void set_response(httplib::Response& to, HttpResponse from) {
  to.status = from.status;
  for (const auto& [name, value] : kSecurityHeaders) to.set_header(name, value);
  for (const auto& [name, value] : from.header) to.set_header(name, value);
  if (!from.next) {
    if (from.status != 204) to.set_content(from.body, from.type);
    return;
  }
  to.set_chunked_content_provider(from.type,
                                  [next = std::move(from.next)](std::size_t, httplib::DataSink& sink) {
                                    const auto text = next();
                                    if (!text) {
                                      sink.done();
                                      return true;
                                    }
                                    if (text->empty())
                                      return sink.is_writable == nullptr || sink.is_writable();
                                    return sink.write(text->data(), text->size());
                                  });
}

/// Calls process_request of cpp-httplib before 0.17, and that of later releases.
template <class Process, class Stream, class Setup>
bool call(Process process, httplib::Server& server, Stream& stream, bool close, bool& closed, Setup setup) {
  if constexpr (std::is_invocable_v<Process, httplib::Server&, Stream&, bool, bool&, Setup>) {
    return std::invoke(process, server, stream, close, closed, setup);
  } else if constexpr (std::is_invocable_v<Process, httplib::Server&, Stream&, std::string, int, std::string,
                                           int, bool, bool&, Setup>) {
    return std::invoke(process, server, stream, std::string(), 0, std::string(), 0, close, closed, setup);
  } else {
    return std::invoke(process, server, stream, std::string(), 0, std::string(), 0, close, closed, setup,
                       nullptr);
  }
}

}  // namespace

LibraryServer::LibraryServer(HttpHandlers handlers) : handlers_(std::move(handlers)) {
  svr_sock_ = 0;  // not INVALID_SOCKET, which would end endless responses; the library does not use it
  set_payload_max_length(kMaxBodyBytes);
  set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
    return refused(request, response) ? HandlerResponse::Handled : HandlerResponse::Unhandled;
  });
  const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
    answer(request, response);
  };
  Get(".*", handler);
  Post(".*", handler);
  Patch(".*", handler);
  Delete(".*", handler);
  set_exception_handler([](const httplib::Request&, httplib::Response& response, std::exception_ptr error) {
    catch_and_log("HTTP request", [&] { std::rethrow_exception(error); });
    set_response(response, refuse({500, "the monitor has failed; its log says why"}));
  });
  // Errors of the library itself have no body.
  const HandlerWithResponse on_error = [](const httplib::Request&, httplib::Response& response) {
    if (response.body.empty())
      set_response(response, refuse({response.status, "the request cannot be answered"}));
    return HandlerResponse::Handled;
  };
  set_error_handler(on_error);
}

bool LibraryServer::refused(const httplib::Request& request, httplib::Response& response) const {
  const bool control_character = std::any_of(request.path.begin(), request.path.end(),
                                             [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (control_character) {
    set_response(response, refuse({400, "the path contains a control character"}));
    return true;
  }
  const auto refusal = handlers_.admit(request_of(request));
  if (!refusal) return false;
  set_response(response, refuse(*refusal));
  return true;
}

void LibraryServer::answer(const httplib::Request& request, httplib::Response& response) const {
  set_response(response, handlers_.answer(request_of(request)));
}

bool LibraryServer::serve(RequestStream& stream) {
  // A body may remain unread, so that no other request can follow it.
  const bool close = stream.has_body();
  bool closed = false;
  const bool written =
      call(&LibraryServer::process_request, *this, stream, close, closed, [](httplib::Request&) {});
  return written && !close && !closed;
}

void LibraryServer::write_refusal(RequestStream& stream, const Refusal& refusal) const {
  const std::string body = refuse(refusal).body;
  std::string text = "HTTP/1.1 " + std::to_string(refusal.status) + " Refused\r\n";
  for (const auto& [name, value] : kSecurityHeaders)
    text.append(name).append(": ").append(value).append("\r\n");
  text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
          "\r\nConnection: close\r\n\r\n" + body;
  (void)stream.write(text.data(), text.size());
}

void LibraryServer::stop() noexcept {
  stopped_ = true;
  svr_sock_ = INVALID_SOCKET;
}

}  // namespace orbweaver::monitor
