/* Model of return notifications (docs/formats/blocks.md): an exporter that waits for returns (demand.pml) and
 * makes no further call is notified of each return. At most one grant is in use; a call may also reclaim it,
 * so that notifications arrive late, for earlier grants.
 *
 * Each end's stores go through a private first-in-first-out buffer, as on x86; a fence, a locked exchange
 * and a system call wait until it is empty. A lost notification leaves the exporter asleep for ever, which
 * spin reports as an invalid end state. Not modelled: machines with weaker ordering, more than ROUNDS grants,
 * importers that do not notify.
 *
 * Each of -DNO_N1_FENCE, -DNO_N1_CHECK, -DNO_REQUEST, -DNO_N2_FENCE and -DCHECK_BEFORE_RETURN is a defect
 * that must be found.
 */
#ifndef ROUNDS
#define ROUNDS 3
#endif

#define NOTIFY 0
#define FRAME 1
#define HELD 2
#define IMPORTED 3

byte frame;            /* number of the grant in the last published frame (the ring, release) */
byte notify_on_return;           /* RegionWords::notify_on_return */
byte held, imported;      /* RegionWords::held, ::imported */
bool notified;             /* the event `returned` is signalled */

chan from_exporter = [4] of { byte, byte };
chan from_importer = [4] of { byte, byte };

inline apply(what, value) {
  if
  :: what == NOTIFY -> notify_on_return = value
  :: what == FRAME -> frame = value
  :: what == HELD -> held = value
  :: what == IMPORTED -> imported = value
  fi
}
active proctype ExporterStoreBuffer() {
  byte what, value;
end: do
  :: d_step { from_exporter ? what, value -> apply(what, value); what = 0; value = 0 }
  od
}
active proctype ImporterStoreBuffer() {
  byte what, value;
end: do
  :: d_step { from_importer ? what, value -> apply(what, value); what = 0; value = 0 }
  od
}

/* ExportedRegion::reclaim: imported first (L2), then held (L4) */
inline reclaim() {
  if
  :: imported == round -> if :: held == 0 -> granted = false :: held != 0 fi
  :: imported != round
  fi
}

active proctype Exporter() {
  byte round;
  bool granted, makes_calls;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
    round++; granted = true;
    if :: makes_calls = true :: makes_calls = false fi;
    from_exporter ! NOTIFY, 1;                  /* ExportedRegion::add_grant: N1 */
    from_exporter ! FRAME, round;
    do
    :: !granted -> break
    :: granted ->
      if
      :: notified -> notified = false                /* ExportedRegion::on_return */
         reclaim();
         if
         :: granted ->                           /* ExportedRegion::ask: N1 */
#ifndef NO_REQUEST
           from_exporter ! NOTIFY, 1;
#ifndef NO_N1_FENCE
           empty(from_exporter);
#endif
#ifndef NO_N1_CHECK
           reclaim()
#endif
#else
           skip
#endif
         :: !granted
         fi
      :: makes_calls && imported == round && held == 0 -> granted = false /* a call reclaims it */
      fi
    od
  od
}

active proctype Importer() {
  byte got;
  bool requested;
  do
  :: got == ROUNDS -> break
  :: got < ROUNDS ->
    frame > got;
    got++;
    from_importer ! HELD, 1;
    from_importer ! IMPORTED, got;              /* L1 */
#ifdef CHECK_BEFORE_RETURN
    requested = (notify_on_return != 0);
#endif
    from_importer ! HELD, 0;                 /* ImportedRegion::deallocate: L3 */
#ifndef NO_N2_FENCE
    empty(from_importer);                    /* N2 */
#endif
#ifndef CHECK_BEFORE_RETURN
    requested = (notify_on_return != 0);
#endif
    if
    :: requested ->
      atomic { empty(from_importer); requested = (notify_on_return != 0);
               notify_on_return = 0 } /* exchange */
      if :: requested -> notified = true :: !requested fi
    :: !requested
    fi;
    requested = false
  od
}
