package sessionotlp

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"tapedeck/ingest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/dialect/dialects/dialectstest"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/internal/app/sessionotlp/sessionotlptest"
	"tapedeck/internal/app/tapefacts"
	"tapedeck/query/pricing/prices"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// tolerated are deviations of spans of which the recording does not state what the conventions require, and providers
// that the conventions do not know.
var tolerated = []string{
	"gen_ai.provider.name is missing, which gen_ai.client.inference requires",
	"gen_ai.tool.name is missing, which gen_ai.execute_tool.internal requires",
	`gen_ai.provider.name: "ollama" is no value of the conventions`,
	`gen_ai.provider.name: "github" is no value of the conventions`,
}

// Spans of the cases of all dialects follow the conventions.
func TestConventionsOfDialects(t *testing.T) {
	files := casesBelow(t, "../../../ingest/dialect")
	if len(files) < 100 {
		t.Fatalf("%d cases", len(files))
	}
	spans := 0
	for _, file := range files {
		recorded := &replaytest.Tape{Decode: dialectstest.Decode}
		frames := dialecttest.Case(t, file)
		stream := recorded.Stream(frames[0].Transport, recognised(frames))
		for _, f := range frames {
			stream.Add(time.Duration(f.At-dialecttest.Start), string(f.Raw))
		}
		s, err := tapefacts.Read(t.Context(), recorded, replaytest.Session, prices.Standard(), ingest.DefaultTenant)
		if err != nil {
			t.Fatal(err)
		}
		var document bytes.Buffer
		if _, err := Write(&document, s, Options{Content: true}); err != nil {
			t.Fatal(err)
		}
		d, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(document.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range d.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
			spans++
			for _, deviation := range sessionotlptest.Deviations(span) {
				if !slices.Contains(tolerated, deviation) {
					t.Errorf("%s: %q: %s", file, span.Name(), deviation)
				}
			}
		}
	}
	if spans < 1000 {
		t.Errorf("%d spans", spans)
	}
}

// recognised returns the name of the dialect of a stream.
func recognised(frames []schema.Frame) string {
	r := dialects.NewRecogniser()
	var parser ingest.Parser
	for i, known := 0, false; i < len(frames) && !known; i++ {
		f := frames[i]
		parser.Parse(&f, func(in *dialect.Input) { known = r.Observe(in) })
	}
	d, _ := r.Settle()
	return d.Name
}

// casesBelow returns the files of cases of dialects.
func casesBelow(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && filepath.Base(filepath.Dir(path)) == "cases" && filepath.Ext(path) == ".txtar" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
