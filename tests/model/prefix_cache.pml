/* Model of prefix caching (docs/formats/shm.md): a writer omits the prefix that its reader has cached, over a
 * ring with laps. Calls of two operations in any order, each with its header announced or not, claimed and
 * abandoned, several in flight, some queued and published together; a connection that is lost at any moment,
 * and the next one with a new reader, which may be of a version without prefix caching. Every frame arrives
 * with its own header, in order; no end waits for ever.
 *
 * Every interleaving of the shared accesses, in the order of the code. A store that becomes visible late is
 * modelled as a slower reader or writer: no end sleeps in this model; ring.pml has late stores and sleepers.
 * All frames have one line. Not modelled: prefixes of different lengths, and a hostile writer's words
 * (prefix_cache_test.cpp).
 *
 * Each of -DPREFIX_NOT_COPIED, -DONE_SLOT, -DPREFIX_STORED_AT_CLAIM, -DPREFIX_NOT_ANNOUNCED,
 * -DPREFIX_OUTLIVES_CONNECTION, -DFEATURE_ASSUMED, -DNO_PUBLISH_BEFORE_WAIT and -DWRAP_WITHOUT_ROOM is a
 * defect that must be found.
 */
#define N 8
#define LAP 2
#define CONNECTIONS 2
#ifndef FRAMES
#define FRAMES 5 /* of a connection, at most */
#endif

/* Kinds of words; 0: not yet written */
#define FRAME 1
#define ANNOUNCED 2 /* FRAME with the prefix length in the upper bits: the reader caches it */
#define SUFFIX 4
#define WRAP 8

byte word[N];
byte line[N];  /* a frame: its number, which is always sent, and its header; 0: omitted */
#define frame(number, header) ((number) * 4 + (header))
byte read_position;     /* RingWords::read_position */
bool supports_prefixes;    /* SegmentHeader::features of the reader's end */
bool disconnected = true; /* when it becomes false again there is a new connection */
byte sent;     /* bit n: header of frame n minus 1, checked by the reader */
#ifdef ONE_SLOT
byte slot;     /* one prefix in the segment instead of one in each end */
#endif

active proctype Writer() {
  byte connection = 1, write_position, cached_position, lap_ends = LAP, n, cached, h, next, beginning, kind;
  byte queued_word, queued_at; /* RingWriter::queued_word_, queued_position_ */
  !disconnected;
  do
  :: n == FRAMES -> write_position == read_position; break      /* all frames were received */
  :: n > 0 && connection < CONNECTIONS ->
    disconnected = true;
    !disconnected;
    d_step { /* another RingWriter, over another segment */
      connection++; write_position = 0; cached_position = 0; lap_ends = LAP; n = 0;
      queued_word = 0; queued_at = 0;
#ifndef PREFIX_OUTLIVES_CONNECTION
      cached = 0
#endif
    }
  :: n < FRAMES ->
    if :: h = 1 :: h = 2 fi;
    /* RingWriter::claim; wait_for_room publishes queued frames first */
    if
    :: write_position + 2 - cached_position > N ->
#ifndef NO_PUBLISH_BEFORE_WAIT
      if
      :: queued_word != 0 -> d_step { word[queued_at % N] = queued_word; queued_word = 0; queued_at = 0 }
      :: else
      fi;
#endif
      atomic { write_position + 2 - read_position <= N -> cached_position = read_position } /* W3 */
    :: else
    fi;
#ifdef PREFIX_STORED_AT_CLAIM
    cached = h;
#endif
    if
    :: goto abandoned                         /* Channel::abandon: the arguments could not be encoded */
    :: true
    fi;
    /* RingWriter::write_piece: which frames announce a header is left open */
    if
#ifdef FEATURE_ASSUMED
    :: kind = (cached == h -> SUFFIX : ANNOUNCED)
#else
    :: supports_prefixes -> kind = (cached == h -> SUFFIX : ANNOUNCED)
#endif
    :: kind = FRAME
    fi;
    d_step {
      n++; sent = (h == 2 -> sent | (1 << n) : sent & (255 - (1 << n)));
      if
      :: kind == ANNOUNCED -> cached = h;
#ifdef ONE_SLOT
         slot = h
#endif
      :: kind == SUFFIX -> h = 0
      :: kind == FRAME ->
#ifdef PREFIX_NOT_ANNOUNCED
         cached = h
#endif
      fi;
      next = write_position + 1
    };
    if
    :: write_position + 1 >= lap_ends ->               /* wraps_after: W3 */
      d_step {
        lap_ends = write_position + 1 + LAP; cached_position = read_position;
        beginning = ((write_position + 1) / N) * N + N;
        if
#ifdef WRAP_WITHOUT_ROOM
        :: beginning - write_position - 1 != N ->
#else
        :: beginning - write_position - 1 != N && write_position - cached_position <= LAP / 2 &&
           beginning + LAP / 2 - cached_position <= N ->
#endif
           next = beginning; lap_ends = next + LAP; kind = kind + WRAP
        :: else
        fi;
        beginning = 0
      }
    :: else
    fi;
    word[next % N] = 0;                      /* W1: first the zero … */
    line[write_position % N] = frame(n, h);
    /* … then the word: publish, or queue and publish_queued at once or later */
    if
    :: queued_word == 0 -> d_step { queued_word = kind; queued_at = write_position }
    :: queued_word != 0 -> word[write_position % N] = kind
    fi;
    write_position = next;
    if
    :: d_step { word[queued_at % N] = queued_word; queued_word = 0; queued_at = 0 }
    :: n < FRAMES                            /* queued: published with the next */
    fi;
abandoned: skip;
    d_step { h = 0; kind = 0; next = 0 }
  od
}

active proctype Reader() {
  byte connection, position, got, w, cached, h, i;
  bool new;
next_connection: skip;
  d_step {
    connection++; position = 0; got = 0; cached = 0; new = false;
    read_position = 0; supports_prefixes = false; i = 0;
    do :: i < N -> word[i] = 0; line[i] = 0; i++ :: else -> break od;
    i = 0; disconnected = false
  };
end: do
  :: disconnected -> goto next_connection
  /* At any time after the connection, or never: an older version. */
  :: !new -> atomic { new = true; supports_prefixes = true }
  :: word[position % N] != 0 ->
    d_step { w = word[position % N]; got++ };   /* R1 */
    d_step {
      h = line[position % N] % 4;
      assert(line[position % N] / 4 == got);
      assert(new || (w & (ANNOUNCED | SUFFIX)) == 0) /* otherwise the reader would disconnect */
    };
    if
    :: (w & ANNOUNCED) != 0 ->                    /* PrefixCache::store */
#ifdef PREFIX_NOT_COPIED
       cached = position % N + 1
#else
       cached = h
#endif
    :: (w & SUFFIX) != 0 ->                    /* PrefixCache::expand */
#ifdef PREFIX_NOT_COPIED
       h = line[cached - 1] % 4
#elif defined(ONE_SLOT)
       h = slot
#else
       h = cached
#endif
    :: (w & FRAME) != 0
    fi;
    d_step {
      assert(h == 1 + ((sent >> got) & 1));
      h = 0; position++;                        /* release */
      if :: w >= WRAP -> position = ((position - 1) / N) * N + N :: w < WRAP fi;
      w = 0
    };
    read_position = position  /* R3: published after each line, as LAP / 2 is one */
  od
}
