/* The bell of a link (docs/formats/blocks.md): a giver that makes no call any more hears of each return. A gift is out at
 * most; it may also be taken back by a call that happens to be made, so that rings come late, for gifts long gone.
 *
 * Each end's stores go through a buffer of its own, first in first out, as on x86; a fence, a locked exchange and a
 * system call wait until it is empty. A ring that is lost leaves the giver asleep for ever, which spin finds as an
 * invalid end. Not seen: machines that reorder more, more than ROUNDS gifts, receivers that do not ring.
 *
 * -DNO_N1_FENCE, -DNO_N1_LOOK, -DNO_ASK, -DNO_N2_FENCE, -DLOOK_BEFORE_RETURN break it: each must be found.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif

#define WANTED 0
#define FRAME 1
#define HELD 2
#define TAKEN 3

byte frame;            /* the number of the gift in the frame published last: the ring, release */
byte wanted;           /* LinkWords::wanted */
byte held, taken;      /* LinkWords::held, ::taken */
bool rung;             /* a byte lies in the giver's end of the lease */

chan from_giver = [4] of { byte, byte };
chan from_receiver = [4] of { byte, byte };

inline apply(what, value) {
  if
  :: what == WANTED -> wanted = value
  :: what == FRAME -> frame = value
  :: what == HELD -> held = value
  :: what == TAKEN -> taken = value
  fi
}
active proctype GiversBuffer() {
  byte what, value;
end: do
  :: d_step { from_giver ? what, value -> apply(what, value); what = 0; value = 0 }
  od
}
active proctype ReceiversBuffer() {
  byte what, value;
end: do
  :: d_step { from_receiver ? what, value -> apply(what, value); what = 0; value = 0 }
  od
}

/* GivingLink::reclaim: taken first (L2), then held (L4) */
inline reclaim() {
  if
  :: taken == round -> if :: held == 0 -> out = false :: held != 0 fi
  :: taken != round
  fi
}

active proctype Giver() {
  byte round;
  bool out, calls;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
    round++; out = true;
    if :: calls = true :: calls = false fi;
    from_giver ! WANTED, 1;                  /* GivingLink::give: N1 */
    from_giver ! FRAME, round;
    do
    :: !out -> break
    :: out ->
      if
      :: rung -> rung = false                /* GivingLink::heard */
         reclaim();
         if
         :: out ->                           /* GivingLink::ask_for_return: N1 */
#ifndef NO_ASK
           from_giver ! WANTED, 1;
#ifndef NO_N1_FENCE
           empty(from_giver);
#endif
#ifndef NO_N1_LOOK
           reclaim()
#endif
#else
           skip
#endif
         :: !out
         fi
      :: calls && taken == round && held == 0 -> out = false /* a call is made, and takes back */
      fi
    od
  od
}

active proctype Receiver() {
  byte got;
  bool asked;
  do
  :: got == ROUNDS -> break
  :: got < ROUNDS ->
    frame > got;
    got++;
    from_receiver ! HELD, 1;
    from_receiver ! TAKEN, got;              /* L1 */
#ifdef LOOK_BEFORE_RETURN
    asked = (wanted != 0);
#endif
    from_receiver ! HELD, 0;                 /* TakenLink::give_back: L3 */
#ifndef NO_N2_FENCE
    empty(from_receiver);                    /* N2 */
#endif
#ifndef LOOK_BEFORE_RETURN
    asked = (wanted != 0);
#endif
    if
    :: asked ->
      atomic { empty(from_receiver); asked = (wanted != 0); wanted = 0 } /* exchange */
      if :: asked -> rung = true :: !asked fi
    :: !asked
    fi;
    asked = false
  od
}
