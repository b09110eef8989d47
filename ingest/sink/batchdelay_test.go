package sink

import (
	"testing"
	"time"
)

// gathering is a batch that receives blocks at given times, ms.
type gathering struct {
	batchDelay
	start time.Time
}

// gather begins a batch, and passed is when the batch before was passed to the inserter, ms.
func gather(passed int) *gathering {
	g := &gathering{start: time.Unix(1000, 0)}
	g.opts = &Options{BatchFrames: 300_000, BatchAge: 100 * time.Millisecond, BatchPace: 500 * time.Millisecond}
	g.apart = g.opts.BatchAge
	g.passed(g.at(passed))
	g.begin(g.at(0))
	g.added(g.at(0), false)
	return g
}

func (g *gathering) at(ms int) time.Time { return g.start.Add(time.Duration(ms) * time.Millisecond) }

// storedFrom checks that the batch is stored at a time and not before it.
func (g *gathering) storedFrom(t *testing.T, ms, frames int) {
	t.Helper()
	if g.isDue(g.at(ms-1), frames) {
		t.Errorf("it is stored before %d ms", ms)
	}
	if at := g.next(); at != g.at(ms) {
		t.Errorf("it is looked at after %v, want %d ms", at.Sub(g.start), ms)
	}
	if !g.isDue(g.at(ms), frames) {
		t.Errorf("it is not stored after %d ms", ms)
	}
}

// longAgo is when nothing was stored lately, ms.
const longAgo = -10_000

func TestDelayOfFew(t *testing.T) {
	for _, c := range []struct{ passed, want int }{
		{longAgo, 25}, // with what arrives together
		{-1, 99},      // apart from the batch before
		{-60, 40},
		{-80, 25},
	} {
		g := gather(c.passed)
		g.added(g.at(c.want-5), false) // what keeps coming does not put it off
		g.storedFrom(t, c.want, c.want*20)
	}
}

func TestDelayOfLoad(t *testing.T) {
	load := func() *gathering {
		g := gather(-1)
		g.added(g.at(99), false)
		if g.isDue(g.at(99), 10_000) {
			t.Error("a load is stored at once")
		}
		return g
	}
	g := load() // it falls silent
	g.added(g.at(150), false)
	g.storedFrom(t, 250, 15_000)

	g = load() // it goes on
	g.added(g.at(990), false)
	g.storedFrom(t, 1000, 59_000)

	g = load() // it ends
	g.added(g.at(300), true)
	g.storedFrom(t, 325, 30_000)

	g = gather(-1) // not quite one
	g.storedFrom(t, 99, 9_800)
}

func TestDelayOfEnds(t *testing.T) {
	g := gather(-1) // one end
	g.added(g.at(20), true)
	g.storedFrom(t, 45, 10)

	g = gather(-1) // one after the other, of a load, too
	for ms := 20; ms < 99; ms += 20 {
		g.added(g.at(ms), true)
	}
	g.storedFrom(t, 99, 50_000)
}
