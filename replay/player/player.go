package player

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Sink receives the played frames. Run calls its methods in its own goroutine, and ends if one of
// them returns an error.
type Sink interface {
	// Play receives the bytes [from, to) of a frame, which are due now: all bytes or, if
	// Options.Reads is set, the bytes of one read. The frame is valid only during the call.
	Play(f *replay.Frame, from, to int) error
	// Flush is called before every wait, when no more frames are due, and before a control is
	// applied.
	Flush() error
}

// StateSink is a Sink that receives, between two frames, the state changes that no control caused.
// Live: the player caught up with a running session and plays frames as they arrive. SetMark: it
// paused after a marked frame. SetLoop: it restarted. End: it stays at the end.
type StateSink interface {
	Sink
	StateChanged(Op, State) error
}

// Options configures a player. The zero value plays all frames at the recorded speed.
type Options struct {
	Speed     Speed         // 0 means Normal
	IdleLimit time.Duration // the longest silence, in recorded time; 0 for no limit
	// From is the place where playing starts, and the recorded time at which the clock starts: the
	// time from the start until a frame is due is the recorded time from From to the frame. The
	// zero Place is the session's first frame.
	From   replay.Place
	To     schema.Position // the last position to play; zero for the end
	Filter replay.Filter
	// Loop restarts playing at LoopFrom after the end; the zero Place is the session's first frame.
	// The last frame of a pass and the first of the next are due at the same time, but passes start
	// at least ShortestPass apart. A loop without a frame to play ends.
	Loop     bool
	LoopFrom replay.Place
	// Marker is a result of ParseMarker; zero for none. After a marked frame the player pauses or,
	// if EndAtMarker is set, Run ends.
	Marker      Mark
	EndAtMarker bool
	Hold        bool // pause at the end instead of ending
	// LagLimit ends Run with a LagError if a frame is played later than due by more than the limit
	// because the sink is slow; 0 for no limit. At speed Max frames have no due time.
	LagLimit time.Duration
	Bare     bool // frames need no envelope
	// Reads plays each read of a frame that arrived in several reads at its own time.
	Reads   bool
	Alarm   func() Alarm // nil means TimerAlarm
	Metrics *Metrics     // nil for none
}

// Summary describes a playback.
type Summary struct {
	Frames uint64          // frames that were played completely
	Last   schema.Position // position of the last of them; zero for none
	Offset time.Duration   // recorded time reached, from the session's first frame
	Marker string          // marker that ended the playback before the end of the tape, "" for none
}

// Player plays one tape to one sink, once.
type Player struct {
	tape replay.Tape
	sink Sink
	opts Options

	controls chan control
	done     chan struct{} // closed when Run returns
	used     atomic.Bool

	// The fields below are used only by the goroutine of Run.
	alarm     Alarm
	clock     clock
	prefetch  prefetcher
	paused    bool
	steps     *control // the step in progress, with left frames to go
	left      int64
	live      bool          // frames are played as they arrive
	near      time.Time     // time until which the tape had no more frames
	arrivedAt time.Time     // when awaited frames arrived; zero if none did
	begun     replay.Place  // where playing began, or the latest seek
	since     uint64        // frames played since
	passAt    time.Time     // when the pass of a loop began
	whole     bool          // the pass began at LoopFrom
	owed      time.Duration // how late the pass began, from the second pass on
	fresh     bool          // no frame was played since the start or the last seek
	dirty     bool          // frames were played since the last flush
	offset    int           // played bytes of the next frame
	cut       int           // played reads of the next frame
	sum       Summary
}

// New returns a player. The caller closes the tape and the sink.
func New(t replay.Tape, s Sink, opts Options) *Player {
	if opts.Speed == 0 {
		opts.Speed = Normal
	}
	if opts.Alarm == nil {
		opts.Alarm = TimerAlarm
	}
	return &Player{
		tape: t, sink: s, opts: opts,
		controls: make(chan control), done: make(chan struct{}),
	}
}

// Run plays until the end of the tape, the end of ctx or an error. A nil error means that all
// frames were played. A paused player stays at the end, so that a client can seek. Run must be
// called only once.
func (p *Player) Run(ctx context.Context) (Summary, error) {
	if p.used.Swap(true) {
		return Summary{}, errors.New("this player has run already")
	}
	defer close(p.done)
	p.alarm = p.opts.Alarm()
	defer p.alarm.Close()
	from := p.opts.From
	if from == (replay.Place{}) {
		from.Position.At = replay.FirstAt(p.tape)
	}
	if p.opts.LoopFrom == (replay.Place{}) {
		p.opts.LoopFrom.Position.At = replay.FirstAt(p.tape)
	}
	p.clock = clock{speed: p.opts.Speed, limit: int64(p.opts.IdleLimit)}
	p.prefetch = prefetcher{tape: p.tape}
	defer p.prefetch.close()
	if err := p.begin(ctx, from); err != nil {
		return p.summary(), err
	}
	err := p.loop(ctx)
	return p.summary(), err
}

// begin starts playing at a place.
func (p *Player) begin(ctx context.Context, from replay.Place) error {
	err := p.prefetch.open(ctx,
		replay.Query{From: from, To: p.opts.To, Filter: p.opts.Filter, Bare: p.opts.Bare, Paced: p.clock.speed != Max})
	if err != nil {
		return err
	}
	now := time.Now()
	p.clock.start(from.Position.At, now)
	p.fresh, p.offset, p.cut = true, 0, 0
	p.begun, p.since, p.passAt, p.whole, p.owed = from, 0, now, from == p.opts.LoopFrom, 0
	p.live, p.near, p.arrivedAt = from.Live, now, time.Time{}
	return nil
}

// caughtUp switches to live when all current frames were played. At a speed below Normal it never
// does, since the player keeps falling behind.
func (p *Player) caughtUp() error {
	if !p.prefetch.live {
		return nil
	}
	p.near = time.Now()
	if p.live || p.paused || p.clock.speed < Normal {
		return nil
	}
	p.live = true
	return p.notify(Live)
}

func (p *Player) notify(op Op) error {
	if sink, ok := p.sink.(StateSink); ok {
		return sink.StateChanged(op, p.state())
	}
	return nil
}

func (p *Player) loop(ctx context.Context) error {
	for {
		if err := p.listen(ctx); err != nil {
			return err
		}
		f, err := p.prefetch.next()
		switch {
		case errors.Is(err, errWaiting):
			if err = p.caughtUp(); err == nil {
				err = p.wait(ctx, false)
			}
		case errors.Is(err, io.EOF):
			var over bool
			if over, err = p.atEnd(ctx); over {
				return err
			}
		case err != nil:
		case p.paused && p.steps == nil:
			err = p.wait(ctx, false)
		default:
			err = p.playWhenDue(ctx, f)
		}
		if err == errMarked {
			p.sum.Marker = p.opts.Marker.String()
			return p.flush()
		}
		if err != nil {
			return err
		}
	}
}

// playWhenDue plays the next part of f, or waits until it is due and for controls.
func (p *Player) playWhenDue(ctx context.Context, f *replay.Frame) error {
	to, at := len(f.Raw), f.At
	if p.opts.Reads && p.cut < len(f.Cuts) {
		to, at = int(f.Cuts[p.cut].Offset), f.Cuts[p.cut].At
	}
	switch {
	case p.paused || p.clock.speed == Max && !p.fresh:
	case p.live:
		now := time.Now()
		if err := p.behind(now, at); err != nil {
			return err
		}
		p.clock.jump(at, now)
	default:
		now := time.Now()
		due := p.clock.due(at)
		if wait := now.Sub(due) - p.owed; p.fresh && wait > 0 {
			p.clock.shift(wait)
			due = due.Add(wait)
		}
		if wait := p.arrivedAt.Sub(due); wait > 0 { // the frame arrived late, from a spool
			p.clock.shift(wait)
			due = due.Add(wait)
		}
		if now.Before(due) {
			p.alarm.Set(due.Sub(now))
			return p.wait(ctx, true)
		}
		if !p.fresh {
			if late := now.Sub(due); p.opts.LagLimit > 0 && late > p.opts.LagLimit {
				return &LagError{Lag: late, Limit: p.opts.LagLimit}
			}
			p.opts.Metrics.late(now.Sub(due))
		}
	}
	return p.play(f, to, at)
}

// play passes the bytes of f, from the played offset up to to, to the sink.
func (p *Player) play(f *replay.Frame, to int, at int64) error {
	p.fresh, p.dirty = false, true
	if err := p.sink.Play(f, p.offset, to); err != nil {
		return err
	}
	p.clock.reach(at)
	if p.steps != nil {
		p.clock.snap()
	}
	if to < len(f.Raw) {
		p.offset, p.cut = to, p.cut+1
		return nil
	}
	p.offset, p.cut = 0, 0
	marked := p.opts.Marker.marks(f)
	p.since++
	p.sum.Frames++
	p.sum.Last.At, p.sum.Last.StreamID, p.sum.Last.Seq = f.At, f.Stream.StreamID, f.Seq
	p.prefetch.taken()
	if p.steps != nil {
		if p.left--; p.left == 0 || marked {
			return p.stepped()
		}
		return nil
	}
	if marked {
		return p.atMarker()
	}
	return nil
}

// wait flushes and sleeps until a control, frames from the tape or, if timed is set, the alarm
// arrives.
func (p *Player) wait(ctx context.Context, timed bool) error {
	if err := p.flush(); err != nil {
		return err
	}
	var alarm <-chan time.Time
	if timed {
		alarm = p.alarm.C()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case c := <-p.controls:
		return p.apply(ctx, c)
	case got := <-p.prefetch.arrived:
		if p.prefetch.live { // the tape had no more frames until now
			p.near = time.Now()
			p.arrivedAt = p.near
		}
		p.prefetch.accept(got)
	case <-alarm:
	}
	return nil
}

func (p *Player) flush() error {
	if !p.dirty {
		return nil
	}
	p.dirty = false
	return p.sink.Flush()
}

// listen applies a pending control, without waiting for one. A seek may take a while, so that it
// flushes before.
func (p *Player) listen(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case c := <-p.controls:
		if err := p.flush(); err != nil {
			return err
		}
		return p.apply(ctx, c)
	default:
		return nil
	}
}

func (p *Player) summary() Summary {
	s := p.sum
	s.Offset = time.Duration(p.reached() - replay.FirstAt(p.tape))
	return s
}

// reached returns the recorded time played so far. It is at most the time of the next frame, and at
// most the latest known time.
func (p *Player) reached() int64 {
	at := p.clock.recorded(time.Now())
	if growing, ok := p.tape.(replay.Growing); ok {
		at = min(at, max(growing.Edge(), p.clock.at))
	}
	if f := p.prefetch.peek(); f != nil {
		return min(at, max(f.At, p.clock.at))
	}
	if p.prefetch.ended() {
		return p.clock.at
	}
	return at
}
