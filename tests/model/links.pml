/* Blocks over links (docs/formats/blocks.md): A lends blocks to B, which holds them and hands some on to C. B and C die
 * at any moment, at the end at the latest. Whoever reads a block sees it unchanged until it is done with it, and in the
 * end all blocks are back with A.
 *
 * Every interleaving of the shared accesses, which happen in the order of the code: that no machine reorders them is
 * L1 to L4's doing and not seen here, nor more than BLOCKS blocks, GIFTS gifts out at once and ROUNDS loans. A receiver
 * that lies is none of the model's: links_test.cpp has it.
 *
 * -DTAKEN_FIRST, -DRECLAIM_BEYOND_TAKEN, -DNO_LEASE_COPY, -DNO_FORWARD_REF, -DNO_ABANDON break it: each must be found.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif
#define BLOCKS 1
#define GIFTS 2
#define NONE 255

byte content[BLOCKS];  /* what A wrote: it changes when the block is lent again */
byte refs[BLOCKS];     /* Block::refs_ in A: its own loan, and one for each gift that is out */

byte taken1, taken2;   /* LinkWords::taken, of A to B and of B to C; written by the receiver */
bool held1[GIFTS], held2; /* LinkWords::held; B has one gift to C out at most */

bool b_alive = true, c_alive = true;
bool c_has_lease;      /* B has sent C its own lease from A: in the message that announces its link */
#define lease1_hung (!b_alive && !(c_has_lease && c_alive))
#define lease2_hung (!c_alive)

chan to_b = [GIFTS] of { byte, byte, byte }; /* frames: gift, block, content */
chan to_c = [1] of { byte, byte, byte };

inline drop_gift(g) { atomic { if :: out[g % GIFTS] != NONE -> refs[out[g % GIFTS]]--; out[g % GIFTS] = NONE :: else fi } }

/* GivingLink::take_back_returned: reclaim (L2, L4), is_abandoned, drop_all */
inline take_back() {
#ifdef RECLAIM_BEYOND_TAKEN
  t = next;
#else
  t = taken1;                                    /* L2 */
#endif
  g = oldest;
  do
  :: g < t -> if :: !held1[g % GIFTS] -> drop_gift(g) :: held1[g % GIFTS] fi; g++ /* L4 */
  :: g >= t -> break
  od;
  do :: oldest < next && out[oldest % GIFTS] == NONE -> oldest++ :: else -> break od;
#ifndef NO_ABANDON
  if
  :: oldest != next && lease1_hung -> do :: oldest < next -> drop_gift(oldest); oldest++ :: else -> break od
  :: else
  fi;
#endif
  t = 0; g = 0
}

active proctype A() {
  byte round, next, oldest, b, g, t;
  byte out[GIFTS] = NONE;                        /* GivingLink::out */
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
    do                                           /* lend */
    :: refs[0] == 0 -> break
    :: refs[0] != 0 -> take_back()
    od;
    atomic { round++; refs[b] = 1; content[b] = round };
    take_back();                                 /* Outbox::give */
    if
    :: out[next % GIFTS] == NONE ->
      d_step { out[next % GIFTS] = b; refs[b]++ };
      atomic { if :: b_alive -> to_b ! next, b, round :: !b_alive fi }; /* … or it is lost with the connection */
      next++
    :: else                                      /* all are out: the payload is copied */
    fi;
    refs[b]--
  od;
  lease1_hung;                                   /* everybody has gone */
  take_back();
  assert(refs[0] == 0)
}

/* The last reference in B has gone: TakenLink::give_back (L3) */
inline drop_in_b(h) { mine[h]--; if :: mine[h] == 0 -> held1[h] = 0 :: mine[h] != 0 fi }

active proctype B() {
  byte gift, b, c, next2;
  byte mine[GIFTS], block[GIFTS], was[GIFTS];    /* what B holds, by gift: references, block, content */
  bool own[GIFTS];
  byte out2 = NONE;                              /* the gift of A's that is out to C */
  do
  :: to_b ? gift, b, c ->
    if
    :: true                                      /* the request is refused before its arguments are read */
    :: true ->                                   /* Inbox::take */
#ifdef TAKEN_FIRST
      taken1 = gift + 1; held1[gift % GIFTS] = 1;
#else
      held1[gift % GIFTS] = 1; taken1 = gift + 1; /* L1 */
#endif
      d_step { gift = gift % GIFTS; mine[gift] = 1; own[gift] = 1; block[gift] = b; was[gift] = c }
    fi;
    gift = 0; b = 0; c = 0
  :: own[0] -> assert(content[block[0]] == was[0]); own[0] = 0; drop_in_b(0)
  :: own[1] -> assert(content[block[1]] == was[1]); own[1] = 0; drop_in_b(1)
  :: out2 == NONE && c_alive && (own[0] || own[1]) -> /* handed on: Outbox::give in B */
    if :: own[0] -> gift = 0 :: own[1] -> gift = 1 fi;
#ifndef NO_LEASE_COPY
    c_has_lease = true;
#endif
#ifndef NO_FORWARD_REF
    mine[gift]++;
#endif
    atomic { out2 = gift; c = was[gift]; b = block[gift]; gift = 0 };
    to_c ! next2, b, c;
    next2++; b = 0; c = 0
  :: out2 != NONE && ((taken2 == next2 && !held2) || lease2_hung) -> /* GivingLink::heard, whenever the bell rings: bell.pml */
#ifndef NO_FORWARD_REF
    drop_in_b(out2);
#endif
    out2 = NONE
  :: b_alive = false -> break
  od
}

active proctype C() {
  byte gift, b, c;
  do
  :: to_c ? gift, b, c ->
    held2 = 1; taken2 = gift + 1;                /* L1 */
    assert(content[b] == c);
    if :: true :: c_alive = false -> goto dead fi;
    assert(content[b] == c);
    held2 = 0;                                   /* L3 */
    gift = 0; b = 0; c = 0
  :: c_alive = false -> break
  od;
dead: skip
}
