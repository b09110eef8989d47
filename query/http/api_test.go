package queryhttp_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"tapedeck/query"
	queryhttp "tapedeck/query/http"
	"tapedeck/query/pricing/pricetables"
	"tapedeck/query/querytest"
)

// api is a server with the handlers mounted, and the document that describes
// them: every answer is held against it.
type api struct {
	t      *testing.T
	server *httptest.Server
	router routers.Router
}

// now is when the questions are asked.
var now = querytest.Start.Add(time.Hour)

func serve(t *testing.T, tenant string, reader *query.Reader) *api {
	t.Helper()
	return serveWith(t, tenant, reader, nil)
}

// serveWith is serve with a store of price tables.
func serveWith(t *testing.T, tenant string, reader *query.Reader, tables *pricetables.Store) *api {
	t.Helper()
	return mount(t, tenant, queryhttp.New(reader, nil, queryhttp.WithClock(func() time.Time { return now }), queryhttp.WithPrices(tables)))
}

// mount serves the handlers of a server to a tenant.
func mount(t *testing.T, tenant string, s *queryhttp.Server) *api {
	t.Helper()
	mux := http.NewServeMux()
	inTenant := func(h func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant) }
	}
	session := func(h func(http.ResponseWriter, *http.Request, string, string)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant, r.PathValue("id")) }
	}
	mux.HandleFunc("GET /v1/sessions", inTenant(s.Sessions))
	mux.HandleFunc("GET /v1/sessions/{id}", session(s.Session))
	mux.HandleFunc("DELETE /v1/sessions/{id}", session(s.Delete))
	mux.HandleFunc("GET /v1/sessions/{id}/frames", session(s.Frames))
	mux.HandleFunc("GET /v1/sessions/{id}/frames/index", session(s.FrameIndex))
	mux.HandleFunc("GET /v1/sessions/{id}/frames/types", session(s.FrameTypes))
	mux.HandleFunc("GET /v1/sessions/{id}/frames/{position}", func(w http.ResponseWriter, r *http.Request) {
		s.Frame(w, r, tenant, r.PathValue("id"), r.PathValue("position"))
	})
	mux.HandleFunc("GET /v1/sessions/{id}/timeline", session(s.Timeline))
	mux.HandleFunc("GET /v1/sessions/{id}/density", session(s.Density))
	mux.HandleFunc("GET /v1/sessions/{id}/transcript", session(s.Transcript))
	mux.HandleFunc("GET /v1/open", inTenant(s.Open))
	if s.Notes != nil {
		note := func(h func(http.ResponseWriter, *http.Request, string, string, string)) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant, r.PathValue("id"), r.PathValue("note")) }
		}
		label := func(h func(http.ResponseWriter, *http.Request, string, string, string)) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { h(w, r, tenant, r.PathValue("id"), r.PathValue("label")) }
		}
		mux.HandleFunc("PUT /v1/sessions/{id}/labels/{label}", label(s.AddLabel))
		mux.HandleFunc("DELETE /v1/sessions/{id}/labels/{label}", label(s.RemoveLabel))
		mux.HandleFunc("GET /v1/notes", inTenant(s.Notes))
		mux.HandleFunc("GET /v1/sessions/{id}/notes", session(s.SessionNotes))
		mux.HandleFunc("POST /v1/sessions/{id}/notes", session(s.AddNote))
		mux.HandleFunc("POST /v1/sessions/{id}/notes/import", session(s.ImportNotes))
		mux.HandleFunc("PUT /v1/sessions/{id}/notes/{note}", note(s.ChangeNote))
		mux.HandleFunc("DELETE /v1/sessions/{id}/notes/{note}", note(s.DeleteNote))
	}
	mux.HandleFunc("GET /v1/totals", inTenant(s.Totals))
	mux.HandleFunc("GET /v1/facets", inTenant(s.Facets))
	mux.HandleFunc("GET /v1/streams", inTenant(s.Streams))
	mux.HandleFunc("GET /v1/usage", inTenant(s.Usage))
	mux.HandleFunc("GET /v1/usage/calls", inTenant(s.Charges))
	mux.HandleFunc("GET /v1/usage/reconciliation", inTenant(s.Reconciliation))
	mux.HandleFunc("POST /v1/usage/reconciliation", inTenant(s.ReconcileExport))
	mux.HandleFunc("GET /v1/tools", inTenant(s.Tools))
	mux.HandleFunc("GET /v1/limits", inTenant(s.Limits))
	mux.HandleFunc("GET /v1/calls", inTenant(s.Calls))
	mux.HandleFunc("GET /v1/compare", inTenant(s.Compare))
	mux.HandleFunc("GET /v1/search", inTenant(s.Search))
	mux.HandleFunc("GET /v1/prices", inTenant(s.Prices))
	mux.HandleFunc("POST /v1/prices", inTenant(s.ImportPrices))
	model := func(w http.ResponseWriter, r *http.Request) {
		s.ModelPrices(w, r, tenant, r.PathValue("provider"), r.PathValue("model"))
	}
	mux.HandleFunc("GET /v1/prices/{model}", model)
	mux.HandleFunc("GET /v1/prices/{provider}/{model}", model)
	if s.Bills != nil {
		mountBills(mux, tenant, s)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	router, err := gorillamux.NewRouter(document(t))
	if err != nil {
		t.Fatal(err)
	}
	return &api{t, server, router}
}

// document reads the document as it is served.
func document(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(query.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	doc.Servers = nil
	return doc
}

func init() {
	for _, media := range []string{"application/x-ndjson", "text/csv", "text/html", "application/vnd.apache.parquet"} {
		openapi3filter.RegisterBodyDecoder(media, openapi3filter.RegisteredBodyDecoder("text/plain"))
	}
}

// ask sends a request and returns the status, the head and the body of its
// answer, which must be as the document says.
func (a *api) ask(method, path string, header ...string) (int, http.Header, []byte) {
	a.t.Helper()
	return a.send(method, path, "", header...)
}

// send is ask with a body.
func (a *api) send(method, path, content string, header ...string) (int, http.Header, []byte) {
	a.t.Helper()
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.server.URL+path, strings.NewReader(content))
	if err != nil {
		a.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := a.server.Client().Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.t.Fatal(err)
	}
	route, params, err := a.router.FindRoute(req)
	if err != nil {
		a.t.Fatalf("%s %s is not in the document: %v", method, path, err)
	}
	err = openapi3filter.ValidateResponse(a.t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: req, PathParams: params, Route: route},
		Status:                 resp.StatusCode,
		Header:                 resp.Header,
		Body:                   io.NopCloser(bytes.NewReader(body)),
		Options:                &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true},
	})
	if err != nil {
		a.t.Errorf("%s %s answers %d, not as the document says: %v\n%.2000s", method, path, resp.StatusCode, err, body)
	}
	return resp.StatusCode, resp.Header, body
}

// get asks for JSON and decodes it.
func get[T any](a *api, path string) T {
	a.t.Helper()
	status, header, body := a.ask("GET", path)
	if status != 200 || header.Get("Content-Type") != "application/json" {
		a.t.Fatalf("GET %s: %d %s\n%s", path, status, header.Get("Content-Type"), body)
	}
	var v T
	if err := json.Unmarshal(body, &v); err != nil {
		a.t.Fatalf("GET %s: %v", path, err)
	}
	return v
}

func TestDocument(t *testing.T) {
	doc := document(t)
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"POST /v1/ingest", "GET /v1/ingest/ws", "GET /v1/sessions", "GET /v1/sessions/{id}", "DELETE /v1/sessions/{id}",
		"GET /v1/sessions/{id}/frames", "GET /v1/sessions/{id}/timeline", "GET /v1/sessions/{id}/density", "GET /v1/sessions/{id}/transcript",
		"GET /v1/sessions/{id}/replay", "GET /v1/usage", "GET /v1/usage/reconciliation", "GET /v1/tools", "GET /v1/limits", "GET /v1/open", "POST /mcp", "GET /v1/calls", "GET /v1/compare",
		"GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.yaml",
	} {
		method, address, _ := strings.Cut(path, " ")
		item := doc.Paths.Value(address)
		if item == nil || item.GetOperation(method) == nil {
			t.Errorf("%s is not described", path)
		}
	}
}
