package emulate

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/replay/emulate/isolate"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// runFile writes a file of lines in Loom's protocol.
func runFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	lines := `{"session_id":"s-1","node_id":"think-1","event_id":1,"type":"message_chunk","content":"a","id":"m1"}` + "\n"
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The answer to a request that opens no WebSocket names the address of the server that received the request.
func TestOwnAddress(t *testing.T) {
	played, err := Open(t.Context(), Options{Protocol: "loom", Name: runFile(t), Dialect: "loom", Speed: "1", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer played.Close()
	for own, want := range map[string]string{"": "ws://127.0.0.1:4835/.", "http://127.0.0.1:4836": "ws://127.0.0.1:4836/."} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/?a=1", nil)
		r.Host = "127.0.0.1:4835"
		if own != "" { // as a command sends it that forwards to a server
			r.Header.Set(isolate.OwnOrigin, own)
		}
		played.ServeHTTP(w, r)
		if w.Code != http.StatusUpgradeRequired || !strings.Contains(w.Body.String(), "open "+want) {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
	}
}

// A file that cannot be played over HTTP is named as the user named it, without routes of a server.
func TestCannotSpeak(t *testing.T) {
	path := runFile(t)
	_, err := Open(t.Context(), Options{Protocol: "http", Name: path, Dialect: "loom", Speed: "1", Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "/v1/") || !strings.Contains(err.Error(), "tapedeck record FILE") {
		t.Errorf("error %v", err)
	}
}
