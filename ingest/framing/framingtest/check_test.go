package framingtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/framingtest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// faulty is a framer that gets one thing wrong.
type faulty struct {
	ingest.Framer
	fault func(*schema.Frame)
}

func (c faulty) Split(p []byte, at int64, emit func(*schema.Frame) error) error {
	return c.Framer.Split(p, at, func(f *schema.Frame) error { c.fault(f); return emit(f) })
}

// TestCheckFinds: the suite finds each of these faults, and none without one.
func TestCheckFinds(t *testing.T) {
	reads := [][]byte{[]byte("{\"a\":"), []byte("1}\n[]\n"), []byte("\xff\n")}
	check := func(fault func(*schema.Frame)) error {
		return framingtest.Check(func() ingest.Framer { return faulty{ndjson.NewFramer(0), fault} }, reads...)
	}
	if err := check(func(*schema.Frame) {}); err != nil {
		t.Errorf("found in a framer without fault: %v", err)
	}
	for name, fault := range map[string]func(*schema.Frame){
		"lost byte":         func(f *schema.Frame) { f.Raw = f.Raw[:len(f.Raw)-1] },
		"changed byte":      func(f *schema.Frame) { f.Raw[0]++ },
		"lost cuts":         func(f *schema.Frame) { f.Cuts = nil },
		"late":              func(f *schema.Frame) { f.At++ },
		"all joined":        func(f *schema.Frame) { f.Flags |= schema.FlagJoined },
		"none joined":       func(f *schema.Frame) { f.Flags &^= schema.FlagJoined },
		"bad text unmarked": func(f *schema.Frame) { f.Flags &^= schema.FlagInvalidUTF8 },
		"NUL marked":        func(f *schema.Frame) { f.Flags |= schema.FlagNUL },
		"flags by the read": func(f *schema.Frame) {
			if f.Cuts != nil {
				f.Flags |= schema.FlagUnterminated
			}
		},
	} {
		if check(fault) == nil {
			t.Errorf("%s: not found", name)
		}
	}
}
