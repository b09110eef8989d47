package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/speedtest"
	"tapedeck/replay"
	"tapedeck/replay/live"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// follow plays a session to its end.
func follow(l *live.Library, session string, out *seen, opts player.Options, from string) (player.Summary, error) {
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Limit)
	defer cancel()
	tape, err := l.Tape(ctx, ingest.DefaultTenant, session)
	if err != nil {
		return player.Summary{}, err
	}
	if from != "" {
		m, err := player.ParseMark(from)
		if err != nil {
			return player.Summary{}, err
		}
		if opts.From, err = m.Start(ctx, tape); err != nil {
			return player.Summary{}, err
		}
		opts.From.After = from != "live"
	}
	return player.New(tape, out, opts).Run(ctx)
}

// script records three streams of one session at about 1,000 frames a second
// altogether, for a while, and returns their lengths.
func script(b *bench, session string, lasts time.Duration) map[string]int {
	lengths := map[string]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	begin := time.Now()
	for _, part := range []struct{ from, to float64 }{{0, 1}, {0.2, 0.9}, {0.5, 0.7}} {
		all.Go(func() {
			time.Sleep(time.Duration(part.from * float64(lasts))) // the streams overlap as parts of lasts
			s := b.stream(session, schema.NDJSON)
			n := 0
			for time.Since(begin) < time.Duration(part.to*float64(lasts)) {
				record(b.t, s, 4)
				n += 4
				time.Sleep(10 * time.Millisecond) // the pace of recording
			}
			end(b.t, s)
			mu.Lock()
			lengths[s.ID()] = n
			mu.Unlock()
		})
	}
	bounded.Wait(b.t, all.Wait)
	return lengths
}

var errStop = errors.New("stop")

// However the seam lies, whatever fails meanwhile: every follower receives every frame
// once, and the frames of a stream in order. 50 followers at a time are load enough, so
// this test does not run beside the others.
func TestEachFrameOnce(t *testing.T) {
	fulltest.Long(t)
	t.Run("with all blocks", func(t *testing.T) { eachFrameOnce(t, newBench(t), time.Minute) })
	// A slow follower finds the blocks removed, and reads what is stored.
	t.Run("with few blocks", func(t *testing.T) { eachFrameOnce(t, newBench(t), time.Millisecond) })
	t.Run("over partitions", func(t *testing.T) { eachFrameOnce(t, partitionedBench(t), time.Minute) })
	t.Run("in bundles", func(t *testing.T) {
		b := newBench(t)
		b.publisher = &bundling{js: b.js}
		eachFrameOnce(t, b, time.Minute)
	})
}

func eachFrameOnce(t *testing.T, b *bench, keep time.Duration) {
	const session, lasts = "session", 6 * time.Second
	b.keep = keep
	b.startSink()
	bounded.Until(t, "the sink makes its consumer, which Trim reads", func() bool {
		_, err := b.js.Consumer(t.Context(), jetstream.StreamName, sink.ConsumerName)
		return err == nil
	})
	// A block that is missing is waited for until the sink has stored it, however slow the
	// machine is: no frame may be skipped.
	patient := func(o *live.Options) { o.Timeout = bounded.Limit }
	libraries := []*live.Library{
		b.library(patient), b.library(func(o *live.Options) { patient(o); o.TailBytes = 20_000 }),
		b.library(func(o *live.Options) { patient(o); o.TailAge = 50 * time.Millisecond }),
	}
	var all sync.WaitGroup
	lengths := make(chan map[string]int, 1)
	all.Go(func() { lengths <- script(b, session, lasts) })
	all.Go(func() { disturb(b, lasts) })

	type result struct {
		name string
		out  *seen
		err  error
	}
	var mu sync.Mutex
	var results []result
	add := func(r result) {
		mu.Lock()
		results = append(results, r)
		mu.Unlock()
	}
	for i := range 50 {
		l := libraries[i%len(libraries)]
		all.Go(func() {
			time.Sleep(300*time.Millisecond + time.Duration(i)*lasts/50) // followers come all the time
			out := newSeen()
			name := fmt.Sprintf("follower %d", i)
			if i%5 == 3 && keep > lasts { // it leaves again and again
				add(result{name + ", resuming", out, resuming(l, session, out)})
				return
			}
			opts := player.Options{Speed: []player.Speed{player.Max, 3, 50}[i%3]}
			if i%5 == 4 { // it is slow at times
				name += ", slow"
				out.stop = func(s *seen) error {
					if s.count%700 == 0 {
						time.Sleep(300 * time.Millisecond) // how slow it is
					}
					return nil
				}
			}
			_, err := follow(l, session, out, opts, "")
			add(result{name, out, err})
		})
	}
	bounded.Wait(t, all.Wait)
	want := bounded.Receive(t, lengths)
	for _, r := range results {
		if r.err == nil {
			r.err = r.out.check(want)
		}
		if r.err != nil {
			t.Errorf("%s: %v", r.name, r.err)
		}
	}
	t.Logf("%d followers, streams of %v frames", len(results), want)
}

// resuming follows, leaves at random and comes back, until the end.
func resuming(l *live.Library, session string, out *seen) error {
	from := ""
	for {
		leave := out.count + 50 + rand.IntN(400)
		out.stop = func(s *seen) error {
			if s.exact && s.count > leave {
				return errStop
			}
			return nil
		}
		_, err := follow(l, session, out, player.Options{Speed: player.Max}, from)
		if !errors.Is(err, errStop) {
			return err
		}
		from = out.last
	}
}

// disturb stops and starts the sink, sends blocks again, removes consumers and
// stored blocks.
func disturb(b *bench, lasts time.Duration) {
	ctx := context.Background()
	stream, err := b.js.Stream(ctx, jetstream.StreamName)
	if err != nil {
		b.t.Error(err)
		return
	}
	begin := time.Now()
	for i := 0; time.Since(begin) < lasts; i++ {
		time.Sleep(150 * time.Millisecond) // the interval of disturbances
		switch i % 8 {
		case 1:
			b.stopSink()
		case 5:
			b.startSink()
		case 7:
			if err := b.sink.Trim(ctx); err != nil {
				b.t.Error(err)
			}
		case 0, 2, 4:
			info, err := stream.Info(ctx)
			if err != nil {
				b.t.Error(err)
				return
			}
			first, last := info.State.FirstSeq, info.State.LastSeq
			for range 10 {
				if m, err := stream.GetMsg(ctx, first+rand.Uint64N(last-first+1)); err == nil {
					if _, err := b.js.Publish(ctx, m.Subject, m.Data); err != nil {
						b.t.Error(err)
					}
				}
			}
		case 3, 6:
			names := stream.ConsumerNames(ctx)
			for name := range names.Name() {
				if name != "sink" {
					_ = stream.DeleteConsumer(ctx, name) // it may be gone by itself
				}
			}
		}
	}
}

func TestUnknownSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, err := b.library(nil).Tape(t.Context(), ingest.DefaultTenant, "nothing"); !errors.Is(err, replay.ErrNoSession) {
		t.Errorf("got %v", err)
	}
}

// The time from a frame's arrival to a follower, with 1,000 frames a second. It measures, so it does
// not run beside the other tests.
func TestLatency(t *testing.T) {
	b := newBench(t)
	b.startSink()
	l := b.library(nil)
	s := b.stream("session", schema.NDJSON)
	record(t, s, 1)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	outs := []*seen{newSeen(), newSeen(), newSeen()}
	var began atomic.Int64
	for _, out := range outs {
		out.stop = func(s *seen) error {
			if s.count == 1 {
				began.Add(1)
			}
			return nil
		}
		all.Go(func() {
			if _, err := follow(l, "session", out, player.Options{Alarm: player.PreciseAlarm}, "live"); err != nil {
				t.Error(err)
			}
		})
	}
	for began.Load() < int64(len(outs)) && !t.Failed() { // who follows has to be there first
		record(t, s, 1)
		time.Sleep(10 * time.Millisecond) // the pace of recording meanwhile
	}
	tick := time.NewTicker(time.Millisecond)
	for range 5000 {
		<-tick.C
		record(t, s, 1)
	}
	tick.Stop()
	end(t, s)
	bounded.Wait(t, all.Wait)
	for i, out := range outs {
		if len(out.late) < 5000 {
			t.Errorf("follower %d: %d frames", i, len(out.late))
			continue
		}
		late := out.late[len(out.late)-5000:]
		slices.Sort(late)
		t.Logf("follower %d: p50 %v, p99 %v, most %v", i, late[2500], late[4950], late[4999])
		speedtest.Within(t, "the way of half of the frames to a follower", late[2500], 200*time.Millisecond)
	}
}
