package upgrade

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

// loadFor is how long each version takes part in each step under load.
var loadFor = flag.Duration("upgrade.load", time.Second, "time of load before and after each restart")

func TestMain(m *testing.M) { localtest.Main(m) }

// The order of docs/operate/upgrade.md. A downgrade restarts in the opposite order.
var order = []string{"sink", "api", "ingest"}

// letLoadRun waits while sessions are recorded and played: the time under load is a parameter of the test.
func letLoadRun() { time.Sleep(*loadFor) } // the time under load is a parameter of the test

func TestUpgradeAndBack(t *testing.T) {
	fulltest.Long(t)
	p := programs{buildPrevious(t), programtest.Path(t)}
	f := newFleet(t, p)
	l := newLoad(t, f)

	// The previous version by itself.
	l.begin(t.Context(), "before", p.old, p.old)
	letLoadRun()
	l.end(t)
	f.compare(t, l.recorded(""))
	usage := f.usage(t, "before")

	// Up, under load.
	l.begin(t.Context(), "up", p.old, p.old, p.new)
	watching := l.play(t.Context(), 2)
	f.migrate(t)
	for _, role := range order {
		letLoadRun()
		f.replace(t, role, p.new)
	}
	letLoadRun()
	l.end(t)
	watching.end(t)
	f.compare(t, l.recorded(""))
	f.same(t, "the upgrade", usage, "before")
	usage = f.usage(t, "up", "before")

	// Down, under load: the schema stays.
	l.begin(t.Context(), "down", p.new, p.old)
	watching = l.play(t.Context(), 2)
	for i := range order {
		letLoadRun()
		f.replace(t, order[len(order)-1-i], p.old)
	}
	letLoadRun()
	l.end(t)
	watching.end(t)
	f.compare(t, l.recorded(""))
	f.same(t, "the downgrade", usage, "up", "before")
	t.Logf("%d recording commands found no server at their start and were run again", l.again.Load())
}

// migrate applies the present version's migrations, by two processes of it and, as somebody
// may do, by one of the previous version at the same time.
func (f *fleet) migrate(t *testing.T) {
	t.Helper()
	dsn := f.servers.ClickHouseDSN()
	done := make(chan string, 3)
	for _, program := range []string{f.new, f.new, f.old} {
		go func() {
			out, err := command(t.Context(), program, "migrate", "--clickhouse", dsn)
			if err != nil {
				out = fmt.Sprintf("%v: %s", err, out)
			} else {
				out = ""
			}
			done <- out
		}()
	}
	for range cap(done) {
		if text := bounded.Receive(t, done); text != "" {
			t.Error(text)
		}
	}
}

// compare waits until all sessions can be read, and compares them with what was sent: no
// frame is lost, none is there twice, and all are in order.
func (f *fleet) compare(t *testing.T, sessions []*recording) {
	t.Helper()
	frames := 0
	for _, r := range sessions {
		url := f.url("api") + "/v1/sessions/" + r.id + "/frames?raw=1"
		var got []byte
		end := time.Now().Add(bounded.Limit)
		for {
			status, body, err := get(url)
			if err == nil && status == http.StatusOK {
				got = body
			}
			if len(got) >= len(r.sent) || time.Now().After(end) {
				break
			}
			time.Sleep(20 * time.Millisecond) // between two requests
		}
		if !bytes.Equal(got, r.sent) {
			t.Errorf("%s by %s: %d frames of %d bytes can be read, %d of %d were sent",
				r.id, r.program, bytes.Count(got, []byte("\n")), len(got), bytes.Count(r.sent, []byte("\n")), len(r.sent))
		}
		frames += bytes.Count(r.sent, []byte("\n"))
	}
	t.Logf("%d sessions, %d frames compared", len(sessions), frames)
}

// report is the usage of sessions by their ids: calls, tokens and costs. (The sessions name no
// model, so that their costs are not known.)
type report map[string]string

func (f *fleet) usage(t *testing.T, phases ...string) report {
	t.Helper()
	found := report{}
	for _, phase := range phases {
		status, body, err := get(f.url("api") + "/v1/usage?group_by=session&tag=phase:" + phase)
		if err != nil || status != http.StatusOK {
			t.Fatalf("usage of %s: %d %s %v", phase, status, body, err)
		}
		var answer struct {
			Items []struct {
				Session string          `json:"session"`
				Calls   int             `json:"calls"`
				Tokens  json.RawMessage `json:"tokens"`
				Cost    json.RawMessage `json:"cost"`
			} `json:"items"`
		}
		if err := json.Unmarshal(body, &answer); err != nil || len(answer.Items) == 0 {
			t.Fatalf("usage of %s: %s %v", phase, body, err)
		}
		for _, row := range answer.Items {
			found[row.Session] = fmt.Sprintf("%d calls, %s, %s", row.Calls, row.Tokens, row.Cost)
		}
	}
	return found
}

// same compares the usage of phases with the usage before a change of version.
func (f *fleet) same(t *testing.T, after string, before report, phases ...string) {
	t.Helper()
	if diff := cmp.Diff(before, f.usage(t, phases...)); diff != "" {
		t.Errorf("usage after %s (-before +after):\n%s", after, diff)
	}
}
