/* Model of the ring of docs/formats/shm.md with its laps: one writer, one reader, every interleaving of their
 * shared accesses.
 *
 * Each end's stores go through a private first-in-first-out buffer, as on x86: a store may become visible
 * long after later loads. A fence (and a system call) waits until the buffer is empty. Not modelled: machines
 * that reorder stores or loads with each other (there the acquires and releases matter, which the race
 * detector checks), the words of a hostile peer, more than FRAMES frames, and other sizes.
 *
 * Sizes are in lines of 64 bytes. The code has N = 16384 and LAP = 64 to 256; the model needs N >= 4 * LAP,
 * as the code does. The code chooses when to restart at the ring's beginning; the model may after any frame
 * that is short enough. Each of -DWRAP_WITHOUT_ROOM, -DNO_ZERO, -DNO_W2_FENCE, -DNO_R2_CHECK, -DNO_LAST_LINE
 * and -DNO_R4_WAKE is a defect that must be found.
 */
#define N 8
#define LAP 2
#define PUBLISH_INTERVAL 2 /* RingReader: at most N / 4 */
#ifndef FRAMES
#define FRAMES 5
#endif

#define WORD 0
#define DATA 1
#define READER 2
#define WRITER 3
#define READ_POSITION 4

byte word[N];   /* a frame's first word: its lines, and WRAP; 0: not yet written */
#define WRAP 8
byte data[N];   /* number of the frame in a line */
byte lines[FRAMES + 1]; /* sizes of the frames sent, checked by the reader */
byte read_position;      /* RingWords::read_position */
bool reader_asleep, writer_asleep;      /* RingWords::reader_state, ::writer_state: kAsleep */
bool reader_in_kernel, writer_in_kernel; /* inside futex_wait */

chan from_writer = [8] of { byte, byte, byte };
chan from_reader = [4] of { byte, byte, byte };

inline apply(what, at, value) {
  if
  :: what == WORD -> word[at] = value
  :: what == DATA -> at_ = 0; /* all lines of a frame: the reader checks them at the release */
     do :: at_ < lines[value] -> data[(at + at_) % N] = value; at_++ :: else -> break od
  :: what == READER -> reader_asleep = value
  :: what == WRITER -> writer_asleep = value
  :: what == READ_POSITION -> read_position = value
  fi
}

active proctype WriterStoreBuffer() {
  byte what, at, value, at_;
end: do
  :: d_step { from_writer ? what, at, value -> apply(what, at, value); what = 0; at = 0; value = 0; at_ = 0 }
  od
}
active proctype ReaderStoreBuffer() {
  byte what, at, value, at_;
end: do
  :: d_step { from_reader ? what, at, value -> apply(what, at, value); what = 0; at = 0; value = 0; at_ = 0 }
  od
}

active proctype Writer() {
  byte write_position, cached_position, sent, n, end_, next, beginning;
  bool wraps;
  do
  :: sent == FRAMES -> break
  :: sent < FRAMES ->
    if :: n = 1 :: n = 2 fi; /* 2 > LAP / 2: never followed by a restart */
    /* RingWriter::claim: one line behind the frame stays free */
    if
#ifdef NO_LAST_LINE
    :: write_position + n - cached_position > N ->
#else
    :: write_position + n + 1 - cached_position > N ->
#endif
      do /* RingWriter::wait_for_room */
      :: from_writer ! WRITER, 0, 1;         /* W4: seq_cst store, so … */
         empty(from_writer);                 /* … behind a fence */
         cached_position = read_position;                       /* W3 */
         if
         :: write_position + n + 1 - cached_position <= N -> break
         :: else ->
           atomic { if :: writer_asleep -> writer_in_kernel = true :: else fi }
           !writer_in_kernel
         fi
      od;
      from_writer ! WRITER, 0, 0
    :: else
    fi;
    /* RingWriter::publish */
    atomic { sent++; lines[sent] = n; end_ = write_position + n; next = end_; wraps = false };
    if
    :: n <= LAP / 2 ->
      /* RingWriter::wraps_after: W3 */
      atomic { cached_position = read_position; beginning = (end_ / N) * N + N };
      if
#ifdef WRAP_WITHOUT_ROOM
      :: beginning - end_ != N && write_position - cached_position <= LAP / 2 ->
#else
      :: beginning - end_ != N && write_position - cached_position <= LAP / 2 &&
         beginning + LAP / 2 - cached_position <= N ->
#endif
         atomic { next = beginning; wraps = true }
      :: else
      fi
    :: true
    fi;
#ifndef NO_ZERO
    from_writer ! WORD, next % N, 0;         /* W1: first the zero … */
#endif
    from_writer ! DATA, write_position % N, sent;
    from_writer ! WORD, write_position % N, (wraps -> n + WRAP : n); /* … then the frame, release */
    write_position = next;
#ifndef NO_W2_FENCE
    empty(from_writer);                      /* W2 */
#endif
    if
    :: reader_asleep ->
       from_writer ! READER, 0, 0;
       empty(from_writer); reader_in_kernel = false /* futex_wake */
    :: !reader_asleep
    fi
  od
}

/* RingReader::publish_position */
inline publish_position() {
  published = position;
  from_reader ! READ_POSITION, 0, position;              /* R3 */
  empty(from_reader);                        /* R4 … */
  if
#ifdef NO_R4_WAKE
  :: true
#else
  :: writer_asleep -> from_reader ! WRITER, 0, 0; empty(from_reader); writer_in_kernel = false
  :: !writer_asleep
#endif
  fi
}

active proctype Reader() {
  byte position, published, got, w, next, line;
  do
  :: got == FRAMES -> break
  :: got < FRAMES ->
    w = word[position % N];                     /* R1 */
    if
    :: w == 0 ->                             /* RingReader::spin_before_sleep */
      if
      :: published != position -> published = position;
         from_reader ! READ_POSITION, 0, position /* R3 alone: the reader is idle */
      :: true
      fi;
      w = word[position % N];                   /* R1: a reader that spins */
      if
      :: w != 0 -> goto received
      :: w == 0
      fi;
      /* RingReader::wait_for_word_asleep */
      publish_position();
      do
      :: from_reader ! READER, 0, 1;         /* R2 … */
         empty(from_reader);
#ifdef NO_R2_CHECK
         w = 0;
#else
         w = word[position % N];                /* … checks a last time */
#endif
         if
         :: w != 0 -> from_reader ! READER, 0, 0; break
         :: w == 0 ->
           atomic { if :: reader_asleep -> reader_in_kernel = true :: else fi }
           !reader_in_kernel;
           w = word[position % N];             /* R1: before it announces a sleep again */
           if :: w != 0 -> from_reader ! READER, 0, 0; break :: w == 0 fi
         fi
      od
    :: w != 0
    fi;
received:
    /* RingReader::receive: this frame, complete, in order … */
    /* A writer has space for at most one ring beyond the published position: what a reader reads after its
       death. */
    atomic { got++; assert((w & 7) == lines[got]); next = position + (w & 7); assert(next < published + N) };
    if
    :: w >= WRAP -> atomic { next = ((next - 1) / N) * N + N;
                         assert(next + LAP / 2 - published <= N) } /* … otherwise rejected */
    :: w < WRAP
    fi;
    /* … and unchanged until the release */
    d_step {
      line = 0;
      do :: line < (w & 7) -> assert(data[(position + line) % N] == got); line++ :: else -> break od;
      line = 0; position = next /* RingReader::release */
    };
    if :: position - published >= PUBLISH_INTERVAL -> publish_position()
       :: position - published < PUBLISH_INTERVAL fi
  od;
  if :: published != position -> publish_position() :: published == position fi
}
