package replay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/archive"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/replay/tapefile"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// faulty is a place whose writes can fail.
type faulty struct {
	archive.Place
	fails func(name string) bool
}

// Put implements archive.Place.
func (f *faulty) Put(ctx context.Context, name, path string) error {
	if f.fails != nil && f.fails(name) {
		return errors.New("no space left")
	}
	return f.Place.Put(ctx, name, path)
}

// archiver runs archives of one server in one place.
type archiver struct {
	*testing.T
	server *commandtest.Instance
	place  *faulty
	dir    string
	later  time.Duration // of the clock of the runs
	said   []string
}

// run runs an archive of the server, whose connections lead to an address: its own, or that of a proxy before it.
func (a *archiver) run(address string, all bool) (archive.Result, error) {
	a.Helper()
	client, err := apiclient.New(a.server.URL, "")
	if err != nil {
		a.Fatal(err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(address, "http://"))
	}
	defer transport.CloseIdleConnections()
	client.HTTP.Transport = transport
	a.said = nil
	return archive.Run(a.Context(), archive.Options{Client: client, Place: a.place, All: all,
		Said: func(line string) { a.said = append(a.said, line) }, Now: func() time.Time { return time.Now().Add(a.later) }})
}

// want runs and compares the result, apart from its bytes.
func (a *archiver) want(what string, want archive.Result) {
	a.Helper()
	got, err := a.run(a.server.URL, false)
	if err != nil || got.Bytes == 0 && got.Tapes > 0 {
		a.Fatalf("%s: %+v, %v", what, got, err)
	}
	if got.Bytes = 0; got != want {
		a.Errorf("%s: %+v, want %+v; %q", what, got, want, a.said)
	}
}

func (a *archiver) record(session string) {
	a.Helper()
	commandtest.Post(a.T, a.server, session, "application/x-ndjson", []byte(commandtest.LoomRun))
	commandtest.UntilEnded(a.T, a.server, session)
}

// An archive has the tape of each session that has ended, and the charges of each past day. Each run adds what is
// new or has changed, a run that fails is continued by the next one, and files that are lost or changed are found.
func TestArchive(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	dir := filepath.Join(t.TempDir(), "archive")
	a := &archiver{T: t, server: s, dir: dir, place: &faulty{Place: archive.Directory(dir)}}
	a.want("an empty server", archive.Result{})
	const awkward = "../a b/%2e"
	a.record("one")
	commandtest.Post(t, s, url.QueryEscape(awkward), "application/x-ndjson", []byte(commandtest.LoomRun))
	commandtest.UntilEnded(t, s, awkward)

	body, running := io.Pipe()
	posted := make(chan error, 1)
	go func() {
		resp, err := http.Post(s.URL+"/v1/ingest?session=running", "application/x-ndjson", body)
		if err == nil {
			err = resp.Body.Close()
		}
		posted <- err
	}()
	lines := strings.SplitAfter(commandtest.LoomRun, "\n")
	if _, err := io.WriteString(running, strings.Join(lines[:2], "")); err != nil {
		t.Fatal(err)
	}
	bounded.Until(t, "the running session is listed", func() bool {
		status, _, _ := s.Get(t, "/v1/sessions/running")
		return status == http.StatusOK
	})
	a.want("the first run", archive.Result{Tapes: 2, Open: 1})
	a.want("nothing is new", archive.Result{Unchanged: 2, Open: 1})
	a.checkTapes(map[string]int{"one": 8, awkward: 8})
	if _, err := io.WriteString(running, strings.Join(lines[2:], "")); err != nil {
		t.Fatal(err)
	}
	running.Close()
	if err := <-posted; err != nil {
		t.Fatal(err)
	}
	commandtest.UntilEnded(t, s, "running")
	a.want("a session has ended", archive.Result{Tapes: 1, Unchanged: 2})

	a.record("one") // another stream of the session, with the same run
	bounded.Until(t, "both streams are listed", func() bool { return len(s.Session(t, "one").Streams) == 2 })
	a.want("a session has grown", archive.Result{Tapes: 1, Unchanged: 2})
	a.checkTapes(map[string]int{"one": 16, awkward: 8, "running": 8})

	a.later = 50 * time.Hour
	bounded.Until(t, "the usage is reported", func() bool { return a.charged() == 3 })
	a.want("the day is over", archive.Result{Unchanged: 3, Days: a.days(1)})
	a.checkCharges(3)
	a.want("the charges are archived", archive.Result{Unchanged: 3})

	a.record("two")
	a.record("three")
	bounded.Until(t, "later usage is reported", func() bool { return a.charged() == 5 })
	a.place.fails = func(name string) bool { return strings.HasSuffix(name, "two.tape") }
	if got, err := a.run(s.URL, false); err != nil || got.Failed != 1 || got.Tapes != 1 || len(a.said) != 1 || !strings.Contains(a.said[0], "session two") {
		t.Errorf("a tape that cannot be written: %+v, %v, %q", got, err, a.said)
	}
	a.place.fails = nil
	a.want("a failed run is continued", archive.Result{Tapes: 1, Unchanged: 4})
	a.checkCharges(5)
	a.later = 0

	a.record("four")
	cut := a.proxy(func(w http.ResponseWriter, body []byte) { _, _ = w.Write(body[:len(body)/2]) })
	if got, err := a.run(cut, false); err != nil || got.Failed != 1 || got.Tapes != 0 {
		t.Errorf("a tape that breaks off: %+v, %v, %q", got, err, a.said)
	}
	if files, err := filepath.Glob(filepath.Join(dir, "tapes", "*", "*", "*", "four.tape")); err != nil || len(files) > 0 {
		t.Errorf("a tape that breaks off is stored: %q, %v", files, err)
	}

	if out, stderr, exit := s.Run(t, "archive", dir); exit != 0 || !strings.HasPrefix(out, "archived to "+dir+": 1 tape, ") {
		t.Errorf("the command: exit %d, %s%s", exit, out, stderr)
	}
	if out, stderr, exit := commandtest.Alone(t, "archive", dir, "--verify"); exit != 0 || !strings.HasPrefix(out, "read 6 tapes, ") {
		t.Errorf("--verify: exit %d, %s%s", exit, out, stderr)
	}
	unlock, err := a.place.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, stderr, exit := s.Run(t, "archive", dir); exit != commandtest.ExitFailed || !strings.Contains(stderr, "another \"tapedeck archive\" writes") {
		t.Errorf("two runs at once: exit %d, %s", exit, stderr)
	}
	unlock()
	name := a.path("two.tape")
	tape, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	tape[len(tape)/2]++
	if err := errors.Join(os.WriteFile(name, tape, 0o600), os.Remove(a.path("four.tape"))); err != nil {
		t.Fatal(err)
	}
	_, stderr, exit := commandtest.Alone(t, "archive", dir, "--verify")
	if exit != commandtest.ExitFailed || !strings.Contains(stderr, "two.tape has another content") || !strings.Contains(stderr, "four.tape is missing") ||
		!strings.Contains(stderr, "2 files") {
		t.Errorf("--verify of a damaged archive: exit %d, %s", exit, stderr)
	}
	if err := os.Remove(filepath.Join(filepath.Dir(name), "index.ndjson")); err != nil {
		t.Fatal(err)
	}
	if got, err := a.run(s.URL, true); err != nil || got.Tapes == 0 {
		t.Errorf("--all without the index of a day: %+v, %v", got, err)
	}
	if _, stderr, exit := commandtest.Alone(t, "archive", dir, "--verify"); exit != 0 {
		t.Errorf("--verify of the mended archive: %s", stderr)
	}
	for args, want := range map[string]string{
		"ftp://host/x":          "name a directory, or https://",
		dir + " --every 1ms":    "it must be 1s or more",
		dir + " --verify --all": "--verify reads the archive",
	} {
		if _, stderr, exit := s.Run(t, append([]string{"archive"}, strings.Fields(args)...)...); exit != commandtest.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("archive %s: exit %d, %s", args, exit, stderr)
		}
	}
}

// An archive in a bucket has the same files.
func TestArchiveInBucket(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	bucket := localtest.S3(t, 0) + "archive/of tapes"
	commandtest.NeedEngine(t)
	s, err := commandtest.StartUp(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.Stop() })
	place, err := archive.Bucket(bucket, localtest.S3KeyID, "a1b2c3d4secretKEYofTESTER")
	if err != nil {
		t.Fatal(err)
	}
	a := &archiver{T: t, server: s, place: &faulty{Place: place}}
	a.record("one")
	a.want("the first run", archive.Result{Tapes: 1})
	a.record("two")
	a.want("the second run", archive.Result{Tapes: 1, Unchanged: 1})
	if c, err := archive.Verify(t.Context(), place, func(line string) { t.Error(line) }); err != nil || c.Tapes != 2 || c.Bad != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	stranger, err := archive.Bucket(bucket, "stranger", "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := archive.Verify(t.Context(), stranger, func(string) {}); err == nil {
		t.Error("a key that the storage does not know reads the archive")
	}
}

// path returns the path of a tape.
func (a *archiver) path(name string) string {
	a.Helper()
	files, err := filepath.Glob(filepath.Join(a.dir, "tapes", "*", "*", "*", name))
	if err != nil || len(files) != 1 {
		a.Fatalf("%s: %q, %v", name, files, err)
	}
	return files[0]
}

// checkTapes reads the indexes, and compares each tape with its entry and with the number of frames of its session.
func (a *archiver) checkTapes(want map[string]int) {
	a.Helper()
	indexes, err := filepath.Glob(filepath.Join(a.dir, "tapes", "*", "*", "*", "index.ndjson"))
	if err != nil {
		a.Fatal(err)
	}
	found := 0
	for _, index := range indexes {
		text, err := os.ReadFile(index)
		if err != nil {
			a.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var e struct{ Session, File, SHA256 string }
			if err := json.Unmarshal(line, &e); err != nil {
				a.Fatal(err)
			}
			found++
			path := filepath.Join(filepath.Dir(index), e.File)
			tape, err := os.ReadFile(path)
			if err != nil {
				a.Fatal(err)
			}
			sum := sha256.Sum256(tape)
			f, err := tapefile.Open(path, tapefile.Options{})
			if err != nil {
				a.Fatal(err)
			}
			if e.SHA256 != hex.EncodeToString(sum[:]) || f.Break() != nil || f.Frames() != uint64(want[e.Session]) || fmt.Sprint(f.Sessions()) != "["+e.Session+"]" {
				a.Errorf("%s: %+v, %d frames of %q, want %d; %v", path, e, f.Frames(), f.Sessions(), want[e.Session], f.Break())
			}
			f.Close()
		}
	}
	if found != len(want) {
		a.Errorf("%d tapes, want %d", found, len(want))
	}
}

// charged returns the number of charges on the server.
func (a *archiver) charged() int {
	a.Helper()
	_, body, _ := a.server.Get(a.T, "/v1/usage/calls?format=ndjson")
	return bytes.Count(body, []byte("\n"))
}

// days returns the number of days with charges: want, or one more if the test runs over midnight (UTC).
func (a *archiver) days(want int) int {
	a.Helper()
	var report struct{ Items []json.RawMessage }
	a.server.ReadJSON(a.T, "/v1/usage?granularity=day&timezone=UTC", &report)
	return max(want, len(report.Items))
}

// checkCharges counts the rows of all files of charges.
func (a *archiver) checkCharges(want int64) {
	a.Helper()
	files, err := filepath.Glob(filepath.Join(a.dir, "charges", "*.parquet"))
	if err != nil {
		a.Fatal(err)
	}
	var rows int64
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			a.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			a.Fatal(err)
		}
		rows += f.NumRows()
	}
	if rows != want {
		a.Errorf("%d charges in %q, want %d", rows, files, want)
	}
}

// proxy returns the URL of a proxy to the server that writes the bodies of tapes by itself.
func (a *archiver) proxy(write func(w http.ResponseWriter, body []byte)) string {
	a.Helper()
	to, err := url.Parse(a.server.URL)
	if err != nil {
		a.Fatal(err)
	}
	forward := httputil.NewSingleHostReverseProxy(to)
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/tape") {
			forward.ServeHTTP(w, r)
			return
		}
		resp, err := http.Get(a.server.URL + r.URL.RequestURI())
		if err != nil {
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		for name := range resp.Header {
			if name != "Content-Length" {
				w.Header().Set(name, resp.Header.Get(name))
			}
		}
		write(w, body)
	}))
	a.Cleanup(p.Close)
	return p.URL
}
