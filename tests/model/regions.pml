/* Model of blocks over regions (docs/formats/blocks.md): A lends blocks to B, which holds them and exports
 * some to C. B and C die at any moment, at the latest at the end. A process that reads a block sees it
 * unchanged until it releases it, and at the end all blocks are returned to A.
 *
 * Every interleaving of the shared accesses, which happen in the order of the code: L1 to L4 prevent other
 * orders. Not modelled: those orders, more than BLOCKS blocks, GRANTS grants in use and ROUNDS loans, and a
 * hostile importer (hostile_importer_test.cpp).
 *
 * Each of -DIMPORTED_FIRST, -DRECLAIM_BEYOND_IMPORTED, -DNO_LIVENESS_FD_COPY, -DNO_FORWARD_REF and
 * -DNO_ABANDON is a defect that must be found.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif
#define BLOCKS 1
#define GRANTS 2
#define NONE 255

byte content[BLOCKS];  /* written by A: changes when the block is lent again */
byte refs[BLOCKS];     /* Block::refs_ in A: its loan, and one for each grant in use */

byte imported1, imported2;   /* RegionWords::imported, of A to B and of B to C; written by the importer */
bool held1[GRANTS], held2; /* RegionWords::held; at most one grant of B to C is in use */

bool b_alive = true, c_alive = true;
bool c_has_liveness_fd;  /* B has sent C a copy of its liveness descriptor from A, in the region message */
#define liveness1_hung_up (!b_alive && !(c_has_liveness_fd && c_alive))
#define liveness2_hung_up (!c_alive)

chan to_b = [GRANTS] of { byte, byte, byte }; /* frames: grant, block, content */
chan to_c = [1] of { byte, byte, byte };

inline drop_grant(g) {
  atomic {
    if
    :: granted[g % GRANTS] != NONE -> refs[granted[g % GRANTS]]--; granted[g % GRANTS] = NONE
    :: else
    fi
  }
}

/* ExportedRegion::reclaim_returned_grants: reclaim (L2, L4), is_abandoned, drop_all */
inline reclaim() {
#ifdef RECLAIM_BEYOND_IMPORTED
  t = next;
#else
  t = imported1;                                    /* L2 */
#endif
  g = oldest;
  do
  :: g < t -> if :: !held1[g % GRANTS] -> drop_grant(g) :: held1[g % GRANTS] fi; g++ /* L4 */
  :: g >= t -> break
  od;
  do :: oldest < next && granted[oldest % GRANTS] == NONE -> oldest++ :: else -> break od;
#ifndef NO_ABANDON
  if
  :: oldest != next && liveness1_hung_up ->
     do :: oldest < next -> drop_grant(oldest); oldest++ :: else -> break od
  :: else
  fi;
#endif
  t = 0; g = 0
}

active proctype A() {
  byte round, next, oldest, b, g, t;
  byte granted[GRANTS] = NONE;                        /* ExportedRegion::granted_ */
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
    do                                           /* lend */
    :: refs[0] == 0 -> break
    :: refs[0] != 0 -> reclaim()
    od;
    atomic { round++; refs[b] = 1; content[b] = round };
    reclaim();                                 /* BlockExporter::export_block */
    if
    :: granted[next % GRANTS] == NONE ->
      d_step { granted[next % GRANTS] = b; refs[b]++ };
      atomic { if :: b_alive -> to_b ! next, b, round :: !b_alive fi }; /* … or lost with the connection */
      next++
    :: else                                      /* all grants are in use: the payload is copied */
    fi;
    refs[b]--
  od;
  liveness1_hung_up;                                   /* all importers have ended */
  reclaim();
  assert(refs[0] == 0)
}

/* Drops a reference in B; with the last one, ImportedRegion::deallocate (L3) */
inline release_in_b(h) { references[h]--; if :: references[h] == 0 -> held1[h] = 0 :: references[h] != 0 fi }

active proctype B() {
  byte grant, b, c, next2;
  byte references[GRANTS], block[GRANTS], expected[GRANTS];  /* B's blocks by grant */
  bool own[GRANTS];
  byte granted2 = NONE;                              /* the grant of A exported to C */
  do
  :: to_b ? grant, b, c ->
    if
    :: true                                      /* the request is rejected before its arguments are read */
    :: true ->                                   /* BlockImporter::import_block */
#ifdef IMPORTED_FIRST
      imported1 = grant + 1; held1[grant % GRANTS] = 1;
#else
      held1[grant % GRANTS] = 1; imported1 = grant + 1; /* L1 */
#endif
      d_step { grant = grant % GRANTS; references[grant] = 1; own[grant] = 1; block[grant] = b;
               expected[grant] = c }
    fi;
    grant = 0; b = 0; c = 0
  :: own[0] -> assert(content[block[0]] == expected[0]); own[0] = 0; release_in_b(0)
  :: own[1] -> assert(content[block[1]] == expected[1]); own[1] = 0; release_in_b(1)
  /* Exported again: BlockExporter::export_block in B. */
  :: granted2 == NONE && c_alive && (own[0] || own[1]) ->
    if :: own[0] -> grant = 0 :: own[1] -> grant = 1 fi;
#ifndef NO_LIVENESS_FD_COPY
    c_has_liveness_fd = true;
#endif
#ifndef NO_FORWARD_REF
    references[grant]++;
#endif
    atomic { granted2 = grant; c = expected[grant]; b = block[grant]; grant = 0 };
    to_c ! next2, b, c;
    next2++; b = 0; c = 0
  /* With a later grant, on_return or on_hangup: demand.pml */
  :: granted2 != NONE && ((imported2 == next2 && !held2) || liveness2_hung_up) ->
#ifndef NO_FORWARD_REF
    release_in_b(granted2);
#endif
    granted2 = NONE
  :: b_alive = false -> break
  od
}

active proctype C() {
  byte grant, b, c;
  do
  :: to_c ? grant, b, c ->
    held2 = 1; imported2 = grant + 1;                /* L1 */
    assert(content[b] == c);
    if :: true :: c_alive = false -> goto dead fi;
    assert(content[b] == c);
    held2 = 0;                                   /* L3 */
    grant = 0; b = 0; c = 0
  :: c_alive = false -> break
  od;
dead: skip
}
