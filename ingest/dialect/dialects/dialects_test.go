package dialects

import (
	"slices"
	"strings"
	"testing"

	"github.com/valyala/fastjson"
	"go.uber.org/goleak"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAll(t *testing.T) {
	var names []string
	for _, d := range All() {
		names = append(names, d.Name)
		if d.Match == nil || d.New == nil || d.New("stream") == nil {
			t.Errorf("%s is not whole", d.Name)
		}
	}
	if names[len(names)-1] != "generic" {
		t.Errorf("generic is not the last of %q", names)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(All()) {
		t.Errorf("a name comes twice: %q", names)
	}
	All()[0].Name = "changed"
	if All()[0].Name == "changed" {
		t.Error("the list is not the caller's own")
	}
}

func TestByName(t *testing.T) {
	for _, name := range []string{"loom", "generic"} {
		if d, err := ByName(name); err != nil || d.Name != name {
			t.Errorf("%s: %q, %v", name, d.Name, err)
		}
	}
	_, err := ByName("Loom")
	// The error is also that of a parameter of the API, which has no flags.
	if err == nil || !strings.Contains(err.Error(), `"Loom"`) || strings.Contains(err.Error(), "--") {
		t.Fatalf("the error does not name the dialect, or names a flag: %v", err)
	}
	_, list, _ := strings.Cut(err.Error(), "is not one of ")
	list, _, _ = strings.Cut(list, ";")
	names := strings.Split(list, ", ")
	if !slices.IsSorted(names) || !slices.Contains(names, "loom") || !slices.Contains(names, "generic") || len(names) != len(All()) {
		t.Errorf("the error does not list the names sorted: %v", err)
	}
}

func input(line string) *dialect.Input {
	in := &dialect.Input{Frame: &schema.Frame{}, Data: []byte(line)}
	if fastjson.Validate(line) == nil {
		in.JSON, _ = fastjson.Parse(line)
	}
	return in
}

func TestRecognise(t *testing.T) {
	tests := []struct {
		name     string
		lines    []string
		at       int // the frame that decides, 0 for none
		dialect  string
		evidence string
	}{
		{"by the first frame", []string{`{"type":"node_exit","id":"think","result":"Ok"}`, `x`}, 1, "loom", "frame 1: the event node_exit"},
		{"by a later frame", []string{
			"Starting up", "", `{"type":"run","message":"x"}`, `{"type":"run_end","id":"run-1","reply":"x"}`,
		}, 4, "loom", "frame 4: a run_end with a reply"},
		{"the best guess", []string{`{"reply":"x"}`, `{"type":"node_enter","id":"a"}`, `{"type":"node_enter","id":"b"}`}, 0, "loom", "frame 2: the event node_enter"},
		{"could be is not enough", []string{`{"reply":"x"}`, `{"type":"error","error":"x"}`}, 0, "generic", "JSON of no known protocol in the first 2 messages"},
		{"text", []string{"hello", "world"}, 0, "generic", "text of no known protocol in the first 2 messages"},
		{"one message", []string{"hello"}, 0, "generic", "text of no known protocol in the first message"},
		{"nothing", nil, 0, "generic", "no message to go by"},
		{"frames without a message", []string{"", ""}, 0, "generic", "no message to go by"},
		{"the bound", append(slices.Repeat([]string{`{"a":1}`, ""}, Bound), `{"type":"run_end","id":"r","reply":"x"}`), 2*Bound - 1, "generic", "JSON of no known protocol in the first 32 messages"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := NewRecogniser()
			settled := 0
			for i, line := range test.lines {
				if r.Observe(input(line)) {
					settled = i + 1
					break
				}
			}
			d, evidence := r.Settle()
			if settled != test.at || d.Name != test.dialect || evidence != test.evidence {
				t.Errorf("settled at %d: %s, %q; want %d: %s, %q", settled, d.Name, evidence, test.at, test.dialect, test.evidence)
			}
			if settled != 0 && !r.Observe(input(`{}`)) {
				t.Error("settled no more")
			}
			again, evidenceAgain := r.Settle()
			if again.Name != d.Name || evidenceAgain != evidence {
				t.Errorf("Settle changed its mind: %s, %q", again.Name, evidenceAgain)
			}
		})
	}
}

// judge makes a dialect whose confidence in each frame is the next of digits.
func judge(name, digits string) dialect.Dialect {
	n := 0
	return dialect.Dialect{Name: name, Match: func(*dialect.Input) (dialect.Confidence, string) {
		c := dialect.Confidence(digits[min(n, len(digits)-1)] - '0')
		n++
		return c, name
	}}
}

func TestRecogniseAmongMany(t *testing.T) {
	tests := []struct {
		name         string
		digits       []string // of the dialects a, b and c; 3 is Certain
		frames       int
		want, reason string
	}{
		{"the first that is certain", []string{"0", "203", "033"}, 3, "c", "frame 2: c"},
		{"certain sooner than one listed before", []string{"0", "23", "33"}, 1, "c", "frame 1: c"},
		{"certain in the same frame", []string{"1", "3", "3"}, 1, "b", "frame 1: b"},
		{"the surest", []string{"111", "001", "002"}, 3, "c", "frame 3: c"},
		{"as sure, more often", []string{"200", "022", "002"}, 3, "b", "frame 2: b"},
		{"as sure, as often", []string{"000", "020", "002"}, 3, "b", "frame 2: b"},
		{"nobody is", []string{"111", "010", "001"}, 3, "last", "last of no known protocol in the first 3 messages"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var list []dialect.Dialect
			for i, digits := range test.digits {
				list = append(list, judge(string(rune('a'+i)), digits))
			}
			r := NewRecogniserOf(append(list, judge("last", "1")))
			for range test.frames {
				if r.Observe(input(`{}`)) {
					break
				}
			}
			if d, evidence := r.Settle(); d.Name != test.want || evidence != test.reason {
				t.Errorf("%s, %q; want %s, %q", d.Name, evidence, test.want, test.reason)
			}
		})
	}
}
