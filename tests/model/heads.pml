/* Heads that repeat (docs/formats/shm.md): a writer leaves out what its reader still holds, over a ring with laps. Calls
 * of two operations in any order, each with its header announced or not, claimed and given up, several in flight, some
 * kept and shown together; a connection that is lost at any moment, and the next one, with a reader of its own, which may
 * be of a version that knows no heads. Every frame arrives with its own header, in order; nothing waits for ever.
 *
 * Every interleaving of the shared accesses, in the order of the code. A store that becomes visible late is here a
 * slower reader or writer: nobody sleeps in this model, and what late stores do to sleepers is ring.pml's. All frames are
 * of one line. What the model does not see: heads whose lengths differ, and what a hostile writer says of them
 * (repeated_head_test.cpp has it).
 *
 * -DHEAD_NOT_COPIED, -DONE_SLOT, -DHEAD_KEPT_AT_CLAIM, -DHEAD_UNTOLD, -DHEAD_OUTLIVES, -DFEATURE_ASSUMED,
 * -DNO_SHOW_BEFORE_WAIT, -DRESTART_WITHOUT_ROOM break it: each must be found.
 */
#define N 8
#define LAP 2
#define CONNECTIONS 2
#ifndef FRAMES
#define FRAMES 5 /* of a connection, at most */
#endif

/* Kinds of words; 0: not yet written */
#define FRAME 1
#define KEPT 2 /* FRAME, with the length of a head in its upper bits */
#define REST 4
#define RESTART 8

byte word[N];
byte line[N];  /* a frame: its number, which is sent each time, and its header: 0 where it is left out */
#define frame(number, header) ((number) * 4 + (header))
byte head;     /* RingWords::head */
bool knows;    /* SegmentHeader::features of the reader's end */
bool lost = true; /* the connection: when it is false again there is a new one */
byte sent;     /* of frame n the header, less one, is bit n: for the reader to compare with */
#ifdef ONE_SLOT
byte slot;     /* a head in the segment instead of one in each end */
#endif

active proctype Writer() {
  byte connection = 1, tail, head_, lap_ends = LAP, n, kept, h, next, beginning, kind;
  byte first_word, first_at; /* RingWriter::kept_word_, kept_at_ */
  !lost;
  do
  :: n == FRAMES -> tail == head; break      /* all has arrived */
  :: n > 0 && connection < CONNECTIONS ->
    lost = true;
    !lost;
    d_step { /* another RingWriter, over another segment */
      connection++; tail = 0; head_ = 0; lap_ends = LAP; n = 0; first_word = 0; first_at = 0;
#ifndef HEAD_OUTLIVES
      kept = 0
#endif
    }
  :: n < FRAMES ->
    if :: h = 1 :: h = 2 fi;
    /* RingWriter::claim; wait_for_room shows what is kept first */
    if
    :: tail + 2 - head_ > N ->
#ifndef NO_SHOW_BEFORE_WAIT
      if :: first_word != 0 -> d_step { word[first_at % N] = first_word; first_word = 0; first_at = 0 } :: else fi;
#endif
      atomic { tail + 2 - head <= N -> head_ = head } /* W3 */
    :: else
    fi;
#ifdef HEAD_KEPT_AT_CLAIM
    kept = h;
#endif
    if
    :: goto given_up                         /* Channel::abandon: the arguments could not be encoded */
    :: true
    fi;
    /* Channel::repeats, and RingWriter::place: use_head */
    if
#ifdef FEATURE_ASSUMED
    :: kind = (kept == h -> REST : KEPT)
#else
    :: knows -> kind = (kept == h -> REST : KEPT)
#endif
    :: kind = FRAME
    fi;
    d_step {
      n++; sent = (h == 2 -> sent | (1 << n) : sent & (255 - (1 << n)));
      if
      :: kind == KEPT -> kept = h;
#ifdef ONE_SLOT
         slot = h
#endif
      :: kind == REST -> h = 0
      :: kind == FRAME ->
#ifdef HEAD_UNTOLD
         kept = h
#endif
      fi;
      next = tail + 1
    };
    if
    :: tail + 1 >= lap_ends ->               /* restarts_after: W3 */
      d_step {
        lap_ends = tail + 1 + LAP; head_ = head; beginning = ((tail + 1) / N) * N + N;
        if
#ifdef RESTART_WITHOUT_ROOM
        :: beginning - tail - 1 != N ->
#else
        :: beginning - tail - 1 != N && tail - head_ <= LAP / 2 && beginning + LAP / 2 - head_ <= N ->
#endif
           next = beginning; lap_ends = next + LAP; kind = kind + RESTART
        :: else
        fi;
        beginning = 0
      }
    :: else
    fi;
    word[next % N] = 0;                      /* W1: first the zero … */
    line[tail % N] = frame(n, h);
    /* … then the word: publish, or keep, and publish_kept at once or later */
    if
    :: first_word == 0 -> d_step { first_word = kind; first_at = tail }
    :: first_word != 0 -> word[tail % N] = kind
    fi;
    tail = next;
    if
    :: d_step { word[first_at % N] = first_word; first_word = 0; first_at = 0 }
    :: n < FRAMES                            /* kept: the next shows it, too */
    fi;
given_up: skip;
    d_step { h = 0; kind = 0; next = 0 }
  od
}

active proctype Reader() {
  byte connection, head_, got, w, kept, h, i;
  bool new;
next_connection: skip;
  d_step {
    connection++; head_ = 0; got = 0; kept = 0; new = false;
    head = 0; knows = false; i = 0;
    do :: i < N -> word[i] = 0; line[i] = 0; i++ :: else -> break od;
    i = 0; lost = false
  };
end: do
  :: lost -> goto next_connection
  :: !new -> atomic { new = true; knows = true } /* any time after the hand-over, or never: an older version */
  :: word[head_ % N] != 0 ->
    d_step { w = word[head_ % N]; got++ };   /* R1 */
    d_step {
      h = line[head_ % N] % 4;
      assert(line[head_ % N] / 4 == got);
      assert(new || (w & (KEPT | REST)) == 0) /* it would end the connection */
    };
    if
    :: (w & KEPT) != 0 ->                    /* RepeatedHead::keep */
#ifdef HEAD_NOT_COPIED
       kept = head_ % N + 1
#else
       kept = h
#endif
    :: (w & REST) != 0 ->                    /* RepeatedHead::put_back */
#ifdef HEAD_NOT_COPIED
       h = line[kept - 1] % 4
#elif defined(ONE_SLOT)
       h = slot
#else
       h = kept
#endif
    :: (w & FRAME) != 0
    fi;
    d_step {
      assert(h == 1 + ((sent >> got) & 1));
      h = 0; head_++;                        /* release */
      if :: w >= RESTART -> head_ = ((head_ - 1) / N) * N + N :: w < RESTART fi;
      w = 0
    };
    head = head_                             /* R3: told after each line, as LAP / 2 is one */
  od
}
