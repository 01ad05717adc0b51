#pragma once

#include "transport/testing/contract/batching.h"
#include "transport/testing/contract/closing.h"
#include "transport/testing/contract/connecting.h"
#include "transport/testing/contract/deadlines.h"
#include "transport/testing/contract/death.h"
#include "transport/testing/contract/delivery.h"
#include "transport/testing/contract/limits.h"
#include "transport/testing/contract/polling.h"
#include "transport/testing/contract/pressure.h"

/// The conformance suite: every bullet of transport.h is a test here, and every transport passes all of them.
/// A new transport joins with a fixture (see fixtures.h) and one line in contract_test.cpp:
///
///   INSTANTIATE_TYPED_TEST_SUITE_P(Shm, TransportContract, ShmFixture);
namespace orbweaver::transport::testing {

REGISTER_TYPED_TEST_SUITE_P(
    TransportContract,
    // delivery.h
    AFrameArrivesWholeAndUnchanged,
                            AHeadThatIsPutChangesNoFrame, FramesOfEverySizeArriveInOrder, AnAnswerFollowsEveryQuestion,
    BothDirectionsCarryFramesAtOnce, AFrameLargerThanEveryBufferPasses, LessMayBeCommittedThanWasClaimed,
    AnAbandonedClaimSendsNothing, FramesBeginOnMultiplesOfEight, AReceivedFrameStaysUntouchedUntilItsRelease,
    // pressure.h
    AFullReceiverBlocksTheSenderAndNothingIsLost, ASlowReceiverSetsThePace, SteadyTrafficAllocatesNothing,
    AStreamOfOneWaysAllocatesNothing, BothEndsMaySendLargeFramesBeforeEitherReceives,
    // batching.h
    QueuedFramesArriveBeforeTheCommitThatFollows, AFlushSendsWhatIsQueuedAndNothingElse,
    MoreThanEveryBufferMayBeQueued, QueueingAllocatesNothing,
    // polling.h
    OneThreadServesManyChannelsByPoll, AFrameThatIsThereAlreadyNeedsNoPoll, AnIdleDescriptorIsNotReadable,
    NoWakeUpIsLostInARaceOfSendingAndArming, TheEndOfThePeerWakesAPoll, TheDeathOfThePeerWakesAPoll,
    AnAcceptorIsReadableWhileAPeerWaits,
    // deadlines.h
    ReceiveEndsAtItsDeadlineAndTheChannelStaysGood, APassedDeadlineStillFetchesWhatIsThere,
    AnExchangeWithinItsDeadlineSucceeds, ASenderWaitsForRoomAtMostUntilItsDeadline,
    // closing.h
    CloseWakesWhoeverWaitsInReceiveOnEitherEnd, CloseWakesASenderThatWaitsForRoom, AfterCloseEveryCallFails,
    ACommitAfterCloseFails, FramesCommittedBeforeTheCloseAreStillReceived,
    AFailedSendDoesNotHideWhatThePeerSentBeforeItClosed, ACloseBehindALongQueueLosesNothing,
    CloseAtAnyMomentOfTheTrafficEndsBothEnds,
    // limits.h
    AFrameOfExactlyTheLimitPassesAndOneBeyondIsRefused, AFrameBeyondTheReceiversLimitEndsTheChannel,
    BytesThatAreNoFrameEndTheirChannelAndNoOther, ALengthThatCannotBeEndsTheChannel,
    // connecting.h
    ConnectingToNobodyIsAClearError, AnAddressServesOneListenerAndIsFreeAfterIt, ClosingAnAcceptorEndsAccept,
    AChannelOutlivesItsAcceptor, BothEndsKnowTheirPeerByName, ManyPeersAreServedAtOnce,
    FiveHundredConnectionsLeaveNothingBehind,
    // death.h
    ThePeersDeathEndsReceive, ThePeersDeathEndsASenderThatWaitsForRoom, WhatAPeerSentBeforeItsDeathIsReceived,
    DeathAtAnyMomentOfSendingLeavesWholeFramesOnly, DeathAtAnyMomentOfReceivingEndsTheSender,
    AStoppedPeerIsWaitedForAndNotGivenUp);

}  // namespace orbweaver::transport::testing
