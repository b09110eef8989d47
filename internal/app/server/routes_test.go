package server

import (
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tapedeck/ingest"
	"tapedeck/internal/app/node"
	"tapedeck/internal/budget"
	"tapedeck/query"
	"tapedeck/schema/clickhouse"
)

// The document describes exactly the routes that are served.
func TestRoutesAreDocumented(t *testing.T) {
	db, err := clickhouse.Open("clickhouse://127.0.0.1:1/x") // never dialled
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	log := slog.New(slog.DiscardHandler)
	s := New(Options{Node: &node.Node{DB: db, Recorder: ingest.NewRecorder(nil, ingest.Settings{}), Config: node.Config{DSN: "clickhouse://127.0.0.1:1/x"}}, Listener: l, Log: log, Readers: budget.New(budget.Options{Bytes: 1 << 30, Readers: 2000})})
	var served []string
	for _, r := range s.echo.Routes() {
		if r.Method == http.MethodHead || r.Path == playerPath || slices.Contains(uiPaths, r.Path) {
			continue // as the document's introduction says; pages are no part of the API
		}
		served = append(served, r.Method+" "+strings.NewReplacer(":id", "{id}", ":key", "{key}", ":position", "{position}", ":profile", "{profile}", ":provider", "{provider}", ":model", "{model}", ":number", "{number}", ":kind", "{kind}", ":note", "{note}", ":label", "{label}", ":exec_id", "{exec_id}", "*", "{path}").Replace(r.Path))
	}
	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			documented = append(documented, method+" "+path)
		}
	}
	for _, r := range served {
		if !slices.Contains(documented, r) {
			t.Errorf("%s is served and not documented", r)
		}
	}
	for _, r := range documented {
		if !slices.Contains(served, r) {
			t.Errorf("%s is documented and not served", r)
		}
	}
}
