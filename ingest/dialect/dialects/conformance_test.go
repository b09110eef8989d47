package dialects_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/valyala/fastjson"
	"golang.org/x/tools/txtar"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// homes has the directories of each dialect's cases and captures. Tests beside them check their
// facts; the tests here check the dialects together.
var homes = map[string]string{
	"a2a":                 "../a2a/testdata",
	"acp":                 "../acp/testdata",
	"adk":                 "../adk/testdata",
	"ag-ui":               "../agui/testdata",
	"amp":                 "../mappings/testdata/amp",
	"anthropic-agent":     "../anthropicagent/testdata",
	"anthropic-messages":  "../anthropic/testdata",
	"bedrock":             "../bedrock/testdata",
	"claude-code":         "../claudecode/testdata",
	"codex":               "../codex/testdata",
	"codex-app-server":    "../codexappserver/testdata",
	"codex-rollout":       "../codexrollout/testdata",
	"cohere":              "../cohere/testdata",
	"compozy":             "../compozy/testdata",
	"copilot-cli":         "../mappings/testdata/copilot-cli",
	"cursor-cli":          "../mappings/testdata/cursor-cli",
	"droid":               "../mappings/testdata/droid",
	"droid-exec":          "../mappings/testdata/droid-exec",
	"gemini":              "../gemini/testdata",
	"gemini-cli":          "../geminicli/testdata",
	"gemini-cli-chat":     "../geminichat/testdata",
	"gemini-live":         "../geminilive/testdata",
	"generic":             "../generic/testdata",
	"goose":               "../mappings/testdata/goose",
	"google-interactions": "../interactions/testdata",
	"kimi-cli":            "../mappings/testdata/kimi-cli",
	"kimi-code":           "../mappings/testdata/kimi-code",
	"langgraph":           "../langgraph/testdata",
	"loom":                "../loom/testdata",
	"managed-agents":      "../mappings/testdata/managed-agents",
	"mcp":                 "../mcp/testdata",
	"ollama":              "../ollama/testdata",
	"openai-chat":         "../openai/testdata/chat",
	"openai-realtime":     "../realtime/testdata",
	"openai-responses":    "../openai/testdata/responses",
	"opencode":            "../opencode/testdata",
	"otlp":                "../otlp/testdata",
	"pi":                  "../pi/testdata",
	"qwen-code":           "../mappings/testdata/qwen-code",
	"vercel-ui":           "../vercelui/testdata",
}

// unsure has cases without evidence of their protocol, and the dialect that is recognised.
var unsure = map[string]string{
	"../vercelui/testdata/cases/refused.txtar":               "generic", // an error page
	"../openai/testdata/responses/cases/proxy_foreign.txtar": "generic", // another API of the server
}

// sample is one stream of a dialect.
type sample struct {
	dialect, file string
	frames        []schema.Frame
}

func samples(t *testing.T, kinds ...string) []sample {
	t.Helper()
	var all []sample
	for _, d := range dialects.All() {
		home, ok := homes[d.Name]
		if !ok {
			t.Errorf("it is not said where the cases of %s lie", d.Name)
		}
		for _, kind := range kinds {
			files, err := filepath.Glob(filepath.Join(home, kind, "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				s := sample{dialect: d.Name, file: file}
				if kind == "cases" {
					s.frames = dialecttest.Case(t, file)
				} else {
					archive, err := txtar.ParseFile(file)
					if err != nil {
						t.Fatal(err)
					}
					s.frames = capturetest.Frames(t, archive)
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// recognised returns the dialect that is recognised for a stream.
func recognised(frames []schema.Frame) (name, evidence string) {
	r := dialects.NewRecogniser()
	for i := range frames {
		f := frames[i]
		content, _ := schema.Unframe(&f, nil)
		in := dialect.Input{Frame: &f, Data: content.Data, Event: content.Event, ID: content.ID}
		if content.Empty {
			in.Data = nil
		} else if fastjson.ValidateBytes(in.Data) == nil {
			in.JSON, _ = fastjson.ParseBytes(in.Data)
		}
		if r.Observe(&in) {
			break
		}
	}
	d, evidence := r.Settle()
	return d.Name, evidence
}

// Every capture and every case is recognised among all dialects.
func TestEveryStreamIsRecognised(t *testing.T) {
	for _, s := range samples(t, "cases", "captures") {
		want := s.dialect
		if other, ok := unsure[s.file]; ok {
			want = other
		}
		if got, evidence := recognised(s.frames); got != want {
			t.Errorf("%s is taken for %s (%s)", s.file, got, evidence)
		}
	}
}

// A wrong dialect loses no frame: any dialect reads any stream, keeps the rules, and returns the
// same facts wherever the stream is cut.
func TestAnyDialectReadsAnyStream(t *testing.T) {
	for _, d := range dialects.All() {
		t.Run(d.Name, func(t *testing.T) {
			for _, s := range samples(t, "cases", "captures") {
				whole, err := dialecttest.Play(d, s.frames, s.frames[len(s.frames)-1].At, func(int) (bool, bool) { return false, false })
				if err != nil {
					t.Errorf("%s: %v", s.file, err)
					continue
				}
				cut, err := dialecttest.Play(d, s.frames, s.frames[len(s.frames)-1].At, func(int) (bool, bool) { return true, false })
				if err != nil || len(whole.Frames) != len(s.frames) || len(cut.Frames) != len(s.frames) {
					t.Errorf("%s: %d frames of %d, %v", s.file, len(cut.Frames), len(s.frames), err)
					continue
				}
				if diff := cmp.Diff(whole.Facts, cut.Facts); diff != "" {
					t.Errorf("%s, cut after every frame:\n%s", s.file, diff)
				}
			}
		})
	}
}

// A gateway that forwards the messages of a captured stream inside of its own over a WebSocket
// changes no facts, except those that only the transport states.
func TestWrappedStreams(t *testing.T) {
	for _, s := range samples(t, "captures") {
		var plain, wrapped []schema.Frame
		for i := range s.frames {
			content, _ := schema.Unframe(&s.frames[i], nil)
			if content.Empty || fastjson.ValidateBytes(content.Data) != nil || content.Data[0] != '{' {
				continue // a gateway forwards events only
			}
			add := func(to *[]schema.Frame, text []byte) {
				*to = append(*to, schema.Frame{
					Seq: uint64(len(*to)), At: s.frames[i].At, Transport: schema.WebSocket, Raw: slices.Clone(text),
				})
			}
			add(&plain, content.Data)
			add(&wrapped, fmt.Appendf(nil, `{"channel":"c1","payload":%s}`, content.Data))
		}
		if len(plain) == 0 {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			if bare, _ := recognised(plain); bare != s.dialect {
				t.Skipf("without its transport the stream is taken for %s", bare)
			}
			name, evidence := recognised(wrapped)
			if name != s.dialect {
				t.Fatalf("taken for %s (%s)", name, evidence)
			}
			d, err := dialects.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			never := func(int) (bool, bool) { return false, false }
			want, err := dialecttest.Play(d, plain, plain[len(plain)-1].At, never)
			if err != nil {
				t.Fatal(err)
			}
			got, err := dialecttest.Play(d, wrapped, wrapped[len(wrapped)-1].At, never)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Facts, got.Facts); diff != "" {
				t.Errorf("facts (-bare +wrapped):\n%s", diff)
			}
		})
	}
}
