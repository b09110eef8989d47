package endpoint

import (
	"net/http/httptest"
	"testing"
)

func TestWantsEvents(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "*/*": false, "text/*": false, "application/json": false, "text/event-stream": true, "text/event-stream; charset=utf-8": true,
		"application/json, text/event-stream": false, "text/event-stream, application/json": true, "text/event-stream, */*;q=0.1": true,
		"application/json;q=0.5, text/event-stream;q=0.9": true, "text/event-stream;q=0": false, "text/event-stream;q=x": false, "text/event-stream;q=NaN": false,
		"application/json;;, text/event-stream": true,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		if got := WantsEvents(r); got != want {
			t.Errorf("%q: %v", accept, got)
		}
		r.Method = "HEAD"
		if WantsEvents(r) {
			t.Errorf("HEAD with %q", accept)
		}
	}
}
