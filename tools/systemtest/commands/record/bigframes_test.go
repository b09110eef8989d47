package record

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/memorytest"
	"tapedeck/internal/speedtest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// longLine is a line of size bytes that hardly compresses within a frame.
func longLine(size int) io.Reader {
	random := make([]byte, 24<<20)
	_, _ = rand.Read(random) // it never fails
	pattern := []byte(hex.EncodeToString(random))
	parts := []io.Reader{}
	for left := size; left > 0; left -= len(pattern) {
		parts = append(parts, bytes.NewReader(pattern[:min(left, len(pattern))]))
	}
	return io.MultiReader(append(parts, bytes.NewReader([]byte("\n")))...)
}

// resident returns the memory of a process, bytes: now, and the most that it had.
func resident(t *testing.T, pid int) (now, most int64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	of := func(name string) int64 {
		kib := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
		n, err := strconv.ParseInt(string(kib[1]), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n << 10
	}
	return of("VmRSS"), of("VmHWM")
}

// post records a body and returns the status.
func post(t *testing.T, s *commandtest.Instance, session string, body io.Reader) int {
	t.Helper()
	response, err := http.Post(s.URL+"/v1/ingest?session="+session, "application/x-ndjson", body)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body) // the status says what happened
	return response.StatusCode
}

// ended reports whether a session's recording is stored to its end.
func ended(t *testing.T, s *commandtest.Instance, session string) bool {
	status, body, _ := s.Get(t, "/v1/sessions/"+session)
	return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
}

// readable records one line and returns how long it takes until its frame can be read.
func readable(t *testing.T, s *commandtest.Instance, session string) time.Duration {
	t.Helper()
	began := time.Now()
	if status := post(t, s, session, bytes.NewReader([]byte(`{"type":"hello"}`+"\n"))); status != http.StatusOK {
		t.Errorf("%s: status %d", session, status)
	}
	bounded.Until(t, session+" can be read", func() bool {
		status, body, _ := s.Get(t, "/v1/sessions/"+session+"/frames")
		return status == http.StatusOK && bytes.Contains(body, []byte("hello"))
	})
	return time.Since(began)
}

// besideBulk records bodies at the same time, with one-line recordings beside them, and returns how
// long the slowest of these took until it could be read.
func besideBulk(t *testing.T, s *commandtest.Instance, bodies map[string]io.Reader) time.Duration {
	t.Helper()
	var recording sync.WaitGroup
	for session, body := range bodies {
		recording.Go(func() {
			if status := post(t, s, session, body); status != http.StatusOK {
				t.Errorf("%s: status %d", session, status)
			}
		})
	}
	done := make(chan struct{})
	go func() { recording.Wait(); close(done) }()
	slowest := time.Duration(0)
	for n := 0; ; n++ {
		slowest = max(slowest, readable(t, s, fmt.Sprint("small-", n)))
		select {
		case <-done:
			return slowest
		case <-time.After(500 * time.Millisecond): // between one-line recordings
		}
	}
}

// checkBigFrames records two lines of so many bytes at the same time, and checks the memory of the
// server and how long a one-line recording beside them takes.
func checkBigFrames(t *testing.T, size int, limit int64) {
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	slowest := besideBulk(t, s, map[string]io.Reader{"big-0": longLine(size), "big-1": longLine(size)})
	_, most := resident(t, s.Cmd.Process.Pid)
	t.Logf("two lines of %d MB: the server took %d MiB at most; a line beside them was readable after %v", size/1e6, most>>20, slowest)
	memorytest.AtMost(t, "the server", most, limit)
	speedtest.Within(t, "a one-line recording beside two large ones until it is readable", slowest, 5*time.Second)
	for _, session := range []string{"big-0", "big-1"} {
		bounded.Until(t, session+" is stored", func() bool { return ended(t, s, session) })
	}
	bounded.Until(t, "the memory is returned", func() bool {
		now, _ := resident(t, s.Cmd.Process.Pid)
		return now < 400<<20
	})
	for _, figure := range []string{"tapedeck_sink_held_bytes 0", "tapedeck_sink_held_messages 0", "tapedeck_sink_dropped_redeliveries_total 0", "tapedeck_jetstream_redelivered_messages 0"} {
		if _, metrics, _ := s.Get(t, "/metrics"); !bytes.Contains(metrics, []byte("\n"+figure+"\n")) {
			t.Errorf("the metrics lack %q", figure)
		}
	}
}

// Two clients that send lines of 100 MB take the server to a bounded memory, which it returns, and
// hide nobody else's recording.
func TestBigFrames(t *testing.T) {
	fulltest.Long(t)
	checkBigFrames(t, 100e6, 900<<20)
}

// The same with lines of 600 MB: the bound is the same for lines of any length.
func TestVeryBigFrames(t *testing.T) {
	fulltest.Long(t)
	checkBigFrames(t, 600e6, 1200<<20)
}

// TestEmptyLines records millions of empty lines, each of which is a frame: other recordings are
// stored meanwhile.
func TestEmptyLines(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	lines := bytes.NewReader(bytes.Repeat([]byte{'\n'}, 20_000_000))
	slowest := besideBulk(t, s, map[string]io.Reader{"empty": lines})
	t.Logf("20,000,000 empty lines: a line beside them was readable after %v", slowest)
	speedtest.Within(t, "a one-line recording beside empty lines until it is readable", slowest, 5*time.Second)
}
