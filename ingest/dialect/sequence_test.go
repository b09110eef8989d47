package dialect

import (
	"testing"

	"tapedeck/schema"
)

func TestStep(t *testing.T) {
	for _, c := range []struct {
		n, before, highest uint64
		flags              schema.Flags
		lost               uint64
	}{
		{8, 7, 7, 0, 0},
		{9, 7, 7, schema.FlagEventGap, 1},
		{107, 7, 7, schema.FlagEventGap, 99},
		{7, 7, 7, schema.FlagEventRepeat, 0},
		{3, 7, 7, schema.FlagEventBack, 0},
		{4, 3, 7, 0, 0}, // an earlier event is repeated, and nothing is missing
		{8, 3, 7, 0, 0},
		{10, 3, 7, schema.FlagEventGap, 2},
		{0, 0, 0, schema.FlagEventRepeat, 0},
		{1<<64 - 1, 0, 0, schema.FlagEventGap, 1<<64 - 2},
	} {
		if flags, lost := Step(c.n, c.before, c.highest); flags != c.flags || lost != c.lost {
			t.Errorf("%d after %d, highest %d: %s, %d lost; want %s, %d", c.n, c.before, c.highest, flags, lost, c.flags, c.lost)
		}
	}
}

func TestMark(t *testing.T) {
	b, f := NewEmitter("stream"), schema.Frame{Flags: schema.FlagOversize}
	b.Mark(&f, schema.FlagEventGap, 3)
	b.Mark(&f, 0, 0)
	if f.Flags != schema.FlagOversize|schema.FlagEventGap || b.TakeLost() != 3 {
		t.Errorf("flags %s", f.Flags)
	}
}
