package otlphttp_test

import (
	"bytes"
	bigendian "encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	logs "go.opentelemetry.io/proto/otlp/logs/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"

	"tapedeck/ingest"
	"tapedeck/ingest/tap/otlphttp"
	"tapedeck/internal/h2c"
)

// dial connects a client of gRPC.
func (s *server) dial(t *testing.T, opts ...grpc.DialOption) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(strings.TrimPrefix(s.http.URL, "http://"), append(opts, grpc.WithTransportCredentials(insecure.NewCredentials()))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func traceRequest(t *testing.T, data []byte) ptraceotlp.ExportRequest {
	t.Helper()
	r := ptraceotlp.NewExportRequest()
	if err := r.UnmarshalProto(data); err != nil {
		t.Fatal(err)
	}
	return r
}

// The collector's client of gRPC, with and without compression: the frame has the bytes of the
// message, and the same request over HTTP replaces it.
func TestGRPC(t *testing.T) {
	data := request(t, chat(1, 1, 0, text("gen_ai.conversation.id", "c-1")), span(1, 2, 7))
	sent, err := traceRequest(t, data).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, otlphttp.Options{})
	client := ptraceotlp.NewGRPCClient(s.dial(t))
	for _, opts := range [][]grpc.CallOption{nil, {grpc.UseCompressor("gzip")}} {
		answer, err := client.Export(t.Context(), traceRequest(t, data), opts...)
		if err != nil || answer.PartialSuccess().RejectedSpans() != 0 {
			t.Fatalf("%v, %d rejected", err, answer.PartialSuccess().RejectedSpans())
		}
	}
	if resp := s.traces(t, sent); resp.StatusCode != http.StatusOK {
		t.Fatalf("over HTTP: %s", resp.Status)
	}
	if diff := cmp.Diff(map[string][]string{"c-1": {string(sent)}}, s.frames(t)); diff != "" {
		t.Error(diff)
	}
}

// Logs are recorded. Metrics are refused with a code after which exporters do not retry.
func TestGRPCOtherSignals(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	conn := s.dial(t)
	r := plogotlp.NewExportRequest()
	data := logRequest(t, &logs.LogRecord{TimeUnixNano: began, EventName: "gen_ai.choice", TraceId: bytes.Repeat([]byte{4}, 16)})
	if err := r.UnmarshalProto(data); err != nil {
		t.Fatal(err)
	}
	if _, err := plogotlp.NewGRPCClient(conn).Export(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if found := s.frames(t); len(found[traceID(4)]) != 1 {
		t.Errorf("frames %v", found)
	}
	_, err := pmetricotlp.NewGRPCClient(conn).Export(t.Context(), pmetricotlp.NewExportRequest())
	if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "OTEL_METRICS_EXPORTER") {
		t.Errorf("metrics: %v", err)
	}
}

// Items of a secret name are counted in the partial success.
func TestGRPCPartialSuccess(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	secret := text("session.id", "sk-ant-api03-"+strings.Repeat("a1B2", 24))
	answer, err := ptraceotlp.NewGRPCClient(s.dial(t)).Export(t.Context(), traceRequest(t, request(t, chat(1, 1, 0, secret), span(2, 2, 1))))
	if err != nil {
		t.Fatal(err)
	}
	if p := answer.PartialSuccess(); p.RejectedSpans() != 1 || !strings.Contains(p.ErrorMessage(), "secret") {
		t.Errorf("%d rejected: %q", p.RejectedSpans(), p.ErrorMessage())
	}
}

// framed returns a message as calls have it.
func framed(compressed byte, message []byte) []byte {
	return append(bigendian.BigEndian.AppendUint32([]byte{compressed}, uint32(len(message))), message...)
}

// Calls that no library sends.
func TestGRPCRefused(t *testing.T) {
	good := request(t, chat(1, 1, 0))
	s := serve(t, otlphttp.Options{Limits: ingest.Limits{Frame: 1 << 20}})
	transport := &http.Transport{Protocols: h2c.Protocols()}
	transport.Protocols.SetHTTP1(false)
	t.Cleanup(transport.CloseIdleConnections)
	client := http.Client{Transport: transport}
	for name, tc := range map[string]struct {
		path, coding string
		body         []byte
		code         codes.Code
		says         string
	}{
		"no message":        {otlphttp.TracesMethod, "", nil, codes.InvalidArgument, "no message"},
		"half a prefix":     {otlphttp.TracesMethod, "", []byte{0, 0}, codes.InvalidArgument, "no message"},
		"cut off":           {otlphttp.TracesMethod, "", framed(0, good)[:40], codes.InvalidArgument, fmt.Sprintf("breaks off after 35 of %d bytes", len(good))},
		"two messages":      {otlphttp.TracesMethod, "", append(framed(0, good), framed(0, good)...), codes.InvalidArgument, "more than one message"},
		"no protobuf":       {otlphttp.TracesMethod, "", framed(0, []byte("hello")), codes.InvalidArgument, "not an OTLP export request"},
		"another signal":    {otlphttp.LogsMethod, "", framed(0, good), codes.InvalidArgument, "not an export request for logs"},
		"unknown coding":    {otlphttp.TracesMethod, "snappy", framed(1, good), codes.Unimplemented, `"snappy" is not supported`},
		"no gzip":           {otlphttp.TracesMethod, "gzip", framed(1, good), codes.InvalidArgument, "cannot be read"},
		"announced as 4 GB": {otlphttp.TracesMethod, "", []byte{0, 255, 255, 255, 255, 1}, codes.ResourceExhausted, "--max-frame-bytes"},
		"gzip of 100 MB":    {otlphttp.TracesMethod, "gzip", framed(1, gzipped(make([]byte, 100<<20))), codes.ResourceExhausted, "--max-frame-bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+tc.path, bytes.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/grpc+proto")
			r.Header.Set("Grpc-Encoding", tc.coding)
			resp, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body) // it is empty
			if code := resp.Header.Get("Grpc-Status"); code != strconv.Itoa(int(tc.code)) ||
				!strings.Contains(strings.ReplaceAll(resp.Header.Get("Grpc-Message"), "%20", " "), strings.NewReplacer(`"`, "%22").Replace(tc.says)) {
				t.Errorf("code %s: %q, want %d with %q", code, resp.Header.Get("Grpc-Message"), tc.code, tc.says)
			}
		})
	}
	for _, fields := range [][]string{{"application/grpc", "HTTP/2"}, {"application/json", "application/grpc"}} {
		if resp := s.send(t, otlphttp.TracesMethod, fields[0], bytes.NewReader(framed(0, good))); resp.StatusCode < 400 || !strings.Contains(string(resp.body), fields[1]) {
			t.Errorf("%s over HTTP/1.1: %s %q", fields[0], resp.Status, resp.body)
		}
	}
	if n := len(s.mem.Blocks()); n != 0 {
		t.Errorf("%d blocks were recorded", n)
	}
}

// A call that is not recorded for now is to be sent again, after the time of its RetryInfo.
func TestGRPCBusy(t *testing.T) {
	s := serve(t, otlphttp.Options{})
	s.mem.Refuse(errors.New("the spool is full"))
	_, err := ptraceotlp.NewGRPCClient(s.dial(t)).Export(t.Context(), traceRequest(t, request(t, chat(1, 1, 0))))
	got := status.Convert(err)
	if got.Code() != codes.Unavailable || !strings.Contains(got.Message(), "the spool is full") {
		t.Fatalf("%v", err)
	}
	after := time.Duration(0)
	for _, d := range got.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			after = info.GetRetryDelay().AsDuration()
		}
	}
	if after != 5*time.Second {
		t.Errorf("RetryInfo has %v", after)
	}
}
