package generic

import (
	"testing"

	"github.com/valyala/fastjson"
	"go.uber.org/goleak"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

func TestMatchIsNeverMoreThanPossible(t *testing.T) {
	for text, want := range map[string]string{`{"type":"x"}`: "JSON", `[]`: "JSON", `text`: "text", ``: "text"} {
		in := dialect.Input{Frame: &schema.Frame{}, Data: []byte(text)}
		in.JSON, _ = fastjson.Parse(text)
		if got, why := match(&in); got != dialect.Possible || why != want {
			t.Errorf("%q: %d (%s), want %s", text, got, why, want)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	raw := []byte(`{"session_id":"sess-000001","node_id":"run-think-0","event_id":12,"type":"message_chunk","content":" the","id":"think"}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	var parser fastjson.Parser
	decoder, emitter := newDecoder(""), dialect.NewEmitter("")
	var frame schema.Frame
	in := dialect.Input{Frame: &frame, Data: raw}
	for b.Loop() {
		frame = schema.Frame{Raw: raw}
		if err := fastjson.ValidateBytes(raw); err != nil {
			b.Fatal(err)
		}
		value, err := parser.ParseBytes(raw)
		if err != nil {
			b.Fatal(err)
		}
		in.JSON = value
		decoder.Decode(&in, emitter)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

func TestTime(t *testing.T) {
	for line, want := range map[string]int64{
		`{"timestamp":"2026-01-01T00:00:00.250Z"}`:                  1767225600_250_000_000,
		`{"time":"2026-01-01T01:00:00+01:00","level":"info"}`:       1767225600_000_000_000,
		`{"timestamp":1767225600,"ts":"2026-01-01T00:00:01Z"}`:      1767225601_000_000_000,
		`{"timestamp":"yesterday","time":"2026-01-01T00:00:02.5Z"}`: 1767225602_500_000_000,
		`{"inside":{"timestamp":"2026-01-01T00:00:00Z"}}`:           0,
		`{"time":1767225600}`:                                       0,
		`["2026-01-01T00:00:00Z"]`:                                  0,
		`text`:                                                      0,
	} {
		in := &dialect.Input{Frame: &schema.Frame{}, Data: []byte(line)}
		if fastjson.Validate(line) == nil {
			in.JSON = dialect.Valid // the dialect reads the text
		}
		if got := Dialect.Time(in); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
