package spool

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tapedeck/ingest"
	"tapedeck/internal/bounded"
)

// Whatever fails, in whatever order confirmations come, and wherever the process is killed:
// each block that was called durable is delivered, with its contents, and the spool keeps to
// its limit.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		script := drawScript(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = script.play(t) })
		if err != nil {
			rt.Fatal(err)
		}
	})
}

type script struct {
	seed  uint64
	steps []step
}

// step publishes blocks under some faults, and may end in a restart.
type step struct {
	Blocks    int
	MaxBytes  int
	Refuse    float64 // how often Publish fails
	GiveUp    float64 // how often done gets an error
	Permanent float64 // how often that error is permanent
	Latency   time.Duration
	Idle      time.Duration // afterwards
	Restart   string        // "", "clean" or "crash"
}

func drawScript(rt *rapid.T) script {
	often := rapid.SampledFrom([]float64{0, 0, 0.02, 0.3, 1})
	steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
		return step{
			Blocks:    rapid.IntRange(0, 40).Draw(rt, "blocks"),
			MaxBytes:  rapid.SampledFrom([]int{10, 500, 3000}).Draw(rt, "bytes"),
			Refuse:    often.Draw(rt, "refuse"),
			GiveUp:    often.Draw(rt, "abandon"),
			Permanent: rapid.SampledFrom([]float64{0, 0, 0.1}).Draw(rt, "permanent"),
			Latency:   rapid.SampledFrom([]time.Duration{0, time.Millisecond, 200 * time.Millisecond}).Draw(rt, "latency"),
			Idle:      rapid.SampledFrom([]time.Duration{0, 100 * time.Millisecond, 10 * time.Second}).Draw(rt, "idle"),
			Restart:   rapid.SampledFrom([]string{"", "", "clean", "crash"}).Draw(rt, "restart"),
		}
	}), 1, 8).Draw(rt, "steps")
	return script{seed: rapid.Uint64().Draw(rt, "seed"), steps: steps}
}

// life is one process's: its faults, what it handed on and the results that it received.
type life struct {
	mu      sync.Mutex // guards all below
	rand    *rand.Rand
	faults  step
	dead    bool // killed: nothing counts any more
	got     map[string]bool
	durable map[string]bool
	calls   sync.WaitGroup
}

var errTooLarge = ingest.Permanent(errors.New("too large"))

func (l *life) Publish(_ context.Context, p ingest.EncodedBlock, done func(error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return errDown
	}
	if err := checkData(p); err != nil {
		panic(err)
	}
	if l.rand.Float64() < l.faults.Refuse {
		return errDown
	}
	var err error
	if l.rand.Float64() < l.faults.GiveUp {
		err = errDown
	} else if l.rand.Float64() < l.faults.Permanent {
		err = errTooLarge
	}
	pause := time.Duration(l.rand.Float64() * float64(l.faults.Latency))
	l.calls.Go(func() {
		time.Sleep(pause) // virtual time: the latency of the publisher
		l.mu.Lock()
		if l.dead {
			err = errDown // and nothing the spool does from now on matters
		}
		if err == nil {
			l.got[p.ID] = true
		}
		l.mu.Unlock()
		done(err)
	})
	return nil
}

func (l *life) settle(id string) func(error) {
	return func(err error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil && !l.dead {
			l.durable[id] = true
		}
	}
}

func (l *life) suffer(s step) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = s
}

func (s script) play(t *testing.T) error {
	rnd := rand.New(rand.NewPCG(s.seed, 1))
	l := &life{rand: rand.New(rand.NewPCG(s.seed, 2)), got: map[string]bool{}, durable: map[string]bool{}}
	open := func(dir string) *Spool {
		return openAt(t, Options{Dir: dir, Next: l, Limit: 64 << 10, SegmentSize: 4 << 10,
			WindowBytes: 8 << 10, WindowBlocks: 7, Log: discard()})
	}
	dir, id := t.TempDir(), 0
	sp := open(dir)
	for _, st := range s.steps {
		l.suffer(st)
		for range st.Blocks {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			p := testBlock(id, rnd.IntN(st.MaxBytes))
			err := sp.Publish(ctx, p, l.settle(p.ID))
			cancel()
			if err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, context.DeadlineExceeded) && !ingest.IsPermanent(err) {
				return fmt.Errorf("publish %d: %w", id, err)
			}
			id++
		}
		time.Sleep(st.Idle) // virtual time: the idle time of the step
		switch st.Restart {
		case "clean":
			closeNow(t, sp)
			bounded.Wait(t, l.calls.Wait) // late answers are nobody's
			sp = open(dir)
		case "crash":
			copied, next, err := l.crash(t, sp, dir, rnd.IntN(100))
			if err != nil {
				return err
			}
			dir, l = copied, next
			sp = open(dir)
		}
		if bytes := sp.State().Bytes; bytes > 64<<10+overflow {
			return fmt.Errorf("the spool holds %d bytes, over its limit", bytes)
		}
	}
	l.suffer(step{})
	for range 2 { // what was refused permanently is tried again by the second
		drained(t, sp)
		closeNow(t, sp)
		sp = open(dir)
	}
	closeNow(t, sp)
	bounded.Wait(t, l.calls.Wait)
	return l.check()
}

// overflow is what may stand beyond the limit: refused blocks, and what was in
// flight when a spool was closed.
const overflow = 128 << 10

// crash takes the directory as it is at this moment, perhaps with half a
// record at the end, as a kill would leave it.
func (l *life) crash(t *testing.T, sp *Spool, dir string, garbage int) (string, *life, error) {
	l.mu.Lock()
	l.dead = true
	next := &life{rand: l.rand, faults: l.faults, got: l.got, durable: l.durable}
	l.mu.Unlock()
	copied := t.TempDir()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	for i, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		last := i == len(entries)-1 || filepath.Ext(entries[i+1].Name()) == ""
		if last && filepath.Ext(e.Name()) == pendingSuffix && len(b) >= len(segmentHead) {
			torn := appendRecord(nil, &record{block: testBlock(1<<30, 200), at: 1})
			b = append(b, torn[:garbage]...)
		}
		if err := os.WriteFile(filepath.Join(copied, e.Name()), b, 0o600); err != nil {
			return "", nil, err
		}
	}
	closeNow(t, sp)
	bounded.Wait(t, l.calls.Wait)
	return copied, next, nil
}

func (l *life) check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.durable {
		if !l.got[id] {
			return fmt.Errorf("block %s was called durable and never delivered", id)
		}
	}
	return nil
}
