package httpreplay_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	et "tapedeck/replay/emulate/emulatetest"
	"tapedeck/replay/replaytest"
	"tapedeck/schema"
)

// An answer that is emulated from its middle begins with the events that opened what is open there, at once. A client that
// resumes has them.
func TestFromTheMiddle(t *testing.T) {
	tape := &replaytest.Tape{}
	s := et.Asked(tape, 0, "POST /run", nil, "{}").Dialect("ag-ui")
	et.Head(s, ms, "200 OK", "Content-Type: text/event-stream")
	for i, e := range []string{
		`{"type":"RUN_STARTED"}`, `{"type":"TEXT_MESSAGE_START","messageId":"a"}`, `{"type":"TEXT_MESSAGE_END","messageId":"a"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"t"}`, `{"type":"TOOL_CALL_END","toolCallId":"t"}`, `{"type":"RUN_FINISHED"}`,
	} {
		typ := strings.Split(e, `"`)[3]
		s.Add(time.Duration(i+1)*time.Hour, "data: "+e+"\n\n", et.Over(schema.SSE), func(f *schema.Frame) { f.Type = typ })
	}
	s.Ended("eof")
	server := httptest.NewServer(handler(tape))
	defer server.Close()
	began := time.Now()
	_, body := ask(t, server.Client(), "POST", server.URL+"/run?from=%2B6h&take=a", "{}")
	if want := "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"RUN_FINISHED\"}\n\n"; body != want {
		t.Errorf("from its end: %q", body)
	}
	if took := time.Since(began); took > time.Minute { // the events before are hours apart
		t.Errorf("it took %v", took)
	}
	_, body = ask(t, server.Client(), "POST", server.URL+"/run?from=%2B5h&take=b&speed=max", "{}")
	if want := "data: {\"type\":\"RUN_STARTED\"}\n\ndata: {\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"t\"}\n\ndata: {\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"t\"}\n\n"; !strings.HasPrefix(body, want) {
		t.Errorf("from the end of a call: %q", body)
	}
}
