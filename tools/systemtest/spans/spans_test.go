package spans

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"tapedeck/internal/app/sessionotlp/sessionotlptest"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/replay/replaytest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// The collector's receiver gets the same spans from "tapedeck forward", of what "tapedeck export" writes and of what the
// server answers: those of docs/opentelemetry.md, by the conventions, with texts only if they are asked for.
func TestReceiver(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	receive := program(t)
	s, err := commandtest.StartUp(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	s.Must(t, "import", tape(t))
	s.Must(t, "redecode", sessions[0].name, sessions[1].name) // the tape has no facts
	version := versionOf(t, s)
	for _, content := range []bool{false, true} {
		flags, query := []string{}, ""
		if content {
			flags, query = []string{"--content"}, "?content=1"
		}
		for way, send := range map[string]func(t *testing.T, r *receiver){
			"forward": func(t *testing.T, r *receiver) {
				args := []string{"forward", "http://" + r.HTTP, "--once", "--from", "2026-01-01", "--state", filepath.Join(t.TempDir(), "position")}
				if out := s.Must(t, append(args, flags...)...); out != "sent 2 sessions, 13 spans\n" {
					t.Errorf("forward: %q", out)
				}
			},
			"export": func(t *testing.T, r *receiver) {
				for _, of := range sessions {
					r.post(t, []byte(s.Must(t, append([]string{"export", of.name, "--format", "otlp"}, flags...)...)))
				}
			},
			"server": func(t *testing.T, r *receiver) {
				for _, of := range sessions {
					status, body, _ := s.Get(t, "/v1/sessions/"+of.name+"/otlp"+query)
					if status != http.StatusOK {
						t.Errorf("status %d: %s", status, body)
					}
					r.post(t, body)
				}
			},
			"gRPC": func(t *testing.T, r *receiver) {
				for _, of := range sessions {
					r.call(t, s.Must(t, append([]string{"export", of.name, "--format", "otlp"}, flags...)...))
				}
			},
		} {
			t.Run(fmt.Sprintf("%s content=%t", way, content), func(t *testing.T) {
				r := start(t, receive, "127.0.0.1:0")
				send(t, r)
				compare(t, r.end(t), content, version)
			})
		}
	}
	t.Run("away", func(t *testing.T) { away(t, s, receive, version) })
}

// versionOf returns the version of the program: that of the file VERSION, with the commit if the program knows it.
func versionOf(t *testing.T, s *commandtest.Instance) string {
	t.Helper()
	file, err := os.ReadFile("../../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	var program struct{ Version string }
	if err := json.Unmarshal([]byte(s.Must(t, "version", "--json")), &program); err != nil {
		t.Fatal(err)
	}
	if version, _, _ := strings.Cut(program.Version, "+"); version != strings.TrimSpace(string(file)) {
		t.Fatalf("the program is of version %s, VERSION says %s", program.Version, file)
	}
	return program.Version
}

// call sends a document as OTLP over gRPC.
func (r *receiver) call(t *testing.T, document string) {
	t.Helper()
	d, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient(r.GRPC, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(t.Context(), bounded.Limit)
	defer cancel()
	answer, err := ptraceotlp.NewGRPCClient(conn).Export(ctx, ptraceotlp.NewExportRequestFromTraces(d))
	if err != nil || answer.PartialSuccess().RejectedSpans() != 0 {
		t.Errorf("%v, %v", answer, err)
	}
}

// compare compares what the receiver got with the expected spans of both sessions, each once.
func compare(t *testing.T, got []received, content bool, version string) {
	t.Helper()
	want, keys := map[string]expected{}, map[string]string{}
	for session, list := range map[string]map[string]expected{"caches": caches, "failed": failed} {
		for key, span := range list {
			if !content {
				span.Message, span.Content = "", nil
			}
			want[traces[session]+" "+key] = span
		}
	}
	for _, span := range got {
		key := fmt.Sprintf("%s @%d", span.Name(), (int64(span.StartTimestamp())-replaytest.Start)/1e6)
		if keys[span.SpanID().String()] != "" {
			t.Errorf("%s came twice", key)
		}
		keys[span.SpanID().String()] = key
	}
	found := map[string]expected{}
	for _, span := range got {
		for _, deviation := range sessionotlptest.Deviations(span.Span) {
			t.Errorf("%s: %s", span.Name(), deviation)
		}
		if d := cmp.Diff(values{"service.name": "tapedeck", "service.version": version}, span.resource); d != "" {
			t.Errorf("resource (- want, + received):\n%s", d)
		}
		if d := cmp.Diff(values{"name": "tapedeck", "version": version}, span.scope); d != "" {
			t.Errorf("scope (- want, + received):\n%s", d)
		}
		id := span.TraceID().String() + " " + keys[span.SpanID().String()]
		e := expected{
			ID: span.SpanID().String(), Parent: keys[span.ParentSpanID().String()], End: (int64(span.EndTimestamp()) - replaytest.Start) / 1e6,
			Kind: span.Kind(), Status: span.Status().Code(), Attributes: span.Attributes().AsRaw(), Message: span.Status().Message(),
		}
		if want[id].ID == "" {
			e.ID = ""
		}
		for key := range want[id].Content {
			if e.Content == nil {
				e.Content = values{}
			}
			e.Content[key] = e.Attributes[key]
			delete(e.Attributes, key)
		}
		found[id] = e
	}
	if d := cmp.Diff(want, found); d != "" {
		t.Errorf("- want, + received:\n%s", d)
	}
}
