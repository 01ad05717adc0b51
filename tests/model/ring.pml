/* The ring of docs/formats/shm.md with its laps: one writer, one reader, every interleaving of their shared accesses.
 *
 * Each end's stores go through a buffer of its own, first in first out, as on x86: a store may become visible long
 * after later loads. A fence (and a system call) waits until the buffer is empty. What the model does not see: machines
 * that reorder stores or loads with each other (there the acquires and releases matter; the race detector sees those),
 * the words of a hostile peer, more than FRAMES frames, and sizes other than these.
 *
 * Sizes are in lines of 64 bytes. The code's are N = 16384, LAP = 64 to 256; what matters is N >= 4 * LAP, as it demands.
 * When it asks for a restart is its own business: here, after any frame that is short enough.
 * -DRESTART_WITHOUT_ROOM, -DNO_ZERO, -DNO_W2_FENCE, -DNO_R2_LOOK, -DNO_LAST_LINE, -DNO_R4_WAKE break it: each must be found.
 */
#define N 8
#define LAP 2
#define TELL 2 /* RingReader: at most N / 4 */
#ifndef FRAMES
#define FRAMES 5
#endif

#define WORD 0
#define DATA 1
#define READER 2
#define WRITER 3
#define HEAD 4

byte word[N];   /* a frame's first word: its lines, and RESTART; 0: not yet written */
#define RESTART 8
byte data[N];   /* which frame lies in a line */
byte lines[FRAMES + 1]; /* what the writer sent, for the reader to compare with */
byte head;      /* RingWords::head */
bool reader_asleep, writer_asleep;      /* RingWords::reader, ::writer: kAsleep */
bool reader_in_kernel, writer_in_kernel; /* inside futex_wait */

chan from_writer = [8] of { byte, byte, byte };
chan from_reader = [4] of { byte, byte, byte };

inline apply(what, at, value) {
  if
  :: what == WORD -> word[at] = value
  :: what == DATA -> at_ = 0; /* all lines of a frame: the reader looks at them when it is done with them */
     do :: at_ < lines[value] -> data[(at + at_) % N] = value; at_++ :: else -> break od
  :: what == READER -> reader_asleep = value
  :: what == WRITER -> writer_asleep = value
  :: what == HEAD -> head = value
  fi
}

active proctype WritersBuffer() {
  byte what, at, value, at_;
end: do
  :: d_step { from_writer ? what, at, value -> apply(what, at, value); what = 0; at = 0; value = 0; at_ = 0 }
  od
}
active proctype ReadersBuffer() {
  byte what, at, value, at_;
end: do
  :: d_step { from_reader ? what, at, value -> apply(what, at, value); what = 0; at = 0; value = 0; at_ = 0 }
  od
}

active proctype Writer() {
  byte tail, head_, sent, n, end_, next, beginning;
  bool restart;
  do
  :: sent == FRAMES -> break
  :: sent < FRAMES ->
    if :: n = 1 :: n = 2 fi; /* 2 > LAP / 2: such a frame never restarts */
    /* RingWriter::claim: one line beyond the frame stays free */
    if
#ifdef NO_LAST_LINE
    :: tail + n - head_ > N ->
#else
    :: tail + n + 1 - head_ > N ->
#endif
      do /* RingWriter::wait_for_room */
      :: from_writer ! WRITER, 0, 1;         /* W4: seq_cst store, so … */
         empty(from_writer);                 /* … behind a fence */
         head_ = head;                       /* W3 */
         if
         :: tail + n + 1 - head_ <= N -> break
         :: else ->
           atomic { if :: writer_asleep -> writer_in_kernel = true :: else fi }
           !writer_in_kernel
         fi
      od;
      from_writer ! WRITER, 0, 0
    :: else
    fi;
    /* RingWriter::publish */
    atomic { sent++; lines[sent] = n; end_ = tail + n; next = end_; restart = false };
    if
    :: n <= LAP / 2 ->
      /* RingWriter::restarts_after: W3 */
      atomic { head_ = head; beginning = (end_ / N) * N + N };
      if
#ifdef RESTART_WITHOUT_ROOM
      :: beginning - end_ != N && tail - head_ <= LAP / 2 ->
#else
      :: beginning - end_ != N && tail - head_ <= LAP / 2 && beginning + LAP / 2 - head_ <= N ->
#endif
         atomic { next = beginning; restart = true }
      :: else
      fi
    :: true
    fi;
#ifndef NO_ZERO
    from_writer ! WORD, next % N, 0;         /* W1: first the zero … */
#endif
    from_writer ! DATA, tail % N, sent;
    from_writer ! WORD, tail % N, (restart -> n + RESTART : n); /* … then the frame, release */
    tail = next;
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

/* RingReader::tell_progress */
inline tell() {
  told = head_;
  from_reader ! HEAD, 0, head_;              /* R3 */
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
  byte head_, told, got, w, next, line;
  do
  :: got == FRAMES -> break
  :: got < FRAMES ->
    w = word[head_ % N];                     /* R1 */
    if
    :: w == 0 ->                             /* RingReader::wait_for_word */
      if
      :: told != head_ -> told = head_; from_reader ! HEAD, 0, head_ /* R3 alone: it has nothing to do */
      :: true
      fi;
      w = word[head_ % N];                   /* R1: a reader that spins */
      if
      :: w != 0 -> goto received
      :: w == 0
      fi;
      /* RingReader::sleep_for_word */
      tell();
      do
      :: from_reader ! READER, 0, 1;         /* R2 … */
         empty(from_reader);
#ifdef NO_R2_LOOK
         w = 0;
#else
         w = word[head_ % N];                /* … looks a last time */
#endif
         if
         :: w != 0 -> from_reader ! READER, 0, 0; break
         :: w == 0 ->
           atomic { if :: reader_asleep -> reader_in_kernel = true :: else fi }
           !reader_in_kernel;
#ifdef NO_R2_LOOK
           w = word[head_ % N]; if :: w != 0 -> break :: w == 0 fi
#endif
         fi
      od
    :: w != 0
    fi;
received:
    /* RingReader::receive: this frame, whole, in order … */
    /* A writer never has more room than one ring beyond what it was told: what a reader takes after its death. */
    atomic { got++; assert((w & 7) == lines[got]); next = head_ + (w & 7); assert(next < told + N) };
    if
    :: w >= RESTART -> atomic { next = ((next - 1) / N) * N + N; assert(next + LAP / 2 - told <= N) } /* … refused else */
    :: w < RESTART
    fi;
    /* … and it stays so until the release */
    d_step {
      line = 0;
      do :: line < (w & 7) -> assert(data[(head_ + line) % N] == got); line++ :: else -> break od;
      line = 0; head_ = next /* RingReader::release */
    };
    if :: head_ - told >= TELL -> tell() :: head_ - told < TELL fi
  od;
  if :: told != head_ -> tell() :: told == head_ fi
}
