package replay

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/memorytest"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// rss returns the memory of the server's process, bytes.
func rss(t *testing.T, s *commandtest.Instance) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	kib := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(status)
	n, err := strconv.ParseInt(string(kib[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// The server's memory stays within what readers may hold, and what the server takes
// besides, while very many ask for very large frames and do not read.
func TestReadersHaveABudget(t *testing.T) {
	fulltest.Long(t)
	commandtest.NeedEngine(t)
	const (
		budget = 64 << 20
		// Besides: connections, pages in flight from ClickHouse, one reader beyond the
		// budget, and as much again as is in use, which the garbage collector waits for.
		besides = 256 << 20
	)
	dir := filepath.Join(t.TempDir(), "data")
	recorder, err := commandtest.StartUp(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	line := append(bytes.Repeat([]byte("0123456789abcdef"), 100<<20/16), '\n')
	recorder.Post(t, "/v1/ingest?session=long", line)
	bounded.Until(t, "the recording shows", func() bool {
		status, body, _ := recorder.Get(t, "/v1/sessions/long")
		return status == http.StatusOK && !bytes.Contains(body, []byte(`"end_reason":""`))
	})
	if _, err := recorder.Stop(); err != nil {
		t.Fatal(err)
	}
	s, err := commandtest.StartUp(t, dir, "--max-reader-bytes", strconv.Itoa(budget))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Kill()
	before := rss(t, s)
	most := before
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	// They do not read: the answers' heads are looked at in the end.
	var conns []net.Conn
	for range 200 {
		conn, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := fmt.Fprintf(conn, "GET /v1/sessions/long/replay?speed=max&mode=raw HTTP/1.1\r\nHost: %s\r\n\r\n", at.Host); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, conn)
	}
	var asked sync.WaitGroup
	refused := make(chan string, 60)
	for range 60 {
		asked.Go(func() {
			resp, err := http.Get(s.URL + "/v1/sessions/long/frames?limit=5000")
			if err != nil {
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			if resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "" {
				refused <- string(body)
			}
		})
	}
	done := make(chan struct{})
	go func() { asked.Wait(); close(done) }()
	// A request waits up to 5 s for bytes before it is refused.
	var readers, held float64
	since := time.Now() // of the last change
	bounded.Until(t, "the end of the pages, and the playbacks to be served or refused", func() bool {
		most = max(most, rss(t, s))
		if r, h := s.Metric(t, "tapedeck_readers"), s.Metric(t, "tapedeck_reader_bytes"); r != readers || h != held {
			readers, held, since = r, h, time.Now()
		}
		select {
		case <-done:
			return time.Since(since) > 6*time.Second
		default:
			return false
		}
	})
	t.Logf("%d MiB at the start, %d MiB at most", before>>20, most>>20)
	memorytest.AtMost(t, "the server", most-before, budget+besides)
	turned := 0
	for _, conn := range conns {
		_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		head := make([]byte, 1024)
		n, _ := io.ReadAtLeast(conn, head, 200)
		if strings.HasPrefix(string(head[:n]), "HTTP/1.1 503") {
			turned++
			if !strings.Contains(string(head[:n]), "Retry-After") || !strings.Contains(string(head[:n]), "max-reader-bytes") {
				t.Errorf("refused with %s", head[:n])
			}
		}
		conn.Close()
	}
	if turned == 0 || turned == len(conns) {
		t.Errorf("%d of %d playbacks were refused", turned, len(conns))
	}
	// All is given back, and the recording can be read.
	bounded.Until(t, "the budget is free", func() bool {
		_, body, _ := s.Get(t, "/metrics")
		return bytes.Contains(body, []byte("\ntapedeck_readers 0\n")) && bytes.Contains(body, []byte("\ntapedeck_reader_bytes 0\n"))
	})
	if status, body, _ := s.Get(t, "/v1/sessions/long/frames?raw=1"); status != http.StatusOK || !bytes.Equal(body, line) {
		t.Errorf("%d, %d bytes of %d", status, len(body), len(line))
	}
	close(refused)
	for body := range refused {
		if !strings.Contains(body, "max-reader") && !strings.Contains(body, "database") { // which is busy, too
			t.Errorf("a page was refused with %s", body)
		}
	}
}
