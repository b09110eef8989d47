package sink

import (
	"testing"
	"time"
)

// gathering is a batch that receives blocks at given times, ms.
type gathering struct {
	batchDelay
	storedAt, took int
	began          time.Time
}

func gather(storedAt, took int) *gathering {
	g := &gathering{storedAt: storedAt, took: took, began: time.Unix(1000, 0)}
	g.opts = &Options{BatchFrames: 300_000, BatchAge: 100 * time.Millisecond, BatchPace: 500 * time.Millisecond}
	g.stored = func() (time.Time, time.Duration) { return g.at(g.storedAt), time.Duration(g.took) * time.Millisecond }
	g.begin(g.at(0))
	g.added(g.at(0), false)
	return g
}

func (g *gathering) at(ms int) time.Time { return g.began.Add(time.Duration(ms) * time.Millisecond) }

// storedFrom checks that the batch is stored at a time and not before it.
func (g *gathering) storedFrom(t *testing.T, ms, frames int) {
	t.Helper()
	if g.isDue(g.at(ms-1), frames, 0) {
		t.Errorf("it is stored before %d ms", ms)
	}
	if at := g.next(); at != g.at(ms) {
		t.Errorf("it is looked at after %v, want %d ms", at.Sub(g.began), ms)
	}
	if !g.isDue(g.at(ms), frames, 0) {
		t.Errorf("it is not stored after %d ms", ms)
	}
}

// long ago is when nothing was stored lately, ms.
const longAgo = -10_000

func TestPaceOfFew(t *testing.T) {
	for _, c := range []struct{ storedAt, took, want int }{
		{longAgo, 60, 100}, // of age
		{-10, 60, 230},     // the sink rests
		{-200, 60, 100},    // it has
		{-10, 400, 500},    // no longer than this
	} {
		g := gather(c.storedAt, c.took)
		g.added(g.at(c.want-5), false) // what keeps coming does not put it off
		g.storedFrom(t, c.want, c.want*20)
	}
}

func TestPaceOfLoad(t *testing.T) {
	load := func() *gathering {
		g := gather(longAgo, 60)
		g.added(g.at(100), false)
		if g.isDue(g.at(100), 10_000, 0) {
			t.Error("a load is stored at once")
		}
		return g
	}
	g := load() // it falls silent
	g.added(g.at(150), false)
	g.storedFrom(t, 250, 15_000)

	g = load() // it goes on
	g.added(g.at(590), false)
	g.storedFrom(t, 600, 59_000)

	g = load() // it ends
	g.added(g.at(300), true)
	g.storedFrom(t, 325, 30_000)

	g = gather(longAgo, 60) // not quite one
	g.storedFrom(t, 100, 9_999)
}

func TestPaceBeforeEnds(t *testing.T) {
	g := gather(longAgo, 60) // one end
	g.added(g.at(20), true)
	g.storedFrom(t, 45, 10)

	g = gather(longAgo, 60) // one after the other, of a load, too
	for ms := 20; ms < 100; ms += 20 {
		g.added(g.at(ms), true)
	}
	g.storedFrom(t, 100, 50_000)

	g = gather(-10, 50) // soon after an insert: as often as the sink may, and no more
	g.added(g.at(20), true)
	g.storedFrom(t, 120, 10)

	g = gather(-10, 300)
	g.added(g.at(20), true)
	g.storedFrom(t, 290, 10)
}

// An insert that is done meanwhile counts as well.
func TestPaceAfterInsert(t *testing.T) {
	g := gather(longAgo, 60)
	g.storedAt, g.took = 10, 300
	g.added(g.at(20), true)
	g.storedFrom(t, 100, 10) // not later than it was due before
}

// Bytes of bulk recordings at the rate of a bulk load are gathered until they fall silent, also beyond
// the end of a stream.
func TestPaceOfBytes(t *testing.T) {
	heavy := func(bulk bool, held int) (g *gathering, stored bool) {
		g = gather(longAgo, 60)
		g.bulk, g.opts.BatchBytes = bulk, 60<<20
		g.added(g.at(75), true)
		return g, g.isDue(g.at(100), 10, held)
	}
	const rate = 1 << 20 // in 100 ms: a sixth of 30 MiB in 500 ms
	for _, c := range []struct {
		bulk bool
		held int
	}{{true, rate - 1}, {false, rate}} {
		if _, stored := heavy(c.bulk, c.held); !stored {
			t.Errorf("bulk %v, %d bytes in 100 ms: not stored", c.bulk, c.held)
		}
	}
	g, stored := heavy(true, rate)
	if stored {
		t.Fatal("a load of bytes is stored at once")
	}
	for ms := 100; ms < 3000; ms += 50 {
		if g.added(g.at(ms), true); g.isDue(g.at(ms), 10, rate) {
			t.Fatalf("it is stored after %d ms, while more arrives", ms)
		}
	}
	g.storedFrom(t, 3000, 10)

	g, _ = heavy(true, rate)
	g.added(g.at(150), true)
	g.storedFrom(t, 250, 10)
}

// The batches of a load of bytes grow from an eighth to a half of a full one, and begin small again
// after a pause.
func TestPaceOfGrowth(t *testing.T) {
	g := gather(longAgo, 60)
	g.bulk, g.opts.BatchBytes = true, 64<<20
	for _, want := range []int{4 << 20, 8 << 20, 16 << 20, 16 << 20} {
		if g.enough(want - 1) {
			t.Errorf("%d bytes are enough", want-1)
		}
		if !g.enough(want) {
			t.Errorf("%d bytes are not enough", want)
		}
	}
	g.begin(g.at(0))
	g.added(g.at(50), false)
	if g.isDue(g.at(100), 10, 32<<20) || !g.isDue(g.at(150), 10, 32<<20) {
		t.Error("a load of bytes that has fallen silent is not stored")
	}
	if !g.enough(4 << 20) {
		t.Error("the first batch after a pause is not small")
	}
	g.begin(g.at(0))
	g.added(g.at(0), false)
	if !g.isDue(g.at(100), 10, 1000) || !g.enough(4<<20) {
		t.Error("the first batch after a slow one is not small")
	}
	g.bulk = false
	if g.enough(64 << 20) {
		t.Error("a batch of other recordings has enough")
	}
}
