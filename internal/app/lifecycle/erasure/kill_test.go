package erasure_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/lifecycle/erasure"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/schema/tables"
)

// everyStep is for the whole of TestKilledAtEveryStep, which takes minutes.
var everyStep = flag.Bool("erasure.every", false, "kill the server at every step of an erasure, not only at some")

// places are where a recorded marker stands before its erasure, so that a scan that finds
// none of them looks in the wrong place. What is compressed as a whole is found decompressed.
var places = []string{
	"TAPEDECK/msgs", "TAPEDECK_DEAD/msgs", "TAPEDECK_KEYS/msgs",
	"frames.raw", "messages.text", "streams.tags", "streams.title",
	"store/data.bin decompressed", // of small parts, with all columns
	"store/skp_idx_text_terms.dct.idx decompressed",
}

// A server is killed with -9 at each step of an erasure, with its ClickHouse, while it
// records other sessions: at some of the steps without -args -erasure.every. Afterwards no file has a byte of what was erased, and the other
// sessions are as they were.
func TestKilledAtEveryStep(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	steps := []string{"requested", "purged", "rows of messages"}
	if *everyStep {
		steps = allSteps()
	}
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	const kept = "kept"
	w.post(map[string][]string{"session": {kept}, "tag": {"user:another"}}, "text/event-stream", call("another text"))
	w.eventually("it is stored", func() bool { return w.raw(kept) != "" })
	before := w.raw(kept)

	ctx, stop := context.WithCancel(t.Context())
	var loading sync.WaitGroup
	loading.Go(func() { w.load(ctx) })
	defer loading.Wait()
	defer stop()
	var markers, sessions []string
	for i, step := range steps {
		began := time.Now()
		marker, id := newMarker(), fmt.Sprint("gone-", i)
		marked := w.recordMarked(marker, id)
		t.Logf("recorded after %v", time.Since(began).Round(10*time.Millisecond))
		found := scan(t, w.dir, w.server.DSN, marker, false)
		t.Logf("scanned after %v", time.Since(began).Round(10*time.Millisecond))
		if i == 0 {
			t.Logf("before: %s", strings.Join(slices.Sorted(maps.Keys(found)), ", "))
		}
		for _, place := range places {
			if _, there := found[place]; !there {
				t.Fatalf("the scan does not find the marker in %s before its erasure, only in %v", place, found)
			}
		}
		if err := os.WriteFile(w.dir+".kill", []byte(step), 0o600); err != nil {
			t.Fatal(err)
		}
		w.erase(marker)
		w.server.killed(t, step)
		t.Logf("killed after %v", time.Since(began).Round(10*time.Millisecond))
		w.restart()
		// Hidden at once when the request was answered; else when the server has started.
		for _, s := range marked {
			w.eventually(s+" answers 410", func() bool {
				status, _ := w.request(http.MethodGet, "/v1/sessions/"+s, "", nil)
				return status == http.StatusGone
			})
		}
		w.verified(step)
		markers, sessions = append(markers, marker), append(sessions, marked...)
		w.clean(step, marker, false)
		t.Logf("killed at %q: erased, %v with the recording", step, time.Since(began).Round(100*time.Millisecond))
	}
	stop()
	loading.Wait()
	for i, marker := range markers {
		began := time.Now()
		w.clean("all", marker, i == 0)
		t.Logf("scanned at the end after %v", time.Since(began).Round(10*time.Millisecond))
	}
	if after := w.raw(kept); after != before {
		t.Errorf("the session that was kept has other bytes: %s, before %s", after, before)
	}
	if len(w.stored) == 0 {
		t.Error("nothing was recorded meanwhile, so this was not under load")
	}
	for session, body := range w.stored {
		w.eventually(session+" is as it was sent", func() bool { return w.raw(session) == hash(body) })
	}
	t.Logf("%d sessions of the load are as they were sent", len(w.stored))
	for _, s := range sessions {
		if status, _ := w.request(http.MethodGet, "/v1/sessions/"+s, "", nil); status != http.StatusGone {
			t.Errorf("%s is answered %d, want 410", s, status)
		}
	}
}

// allSteps returns the steps of an erasure, in order.
func allSteps() []string {
	list := []string{"requested", "tombstones", "hidden", "rolled", "purged", "blocks", "letters", "keys"}
	for _, table := range tables.Names(tables.Recording) {
		list = append(list, "rows of "+table)
	}
	return append(list, "removed", "finished", "verified")
}

// erase requests the erasure of all sessions with a marker's tag. The server may be killed
// before it answers.
func (w *world) erase(marker string) {
	w.Helper()
	body := fmt.Appendf(nil, `{"tag": {"key": "user", "value": %q}}`, marker)
	status, answer, err := w.try(w.Context(), http.MethodPost, "/v1/erasures", "application/json", body)
	if err == nil && status != http.StatusAccepted {
		w.Fatalf("the erasure was answered %d: %s", status, answer)
	}
}

// verified waits until every erasure is verified.
func (w *world) verified(step string) {
	w.Helper()
	var last, waits string
	began := time.Now()
	defer func() {
		if w.Failed() {
			w.Logf("erasures: %s", last)
		}
	}()
	w.eventually("verified after a kill at "+step, func() bool {
		status, answer := w.request(http.MethodGet, "/v1/erasures", "", nil)
		var page struct {
			Items []erasure.Answer `json:"items"`
		}
		if last = answer; status != http.StatusOK || json.Unmarshal([]byte(answer), &page) != nil || len(page.Items) == 0 {
			return false
		}
		if latest := page.Items[0]; waits != string(latest.State)+": "+latest.WaitsFor {
			waits = string(latest.State) + ": " + latest.WaitsFor
			w.Logf("%v after the restart: %s", time.Since(began).Round(10*time.Millisecond), waits)
		}
		return !slices.ContainsFunc(page.Items, func(a erasure.Answer) bool { return a.State != "verified" })
	})
}

// clean fails if anything has the marker.
func (w *world) clean(step, marker string, system bool) {
	w.Helper()
	if found := scan(w.T, w.dir, w.server.DSN, marker, system); len(found) > 0 {
		w.Errorf("killed at %q: %s is still in %v", step, marker, found)
	}
}

// A block that arrives later does not bring its session back.
func TestLateBlock(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	marker := newMarker()
	sessions := w.recordMarked(marker, "gone")
	late := w.latest(sessions[0])
	w.erase(marker)
	w.verified("none")
	w.nats(func(js njs.JetStream) {
		if _, err := js.Publish(t.Context(), late.Subject, late.Data); err != nil {
			t.Fatal(err)
		}
	})
	w.metrics().Show(t, "tapedeck_sink_deleted_blocks_total")
	if status, _ := w.request(http.MethodGet, "/v1/sessions/"+sessions[0], "", nil); status != http.StatusGone {
		t.Errorf("answered %d, want 410", status)
	}
	found := map[string]string{}
	scanTables(t, w.server.DSN, marker, false, found)
	if len(found) > 0 {
		t.Errorf("the marker is back in %v", found)
	}
}

// A session whose first block is not stored when its tag is erased is found later, and goes on
// until then: what JetStream takes of it meanwhile is removed as well.
func TestTagInFlight(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	marker := newMarker()
	w.hold("tombstones")
	asked := make(chan error, 1)
	go func() {
		status, answer, err := w.try(t.Context(), http.MethodPost, "/v1/erasures", "application/json", fmt.Appendf(nil, `{"tag": {"key": "user", "value": %q}}`, marker))
		if err == nil && status != http.StatusAccepted {
			err = fmt.Errorf("the erasure was answered %d: %s", status, answer)
		}
		asked <- err
	}()
	w.held("tombstones", 2) // the request, and the attempt that the server makes meanwhile

	writer := w.recordSlowly("session=gone&tag=user:" + marker)
	frame := func(n int) {
		t.Helper()
		if _, err := fmt.Fprintf(writer, "{\"n\":%d,\"text\":%q}\n", n, marker); err != nil {
			t.Fatal(err)
		}
		w.eventually(fmt.Sprint(n, " frames are stored"), func() bool {
			_, answer := w.request(http.MethodGet, "/v1/sessions/gone/frames", "", nil)
			return strings.Count(answer, `"position"`) == n
		})
	}
	frame(1)
	w.hold("rolled")
	w.held("rolled", 1)
	frame(2)
	w.hold("")
	if err := <-asked; err != nil {
		t.Fatal(err)
	}
	w.verified("none")
	w.clean("none", marker, false)
	// What was found after the erasure was hidden counts: the session, its stream and both frames.
	_, answer := w.request(http.MethodGet, "/v1/erasures", "", nil)
	var list struct{ Items []struct{ Found counts } }
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatal(err)
	}
	if got := list.Items[0].Found; got.Sessions != 1 || got.Streams != 1 || got.Frames < 1 || got.Bytes == 0 {
		t.Errorf("found %+v", got)
	}
}

// counts is the amount of data that an erasure has found.
type counts struct{ Sessions, Streams, Frames, Bytes uint64 }

// recordSlowly begins a recording of NDJSON that is written to what it returns, and ends it with the test.
func (w *world) recordSlowly(query string) io.Writer {
	w.Helper()
	body, writer := io.Pipe()
	recorded := make(chan error, 1)
	go func() {
		req, err := http.NewRequestWithContext(w.Context(), http.MethodPost, w.url+"/v1/ingest?"+query, body)
		if err == nil {
			req.Header.Set("Content-Type", ndjson)
			var resp *http.Response
			if resp, err = client.Do(req); err == nil {
				resp.Body.Close()
			}
		}
		recorded <- err
	}()
	w.Cleanup(func() { writer.Close(); <-recorded })
	return writer
}

// A tenant is erased: everything of it, known and in flight. What is recorded afterwards is
// there.
func TestTenant(t *testing.T) {
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	marker := newMarker()
	sessions := w.recordMarked(marker, "gone")
	body := []byte(`{"tenant": "default"}`)
	if status, answer := w.request(http.MethodPost, "/v1/erasures", "application/json", []byte(`{"tenant": "another"}`)); status != http.StatusBadRequest {
		t.Errorf("erasing another tenant was answered %d: %s", status, answer)
	}
	if status, answer := w.request(http.MethodPost, "/v1/erasures", "application/json", body); status != http.StatusAccepted {
		t.Fatalf("the erasure was answered %d: %s", status, answer)
	}
	w.metrics().Show(t, "tapedeck_erasures_requested_total", "tapedeck_erasures_open", "tapedeck_erasures_oldest_seconds", "tapedeck_erasures_overdue")
	for _, s := range sessions { // hidden at once
		if status, _ := w.request(http.MethodGet, "/v1/sessions/"+s, "", nil); status != http.StatusGone {
			t.Errorf("%s is answered %d, want 410", s, status)
		}
	}
	time.Sleep(2 * time.Millisecond) // ids have the resolution of a millisecond
	w.post(map[string][]string{"session": {"later"}}, ndjson, []byte("{\"a\":1}\n"))
	w.verified("none")
	w.metrics().Show(t, "tapedeck_erasures_verified_total", "tapedeck_erasure_seconds")
	w.clean("none", marker, true)
	w.eventually("what was recorded later is there", func() bool { return w.raw("later") == hash("{\"a\":1}\n") })
}

// What plays a session when it is erased ends with that reason: one that is followed while it
// is recorded, and one that is played.
func TestReadersEnd(t *testing.T) {
	t.Parallel()
	w := &world{T: t, dir: filepath.Join(t.TempDir(), "data"), stored: map[string]string{}}
	w.restart()
	writer := w.recordSlowly("session=gone")
	if _, err := io.WriteString(writer, "{\"a\":1}\n"); err != nil {
		t.Fatal(err)
	}
	w.eventually("the session is there", func() bool {
		status, _ := w.request(http.MethodGet, "/v1/sessions/gone", "", nil)
		return status == http.StatusOK
	})
	time.Sleep(time.Second) // so that the second frame is a second later, for the slow playback
	if _, err := io.WriteString(writer, "{\"a\":2}\n"); err != nil {
		t.Fatal(err)
	}
	w.eventually("the second frame is stored", func() bool {
		_, answer := w.request(http.MethodGet, "/v1/sessions/gone/frames", "", nil)
		return strings.Count(answer, `"position"`) == 2
	})
	ends := make(chan string, 2)
	for _, query := range []string{"follow=1&speed=max", "speed=0.1"} {
		resp, err := client.Get(w.url + "/v1/sessions/gone/replay?" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		go func() {
			text, err := io.ReadAll(resp.Body)
			ends <- fmt.Sprint(query, ": ", string(text), err)
		}()
	}
	if status, answer := w.request(http.MethodPost, "/v1/erasures", "application/json", []byte(`{"sessions": ["gone"]}`)); status != http.StatusAccepted {
		t.Fatalf("the erasure was answered %d: %s", status, answer)
	}
	for range 2 {
		if text := bounded.Receive(t, ends); !strings.Contains(text, "event: error") || !strings.Contains(text, `"Session deleted"`) {
			t.Errorf("a playback ended with %s", text)
		}
	}
}
