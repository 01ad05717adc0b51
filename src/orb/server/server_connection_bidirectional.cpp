/// ServerConnection: bidirectional connections (CORBA 3.3 part 2, 9.8).
#include "orb/bidirectional/accepted_offer.h"
#include "orb/bidirectional/split_channel.h"
#include "orb/core.h"
#include "orb/server/server_connection.h"

namespace orbweaver::orb {

void ServerConnection::accept_offers(std::shared_ptr<AcceptedOffer> offer) {
  offer->add_peer(peer_);
  offer_ = std::move(offer);
  source_ = offer_.get();
  split_.store(&offer_->split(), std::memory_order_release);
}

void ServerConnection::serve_bidirectional_only(SplitChannel& split) noexcept {
  split_.store(&split, std::memory_order_release);
  bidirectional_only_ = true;
  is_plain_connection_ = served_.is_plain = false;
}

void ServerConnection::put_back(Bytes frame) noexcept {
  if (split_.load(std::memory_order_relaxed) != nullptr) SplitChannel::put_back(*channel_, frame);
}

void ServerConnection::owe_replies() noexcept {
  if (owes_replies_ || split_.load(std::memory_order_relaxed) == nullptr) return;
  owes_replies_ = true;
  SplitChannel::owe_replies(*channel_);
}

bool ServerConnection::take_offer(const giop::RequestHeader& request, giop::Version version) {
  const auto taken = offer_->take(request.contexts, version);
  if (taken) return true;
  send_message_error();
  close_with_warning(taken.error().message);
  return false;
}

bool ServerConnection::serves(Bytes object_key) {
  ObjectFinder& finder = *core_.finder();
  return finder.knows(object_key) && (!bidirectional_only_ || finder.is_bidirectional(object_key));
}

}  // namespace orbweaver::orb
