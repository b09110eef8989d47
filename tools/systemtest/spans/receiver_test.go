package spans

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/syncbuffer"
)

// program compiles tools/otlpreceiver for the duration of a test.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "otlpreceiver")
	if out, err := exec.Command("go", "build", "-C", "../../otlpreceiver", "-o", path, ".").CombinedOutput(); err != nil {
		fulltest.Missing(t, "build tools/otlpreceiver", err, string(out))
	}
	return path
}

// receiver is a running receiver.
type receiver struct {
	HTTP string `json:"http"` // HOST:PORT
	GRPC string `json:"grpc"`

	cmd   *exec.Cmd
	stdin io.Closer
	read  sync.WaitGroup // until its output ends

	mu    sync.Mutex // guards spans
	spans []received
}

// received is a span with what contains it.
type received struct {
	ptrace.Span
	resource, scope map[string]any
}

// start starts a receiver, which ends with the test if it is not ended before. address is where it listens for OTLP
// over HTTP.
func start(t *testing.T, program, address string) *receiver {
	t.Helper()
	r := &receiver{cmd: exec.Command(program, "-http", address)}
	log := &syncbuffer.Output{}
	r.cmd.Stderr = log
	stdin, err := r.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.stdin = stdin
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.end(t) })
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, 64<<20)
	listening := make(chan bool, 1)
	r.read.Go(func() {
		said := lines.Scan() && json.Unmarshal(lines.Bytes(), r) == nil && r.HTTP != ""
		listening <- said
		for said && lines.Scan() {
			r.add(t, lines.Bytes())
		}
		if err := lines.Err(); err != nil {
			t.Errorf("output of the receiver: %v", err)
		}
	})
	if !bounded.Receive(t, listening) {
		t.Fatalf("the receiver does not listen on %s: %s", address, log)
	}
	return r
}

// add adds the spans of a request.
func (r *receiver) add(t *testing.T, line []byte) {
	traces, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
	if err != nil {
		t.Errorf("%s: %v", line, err)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range traces.ResourceSpans().All() {
		for _, scope := range of.ScopeSpans().All() {
			about := map[string]any{"name": scope.Scope().Name(), "version": scope.Scope().Version()}
			for _, span := range scope.Spans().All() {
				r.spans = append(r.spans, received{span, of.Resource().Attributes().AsRaw(), about})
			}
		}
	}
}

// count returns how many spans have come.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.spans)
}

// end ends the receiver once what it received is written, and returns all of that.
func (r *receiver) end(t *testing.T) []received {
	t.Helper()
	if r.cmd.ProcessState == nil {
		_ = r.stdin.Close()
		bounded.Wait(t, r.read.Wait)
		if err := bounded.Command(t, r.cmd); err != nil {
			t.Errorf("receiver: %v", err)
		}
	}
	return r.spans
}

// post sends a document as OTLP over HTTP. The receiver has to take all of it.
func (r *receiver) post(t *testing.T, document []byte) {
	t.Helper()
	resp, err := http.Post("http://"+r.HTTP+"/v1/traces", "application/json", bytes.NewReader(document))
	if err != nil {
		t.Error(err)
		return
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || string(answer) != `{"partialSuccess":{}}` {
		t.Errorf("the receiver answered %s: %s, %v", resp.Status, answer, err)
	}
}
