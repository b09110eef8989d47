package dialect_test

import (
	"strconv"
	"testing"

	"tapedeck/ingest/dialect"
)

// read reads frames and returns those that are repeats. The frame "begin" begins an answer and
// "end" ends it.
func read(t *dialect.Tail, frames ...string) (again []string) {
	open := false
	for _, f := range frames {
		switch {
		case t.Again([]byte(f), open):
			again = append(again, f)
		case f == "begin":
			open = true
		case f == "end":
			open = false
		}
	}
	return again
}

func TestTail(t *testing.T) {
	for name, test := range map[string]struct {
		frames []string
		again  int
	}{
		"once":                            {[]string{"begin", "a", "b", "end"}, 0},
		"the same frame within an answer": {[]string{"begin", "a", "a", "end"}, 0},
		"the end twice":                   {[]string{"begin", "a", "b", "end", "b", "end"}, 2},
		"the end three times":             {[]string{"begin", "a", "end", "a", "end", "a", "end"}, 4},
		"another answer that begins and goes on alike": {[]string{"begin", "a", "end", "begin", "a", "end"}, 0},
		"the end of the answer before the latest":      {[]string{"begin", "a", "end", "begin", "b", "end", "a", "b"}, 1},
		"what came between answers":                    {[]string{"begin", "a", "end", "ping", "ping"}, 0},
	} {
		if got := read(&dialect.Tail{}, test.frames...); len(got) != test.again {
			t.Errorf("%s: %q are repeats, want %d", name, got, test.again)
		}
	}
}

// A long answer keeps its last 64 frames.
func TestTailBound(t *testing.T) {
	frames := []string{"begin"}
	for i := range 100 {
		frames = append(frames, strconv.Itoa(i))
	}
	frames = append(frames, "end")
	if got := read(&dialect.Tail{}, append(frames, "36", "37", "99", "end")...); len(got) != 3 {
		t.Errorf("%q are repeats, want the last three", got)
	}
}
