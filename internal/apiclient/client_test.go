package apiclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/problem"
	"tapedeck/query"
)

// The server answers with three pages of two numbers each.
func numbers(t *testing.T) *apiclient.Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(problem.ServerHeader, "1")
		if r.Header.Get("Authorization") != "Bearer secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if r.URL.Path != "/v1/numbers" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"title":"Not found","detail":"limit is odd","parameter":"limit","allowed":["2","4"]}`)
			return
		}
		switch r.URL.Query().Get("cursor") {
		case "":
			fmt.Fprint(w, `{"items":[1,2],"next":"b"}`)
		case "b":
			fmt.Fprint(w, `{"items":[3,4],"next":"c"}`)
		default:
			fmt.Fprint(w, `{"items":[5,6],"next":null}`)
		}
	}))
	t.Cleanup(s.Close)
	c, err := apiclient.New(s.URL+"/", "secret")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Each part of a path stays one segment.
func TestSessionPath(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{apiclient.SessionPath("a/b"), "v1/sessions/a%2Fb"},
		{apiclient.SessionPath("s", "notes", "../../t"), "v1/sessions/s/notes/..%2F..%2Ft"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestPages(t *testing.T) {
	c := numbers(t)
	all, err := apiclient.All[int](t.Context(), c, "v1/numbers", nil)
	if err != nil || fmt.Sprint(all) != "[1 2 3 4 5 6]" {
		t.Errorf("All: %v, %v", all, err)
	}
	var b strings.Builder
	if err := c.CopyPages(t.Context(), "v1/numbers", url.Values{}, 4, 2, &b); err != nil || b.String() != `{"items":[1,2,3,4],"next":"c"}`+"\n" {
		t.Errorf("CopyPages: %s, %v", b.String(), err)
	}
	n := 0
	next, err := c.Pages(t.Context(), "v1/numbers", url.Values{}, 100, 2, func(json.RawMessage) error { n++; return nil })
	if err != nil || n != 6 || next != nil {
		t.Errorf("Pages: %d items, next %v, %v", n, next, err)
	}
}

// A problem's parameter is named as a flag, with the valid values and the hint.
func TestRefusal(t *testing.T) {
	c := numbers(t)
	c.Hint = func(path string) string { return "nothing at " + path }
	err := c.Get(t.Context(), "/v1/other", nil, nil)
	if want := "--limit is odd\nAllowed: 2, 4\nnothing at v1/other"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestServerURL(t *testing.T) {
	for _, bad := range []string{"", "ftp://h", "http://", "h:1"} {
		if _, err := apiclient.New(bad, ""); err == nil || !strings.Contains(err.Error(), "--server") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Where nothing listens the error says what to do.
func TestUnreachable(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	c, err := apiclient.New(s.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), "x", nil, nil); err == nil || !strings.Contains(err.Error(), `"tapedeck up"`) {
		t.Errorf("got %v", err)
	}
}

// A server without TLS behind https://, and a service that speaks no HTTP, are named as such.
func TestOtherProtocols(t *testing.T) {
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	closing, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer closing.Close()
	go func() {
		for {
			c, err := closing.Accept()
			if err != nil {
				return
			}
			_, _ = c.Read(make([]byte, 4096)) // the request
			c.Close()
		}
	}()
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte("<!doctype html>")) // the client has the status
	}))
	defer page.Close()
	for server, want := range map[string]string{
		page.URL: page.URL + " answered 404 Not Found with a page: it is no tapedeck server",
		"https://" + plain.Listener.Addr().String(): "write http://",
		"http://" + closing.Addr().String():         "is it a tapedeck server",
	} {
		c, err := apiclient.New(server, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), "x", nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", server, err, want)
		}
	}
}

// An answer with a status of 2xx that is not a tapedeck server's is an error of every call. A server
// without the header is recognised by the description of its API.
func TestOtherServers(t *testing.T) {
	for name, described := range map[string]string{"another server": `{"title":"tapedeck"}`, "an earlier server": string(query.OpenAPI)} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/openapi.yaml" {
				fmt.Fprint(w, described)
				return
			}
			fmt.Fprint(w, `{"items":[],"next":null}`)
		}))
		defer s.Close()
		c, err := apiclient.New(s.URL, "secret")
		if err != nil {
			t.Fatal(err)
		}
		var page struct{ Next *string }
		_, openErr := c.Open(t.Context(), http.MethodDelete, "v1/tokens/x", nil, "application/json")
		_, postErr := c.Post(t.Context(), "v1/prices", nil, "application/yaml", []byte("x: 1"))
		_, allErr := apiclient.All[int](t.Context(), c, "v1/sessions", nil)
		for call, err := range map[string]error{
			"get": c.Get(t.Context(), "v1/usage", nil, &page), "copy": c.Copy(t.Context(), "v1/usage", nil, "text/csv", io.Discard),
			"delete": openErr, "post": postErr, "all": allErr,
		} {
			if want := s.URL + " does not answer as a tapedeck server"; name == "another server" {
				if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s of %s: %v, want %s", call, name, err, want)
				}
			} else if err != nil {
				t.Errorf("%s of %s: %v", call, name, err)
			}
		}
	}
}
