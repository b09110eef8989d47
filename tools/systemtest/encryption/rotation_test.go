package encryption

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// frame is the text of the nth frame of a recording.
func frame(n int) string { return fmt.Sprintf(`{"n":%d}`, n) }

// pace is the time between two frames.
const pace = 2 * time.Millisecond

// recordings are three taps that record until stop is closed, one frame after the other.
type recordings struct {
	stop   chan struct{}
	ended  sync.WaitGroup
	mu     sync.Mutex     // guards what follows
	counts map[string]int // frames that were recorded, by session
}

func (r *recordings) each(session string, record func(n int) error) error {
	for n := 0; ; n++ {
		select {
		case <-r.stop:
			r.mu.Lock()
			defer r.mu.Unlock()
			r.counts[session] = n
			return nil
		case <-time.After(pace):
		}
		if err := record(n); err != nil {
			return err
		}
	}
}

// record starts the taps: a body over HTTP/2, a WebSocket, and an upload of blocks.
func (r *rig) record(ctx context.Context) *recordings {
	rec := &recordings{stop: make(chan struct{}), counts: map[string]int{}}
	rec.ended.Go(func() {
		in, out := io.Pipe()
		answered := make(chan error, 1)
		go func() {
			req, err := http.NewRequestWithContext(ctx, "POST", r.url+"/v1/ingest?dialect=generic&session=body", in)
			if err != nil {
				answered <- err
				return
			}
			req.Header.Set("Content-Type", "application/x-ndjson")
			resp, err := r.client.Do(req)
			if err == nil {
				if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
					err = fmt.Errorf("%s %s", resp.Proto, resp.Status)
				}
				_ = resp.Body.Close()
			}
			answered <- err
		}()
		err := rec.each("body", func(n int) error {
			_, err := io.WriteString(out, frame(n)+"\n")
			return err
		})
		_ = out.Close()
		if err2 := <-answered; err != nil || err2 != nil {
			r.t.Errorf("body: %v, %v", err, err2)
		}
	})
	rec.ended.Go(func() {
		transport := r.client.Transport.(*http.Transport).Clone()
		transport.ForceAttemptHTTP2 = false
		transport.TLSClientConfig.NextProtos = nil
		defer transport.CloseIdleConnections()
		conn, _, err := websocket.Dial(ctx, "wss"+strings.TrimPrefix(r.url, "https")+"/v1/ingest/ws?dialect=generic&session=socket", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
		if err != nil {
			r.t.Errorf("socket: %v", err)
			return
		}
		defer conn.CloseNow()
		err = rec.each("socket", func(n int) error { return conn.Write(ctx, websocket.MessageText, []byte(frame(n))) })
		if err2 := conn.Close(websocket.StatusNormalClosure, ""); err != nil || err2 != nil {
			r.t.Errorf("socket: %v, %v", err, err2)
		}
	})
	rec.ended.Go(func() {
		o, err := outlet.Open(ctx, outlet.Options{Server: r.url, TLS: r.tls, NoSpool: true, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			r.t.Errorf("upload: %v", err)
			return
		}
		defer o.Close()
		stream, err := o.Recorder().Open(ingest.StreamOptions{Tenant: ingest.DefaultTenant, Session: "upload", Dialect: "generic", Transport: schema.NDJSON})
		if err == nil {
			err = rec.each("upload", func(n int) error {
				return stream.Record(ctx, &schema.Frame{Raw: []byte(frame(n) + "\n"), At: ingest.Now()})
			})
		}
		if err == nil {
			_, err = stream.Close(ctx, "closed")
		}
		if err != nil {
			r.t.Errorf("upload: %v", err)
		}
	})
	return rec
}

// follow plays a running session to its end and returns the numbers of its frames.
func (r *rig) follow(ctx context.Context, session, accept string) ([]int, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", r.url+"/v1/sessions/"+session+"/replay?follow=1&speed=max", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.ProtoMajor != 2 {
		return nil, fmt.Errorf("%s %s", resp.Proto, resp.Status)
	}
	var got []int
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		text := strings.TrimPrefix(lines.Text(), "data: ")
		if !strings.HasPrefix(text, "{") {
			continue
		}
		var message struct {
			Frame *struct{ N *int }
			Type  string
			Title string
		}
		if err := json.Unmarshal([]byte(text), &message); err != nil {
			return got, fmt.Errorf("%s: %w", text, err)
		}
		if message.Title != "" {
			return got, fmt.Errorf("the playback failed: %s", text)
		}
		if message.Frame != nil && message.Frame.N != nil {
			got = append(got, *message.Frame.N)
		}
	}
	return got, lines.Err()
}

// All certificates are renewed, by another authority, while streams are recorded and followed.
// Connections to NATS and ClickHouse are cut, so that they are opened with the new ones. Every
// frame is stored and played once and in order.
func TestRotation(t *testing.T) {
	fulltest.Long(t)
	r := newRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rec := r.record(ctx)
	played := map[string][]int{}
	var mu sync.Mutex // guards played
	var following sync.WaitGroup
	for session, accept := range map[string]string{"body": "text/event-stream", "socket": "application/x-ndjson", "upload": "text/event-stream"} {
		bounded.Until(t, session+" shows", func() bool {
			resp, err := r.client.Get(r.url + "/v1/sessions/" + session)
			must(t, err)
			defer resp.Body.Close()
			return resp.StatusCode == 200
		})
		following.Go(func() {
			got, err := r.follow(ctx, session, accept)
			if err != nil {
				t.Errorf("follow %s: %v", session, err)
			}
			mu.Lock()
			defer mu.Unlock()
			played[session] = got
		})
	}

	renewed := r.next.Issue(time.Hour, "127.0.0.1", "tapedeck.test")
	r.next.Save(r.dir, renewed)
	bounded.Until(t, "the server shows its new certificate", func() bool { return r.serial() == renewed.Serial })
	must(t, os.WriteFile(filepath.Join(r.dir, "cert.pem"), []byte("not a certificate"), 0o600))
	time.Sleep(1100 * time.Millisecond) // files are looked at once a second
	if serial := r.serial(); serial != renewed.Serial {
		t.Errorf("after a broken file the server shows %s, want %s", serial, renewed.Serial)
	}

	shown := r.ca.Issue(time.Hour, "client")
	r.ca.Save(r.natsDir, shown)
	r.nats.show(r.next.TLS(r.next.Issue(time.Hour, "nats.test")))
	r.ca.Save(r.houseDir, shown)
	r.port.show(r.next.TLS(r.next.Issue(time.Hour, "clickhouse.test")))
	time.Sleep(1100 * time.Millisecond) // as above: connections that are opened from now on show the new certificate
	r.nats.cut(t)
	r.port.cut()
	bounded.Until(t, "NATS sees the new certificate", func() bool {
		_, seen := r.nats.serials.Load(shown.Serial)
		return seen
	})
	bounded.Until(t, "ClickHouse sees the new certificate", func() bool {
		_, seen := r.port.serials.Load(shown.Serial)
		return seen
	})
	time.Sleep(200 * time.Millisecond) // frames are recorded over the new connections
	close(rec.stop)
	bounded.Wait(t, rec.ended.Wait)
	bounded.Wait(t, following.Wait)
	for session, want := range rec.counts {
		if want < 100 {
			t.Errorf("%s: %d frames only were recorded", session, want)
		}
		if got := played[session]; len(got) != want {
			t.Errorf("%s: %d of %d frames were played", session, len(got), want)
		}
		for i, n := range played[session] {
			if n != i {
				t.Errorf("%s: frame %d is played at place %d", session, n, i)
				break
			}
		}
		stored := 0
		bounded.Until(t, "all frames of "+session+" are stored", func() bool {
			resp, err := r.client.Get(r.url + "/v1/sessions/" + session)
			must(t, err)
			defer resp.Body.Close()
			var s struct{ Frames int }
			must(t, json.NewDecoder(resp.Body).Decode(&s))
			stored = s.Frames
			return stored >= want
		})
		if stored != want {
			t.Errorf("%s: %d frames are stored, want %d", session, stored, want)
		}
		t.Logf("%s: %d frames", session, want)
	}
}
