package archive

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
)

// parquetOf returns a file with n charges.
func parquetOf(t *testing.T, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	out := parquet.NewGenericWriter[struct{ Cost float64 }](&file)
	for range n {
		if _, err := out.Write([]struct{ Cost float64 }{{1.5}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// serving returns a client of a server that answers by the path of a request.
func serving(t *testing.T, answer func(path string) string) *apiclient.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "1.0.0")
		if _, err := io.WriteString(w, answer(r.URL.Path)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	client, err := apiclient.New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.HTTP.CloseIdleConnections)
	return client
}

// An archive keeps the charges that the server deleted, and takes those that came late. It has the recordings of one
// tenant of one server.
func TestChargesOfOneServer(t *testing.T) {
	rows, tenant := 3, "acme"
	client := serving(t, func(path string) string {
		switch path {
		case "/v1/login":
			return fmt.Sprintf(`{"tokens": true, "principal": {"kind": "token", "tenant": %q}}`, tenant)
		case "/v1/usage/calls":
			return string(parquetOf(t, rows))
		case "/v1/usage":
			return fmt.Sprintf(`{"items": [{"period": "2026-11-28", "calls": %d}]}`, rows)
		}
		return `{"items": []}`
	})
	dir := t.TempDir()
	path := filepath.Join(dir, "charges", "2026-11-28.parquet")
	var said string
	run := func() (Result, error) {
		said = ""
		now := func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) }
		return Run(t.Context(), Options{Client: client, Place: Directory(dir), Now: now, Said: func(line string) { said += line }})
	}
	for _, step := range []struct {
		name         string
		serves, want int
		says         string
	}{
		{"the first run", 3, 3, ""},
		{"one came late", 4, 4, ""},
		{"two expired", 2, 4, "of 4 charges the server has 2"},
		{"the same report again", 2, 4, ""},
		{"all but one expired", 1, 4, "of 4 charges the server has 1"},
		{"many came late", 6, 6, ""},
	} {
		rows = step.serves
		if _, err := run(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, parquetOf(t, step.want)) {
			t.Errorf("%s: the file has not %d charges (%v)", step.name, step.want, err)
		}
		if !strings.Contains(said, step.says) || step.says == "" && said != "" {
			t.Errorf("%s: said %q", step.name, said)
		}
		if checked, err := Verify(t.Context(), Directory(dir), func(string) {}); err != nil || checked.Bad > 0 {
			t.Errorf("%s: the check: %+v, %v", step.name, checked, err)
		}
	}
	// An archive of an earlier version does not state the number of charges.
	state := filepath.Join(dir, stateName)
	text, err := os.ReadFile(state)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(state, bytes.ReplaceAll(text, []byte(`"rows": 6`), []byte(`"rows": 0`)), 0o600); err != nil {
		t.Fatal(err)
	}
	rows = 5
	if _, err := run(); err != nil || !strings.Contains(said, "of 6 charges the server has 5") {
		t.Errorf("without the number: %v, said %q", err, said)
	}
	tenant = "other"
	if _, err := run(); err == nil || !strings.Contains(err.Error(), "tenant acme") {
		t.Errorf("another tenant: %v", err)
	}
}
