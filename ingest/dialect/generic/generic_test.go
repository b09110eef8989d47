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
	decoder, book := newDecoder(""), dialect.NewEmitter("")
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
		decoder.Decode(&in, book)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}
