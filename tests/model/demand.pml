/* Model of the return of forwarded blocks on demand (docs/formats/blocks.md): A lends its only block to B,
 * which forwards it to C. A thread of A that waits for the block is woken when the last holder has released
 * it, although no process makes a further call, and whatever ends before: a connection, a region, or a
 * process. At the end, no process keeps a liveness descriptor that it has inherited.
 *
 * Link i is the region that node i exports to node i + 1; nodes 1 and 2 are B and C. A thread that is not
 * woken sleeps for ever, which spin reports as an invalid end state. Not modelled: stores that are delayed
 * (return_notification.pml), several blocks and grants (regions.pml), more than ROUNDS loans, a second
 * forwarder, which would double the events.
 *
 * Each of -DNO_EVENT, -DNO_DEMAND_AT_GRANT, -DNO_CHECK_ON_DEMAND, -DNO_DEMAND_AT_END, -DCLEAR_LATE,
 * -DNO_NOTIFY and -DNO_ABANDON is a defect that must be found.
 */
#ifndef ROUNDS
#define ROUNDS 1
#endif
#define NODES 3
#define LAST 2

bool in_pool = true;     /* the block is free */
bool waiting;            /* LoanWaiters::any */

/* RegionWords and RegionEvents of each link */
byte imported[NODES];
bool held[NODES], notify_on_return[NODES], returns_wanted[NODES], ended[NODES];
bool returned_event[NODES], changed_event[NODES];

/* ExportedRegion of each link */
byte grants[NODES];
bool locked[NODES], granted[NODES], exported[NODES];

/* ImportedRegion of each node */
byte refs[NODES];        /* of the block: its own, and one for the grant that it has made */
bool region_ended[NODES], released[NODES]; /* kEnded; on_end_and_unused was called */

bool dead[NODES], closed[NODES]; /* closed: the connection of link i */
bool may_end;            /* one connection or process ends at any time; that of A ends at last */
chan frames[NODES] = [1] of { byte };

/* All holders of the liveness descriptor of link i have closed it. */
#define closed_inherited(n) (dead[n] || !exported[(n) - 1] || released[n])
#define closed_own1 (dead[1] || (released[1] && closed[0] && (!exported[1] || closed[1])))
#define hung_up0 (closed_own1 && closed_inherited(2))
#define hung_up1 (dead[2] || (released[2] && closed[1]))
#define hung_up(i) ((i == 0 && hung_up0) || (i == 1 && hung_up1))

/* ExportedRegion::ask: notified_returns; D1 */
inline ask(i) {
  d_step {
    notify_on_return[i] = true;
#ifndef NO_EVENT
    if :: !returns_wanted[i] -> changed_event[i] = true :: else fi;
#endif
    returns_wanted[i] = true
  }
}

/* ImportedRegion::on_end_and_unused, announce_end */
inline release_region(n) {
  released[n] = true;
  if :: n < LAST && exported[n] -> ended[n] = true; changed_event[n] = true :: else fi
}

/* Block::release_ref in node n; with the last one, ImportedRegion::deallocate: L3, N2, leave */
inline release_ref(n) {
  atomic { refs[n]--; if :: refs[n] == 0 -> last = true; held[n - 1] = false :: else fi };
  if
  :: last ->
    atomic {
      last = false;
#ifndef NO_NOTIFY
      if
      :: notify_on_return[n - 1] -> notify_on_return[n - 1] = false; returned_event[n - 1] = true
      :: else
      fi;
#endif
      if :: region_ended[n] -> release_region(n) :: else fi
    }
  :: else
  fi
}

/* The rest of a function that holds the lock of link i: ExportedRegion::reclaim, drop_all */
inline reclaim_and_unlock(i) {
  atomic {
    if
    :: granted[i] && ((imported[i] == grants[i] && !held[i])
#ifndef NO_ABANDON
                      || hung_up(i)
#endif
                      ) ->
      granted[i] = false;
      if :: i == 0 -> in_pool = true; locked[i] = false :: else -> drop = true fi
    :: else -> locked[i] = false
    fi
  };
  if :: drop -> drop = false; release_ref(i); locked[i] = false :: else fi
}

/* request_returns */
inline request_returns(i) {
  if
  :: exported[i] ->
    atomic { !locked[i] -> locked[i] = true; if :: granted[i] -> ask(i) :: else fi };
#ifdef NO_CHECK_ON_DEMAND
    locked[i] = false
#else
    reclaim_and_unlock(i)
#endif
  :: else
  fi
}

/* ImportedRegion::end */
inline end_region(n) {
  atomic {
    if
    :: region_ended[n] -> first = false
    :: else -> first = true; region_ended[n] = true;
      if :: refs[n] == 0 -> first = false; release_region(n) :: else fi
    fi
  };
#ifndef NO_DEMAND_AT_END
  if :: first && n < LAST -> request_returns(n) :: else fi;
#endif
  first = false
}

#define demand(n) ((n == 0 && waiting) || (n > 0 && (returns_wanted[n - 1] || region_ended[n])))

/* BlockExporter::export_block in node n, of a block to which it has a reference: add_grant */
inline grant(n) {
  exported[n] = true;                      /* register_region */
  atomic { !locked[n] -> locked[n] = true };
#ifndef NO_DEMAND_AT_GRANT
  if
  :: demand(n) -> ask(n)
  :: else ->                               /* the demand has ended some time ago, or not yet */
    if :: returns_wanted[n] = false :: true fi
  fi;
#endif
  atomic {
    grants[n]++; granted[n] = true; locked[n] = false;
    if :: n > 0 -> refs[n]++ :: else -> in_pool = false fi
  };
  atomic { if :: closed[n] || dead[n + 1] :: else -> frames[n] ! grants[n] fi }
}

active proctype A() {
  byte round;
  bool last, drop;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
    round++;
    if :: !closed[0] && !dead[1] -> grant(0) :: else fi;
    if
    :: waiting = true; request_returns(0); in_pool; waiting = false /* lend, which needs this block */
    :: round == ROUNDS
    fi
  od;
  closed[0] = true;
  closed_inherited(2);
  waiting = true;
  request_returns(0);
  in_pool
}

/* `ow-hangup` in node n: ImportedRegion::on_change of link n - 1, ExportedRegion::on_return and on_hangup of
 * link n */
proctype Watch(byte n) {
  bool last, first, drop;
end: do
  :: n > 0 && changed_event[n - 1] && !dead[n] ->
#ifndef CLEAR_LATE
    changed_event[n - 1] = false;
#endif
    if
    :: ended[n - 1] -> end_region(n)
    :: else ->
      if :: n < LAST && demand(n) -> request_returns(n) :: else fi
    fi;
#ifdef CLEAR_LATE
    changed_event[n - 1] = false
#endif
  :: n < LAST && returned_event[n] && !dead[n] ->
    returned_event[n] = false;
    atomic { !locked[n] -> locked[n] = true; if :: granted[n] && demand(n) -> ask(n) :: else fi };
    reclaim_and_unlock(n)
#ifndef NO_ABANDON
  :: n < LAST && granted[n] && hung_up(n) && !dead[n] ->
    atomic { !locked[n] -> locked[n] = true };
    reclaim_and_unlock(n)
#endif
  od
}

/* A thread of node n that reads the connection of link n - 1 and forwards its blocks. */
proctype Node(byte n) {
  byte got;
  bool last, first, drop;
end: do
  :: frames[n - 1] ? got ->
    if
    :: region_ended[n] -> got = 0           /* rejected */
    :: else ->
      d_step { refs[n] = 1; held[n - 1] = true; imported[n - 1] = got; got = 0 };
      if
      :: n < LAST && !closed[n] && !dead[n + 1] -> grant(n)
      :: true
      fi;
      release_ref(n)
    fi
  :: may_end -> atomic { may_end = false; closed[n - 1] = true }  /* with or without frames unread */
  :: may_end && !locked[n] -> atomic { may_end = false; dead[n] = true }; break
  :: closed[n - 1] || dead[n - 1] -> end_region(n); break
  od
}

init {
  atomic {
    if :: may_end = true :: may_end = false fi;
    run Watch(0); run Watch(1); run Watch(2);
    run Node(1); run Node(2)
  }
}
