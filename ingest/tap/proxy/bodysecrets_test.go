package proxy

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/ingest/redact"
	"tapedeck/schema"
)

// A key that an answer has cut over two events, compressed, and that the request and a head
// have as well, is in no frame and in no fact; the client gets it as it was sent.
func TestKeyInBodies(t *testing.T) {
	key := "gh" + "p_" + strings.Repeat("aB3dE6", 6)
	for at := 0; at <= len(key); at += 3 {
		s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("X-Debug", "from "+key)
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"use `+key[:at]+`"}}]}`+"\n\n"+
				`data: {"choices":[{"index":0,"delta":{"content":"`+key[at:]+` now"}}]}`+"\n\ndata: [DONE]\n\n")
			_ = z.Close()
		}), func(o *Options) { o.Stream.Dialect = "" })
		req := s.request(t, "POST", "/v1/chat/completions?model=m", `{"model":"m","stream":true,"messages":[{"role":"user","content":"is `+key+` mine?"}]}`)
		req.Header.Set("Content-Type", "application/json")
		_, answer := s.do(t, req)
		z, err := gzip.NewReader(strings.NewReader(answer))
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := io.ReadAll(z); err != nil || !strings.Contains(string(plain), key[at:]+" now") {
			t.Errorf("the client got %s, %v", plain, err)
		}
		r := s.one(t)
		recorded := r.state.Source + r.state.Title
		for _, f := range r.frames {
			recorded += string(f.Raw)
		}
		for _, m := range messagesOf(&s.memory) {
			recorded += m.Text
		}
		for i := 4; i+6 <= len(key); i++ {
			if strings.Contains(recorded, key[i:i+6]) {
				t.Fatalf("split %d: %q was recorded: %s", at, key[i:i+6], recorded)
			}
		}
		if n := strings.Count(recorded, "[redacted:github-token#1]"); n < 3 {
			t.Errorf("split %d: %d placeholders in %s", at, n, recorded)
		}
	}
}

func messagesOf(m *ingesttest.Memory) (all []schema.Message) {
	for _, b := range m.Blocks() {
		all = append(all, b.Facts.Messages...)
	}
	return all
}

// Without redaction heads and bodies are recorded as they are.
func TestNoRedact(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	defer up.Close()
	s := &setup{}
	s.begin(t, up.URL, func(o *Options) { o.Recorder = ingest.NewRecorder(&s.memory, ingest.Settings{Redact: redact.Off}) })
	req := s.request(t, "POST", "/v1?api_key=HIDE-1", `{"token":"HIDE-2"}`)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "HIDE-3")
	s.do(t, req)
	recorded := ""
	for _, f := range s.one(t).frames {
		recorded += string(f.Raw)
	}
	for _, want := range []string{"HIDE-1", "HIDE-2", "HIDE-3"} {
		if !strings.Contains(recorded, want) {
			t.Errorf("%s is not recorded: %s", want, recorded)
		}
	}
}

// Secrets among the fields of a form are not recorded; the server gets the form as it is.
func TestForms(t *testing.T) {
	const form = "client_secret=opaque-of-the-client&grant_type=refresh_token&refresh_token=opaque-too&scope=x"
	got := make(chan string, 1)
	s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}), nil)
	req := s.request(t, "POST", "/oauth/token", form)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	s.do(t, req)
	if body := <-got; body != form {
		t.Errorf("the server got %q", body)
	}
	recorded := ""
	for _, f := range s.one(t).frames {
		recorded += string(f.Raw)
	}
	if strings.Contains(recorded, "opaque") || !strings.Contains(recorded, "client_secret=[redacted]&grant_type=refresh_token&refresh_token=[redacted]&scope=x") {
		t.Errorf("recorded: %s", recorded)
	}
}

// A JSON body whose content type does not say so is one frame, and secrets in it are not recorded; text
// is recorded as it is.
func TestUntypedBodies(t *testing.T) {
	const object = ` {"model":"m","api_key":"opaque-a1B2c3D4","input":"shown"}`
	for _, test := range []struct{ name, media, body, want string }{
		{"text", "text/plain;charset=UTF-8", object, ` {"model":"m","api_key":"[redacted]","input":"shown"}`},
		{"none", "", object, ` {"model":"m","api_key":"[redacted]","input":"shown"}`},
		{"bytes", "application/octet-stream", "\ufeff" + object, "\ufeff" + ` {"model":"m","api_key":"[redacted]","input":"shown"}`},
		{"array", "text/plain", `[{"api_key":"opaque-a1B2c3D4"}]`, `[{"api_key":"[redacted]"}]`},
		{"prose", "text/plain", `say {"api_key":"shown-a1B2c3D4"}`, `say {"api_key":"shown-a1B2c3D4"}`},
		{"blank", "text/plain", " \n", " \n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := make(chan string, 1)
			s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got <- string(body)
			}), nil)
			req := s.request(t, "POST", "/v1/responses", test.body)
			req.Header.Set("Content-Type", test.media)
			s.do(t, req)
			if body := <-got; body != test.body {
				t.Errorf("the server got %q", body)
			}
			if recorded := s.one(t).body(schema.Send); !strings.HasSuffix(recorded, test.want) {
				t.Errorf("recorded %q, want the body %q", recorded, test.want)
			}
		})
	}
}

// Credentials of MCP servers in requests, and tokens in answers, are not recorded; both sides get them as they were sent.
func TestCredentialsBelow(t *testing.T) {
	const token = "of-the-server-a1B2c3D4e5F6g7H8i9J0k1L2m3N4o"
	request := `{"model":"m","tools":[{"type":"mcp","server_url":"https://x.example","authorization":"` + token + `"},` +
		`{"type":"mcp","headers":{"X-Api-Key":"` + token + `","X-Pin":"` + token + `","Accept":"shown"}}],` +
		`"mcp_servers":[{"name":"shown","authorization_token":"` + token + `"}],"env":{"API_TOKEN":"` + token + `"},"input":"shown"}`
	answer := `{"access_token":"` + token + `","token_type":"shown","nested":[{"api_key":"` + token + `"}]}`
	got := make(chan string, 1)
	s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}), nil)
	req := s.request(t, "POST", "/v1/responses", request)
	req.Header.Set("Content-Type", "application/json")
	_, received := s.do(t, req)
	if body := <-got; body != request || received != answer {
		t.Errorf("the server got %q, the client %q", body, received)
	}
	recorded := ""
	for _, f := range s.one(t).frames {
		recorded += string(f.Raw)
	}
	if strings.Contains(recorded, "of-the-server") || strings.Count(recorded, "shown") != 4 || strings.Count(recorded, "[redacted") != 7 {
		t.Errorf("recorded: %s", recorded)
	}
}

// Secrets in forms with files and in lines of JSON are not recorded, as in other bodies; both sides
// get them as they were sent.
func TestPartsAndLines(t *testing.T) {
	const token = "hide-a1B2c3D4e5F6g7H8i9J0"
	parts := "--xyz\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhide it\r\n" +
		"--xyz\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nshown\r\n" +
		"--xyz\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nshown\r\n" +
		"--xyz\r\nContent-Disposition: form-data; name=\"o\"\r\nContent-Type: application/json\r\n\r\n{\"token\":\"hide it\"}\r\n--xyz--\r\n"
	for _, x := range []struct {
		media, request, answer string
		masks                  int
	}{
		{"multipart/form-data; boundary=xyz", parts, "", 2},
		{"application/x-ndjson", `{"api_key":"hide it","n":"shown"}` + "\n" + `{"token":"hide it","n":"shown"}` + "\n", `{"access_token":"` + token + `"}` + "\n", 3},
		{"application/json-seq", "\x1e" + `{"api_key":"hide it","n":"shown"}` + "\n", "\x1e" + `{"access_token":"` + token + `","n":"shown"}` + "\n", 2},
		{"application/json", `[{"api_key":"hide it","n":"shown"},{"token":"hide it","n":"shown"}]`, `[{"access_token":"` + token + `"}]`, 3},
	} {
		got := make(chan string, 1)
		s := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			got <- string(body)
			w.Header().Set("Content-Type", x.media)
			_, _ = io.WriteString(w, x.answer)
		}), nil)
		req := s.request(t, "POST", "/v1/files", x.request)
		req.Header.Set("Content-Type", x.media)
		_, received := s.do(t, req)
		if body := <-got; body != x.request || received != x.answer {
			t.Errorf("%s: the server got %q, the client %q", x.media, body, received)
		}
		r := s.one(t)
		sent, answered := r.body(schema.Send), r.body(schema.Receive)
		unmask := strings.NewReplacer("[redacted]", "hide it").Replace
		if unmask(sent) != x.request || strings.Count(sent+answered, "[redacted") != x.masks || strings.Contains(sent+answered, "hide") {
			t.Errorf("%s: recorded %q, %q", x.media, sent, answered)
		}
	}
}
