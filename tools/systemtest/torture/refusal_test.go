package torture

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	njs "github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/ingest/sink"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local/engine"
	"tapedeck/internal/local/localtest"
	"tapedeck/internal/local/programtest"
)

var refuseFor = flag.Duration("torture.refusal", 2*time.Second, "how long ClickHouse refuses in TestClickHouseRefuses")

// ClickHouse refuses for a while, under load: the sinks are not ready and say why,
// nothing is set aside, and afterwards all is stored once.
func TestClickHouseRefuses(t *testing.T) {
	fulltest.Long(t)
	program := programtest.Path(t)
	for _, r := range refusals() {
		// Each has its own ClickHouse: one that was killed a few times is started
		// again later and later.
		t.Run(r.name, func(t *testing.T) { refusalTest(t, program, r) })
	}
}

func refusalTest(t *testing.T, program string, r refusal) {
	tables := localtest.Engine(t, engine.Options{Ephemeral: true})
	dir, err := os.MkdirTemp("", "tapedeck-refusal-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := startCluster(t.Context(), dir, program, tables, spoolRoom)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.close(); err != nil {
			t.Error(err)
		}
	})
	sessions, err := newPool(dir)
	if err != nil {
		t.Fatal(err)
	}
	total := tally{}
	var shown string
	err = c.round(t.Context(), 1, sessions, &total, t.Logf, func(*load) (name string, err error) {
		shown, err = c.refuse(t.Context(), r)
		return r.name, err
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, c.logs())
	}
	if err := again(t.Context(), c.sinksReady); err != nil {
		t.Fatal(err)
	}
	t.Logf("refused for %v; %d sessions, %d of them whole, %d frames acknowledged, %d read back, no dead letters; the sinks reported %q",
		*refuseFor, total.sessions, total.whole, total.acked, total.read, shown)
}

// refuse has ClickHouse refuse for a while. The sinks have to say so for as long as it
// lasts, once they have noticed it.
func (c *cluster) refuse(ctx context.Context, r refusal) (shown string, err error) {
	if err := wait(ctx, 300*time.Millisecond); err != nil { // the load begins
		return "", err
	}
	if err := r.begin(ctx, c); err != nil {
		return "", err
	}
	err = again(ctx, func() error {
		for i := range c.sinks {
			st, ready, err := c.sinkStatus(i)
			if err != nil {
				return err
			}
			if ready || st.OK || st.Code != r.code {
				return fmt.Errorf("%s: sink %d says ready: %v, %+v", r.name, i, ready, st)
			}
			shown = st.Detail()
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	for end := time.Now().Add(*refuseFor); time.Now().Before(end); {
		if err := wait(ctx, 200*time.Millisecond); err != nil {
			return "", err
		}
		for i := range c.sinks {
			if st, ready, err := c.sinkStatus(i); err != nil || ready || st.OK {
				return "", fmt.Errorf("%s: sink %d says ready: %v, %+v while ClickHouse refuses (%w)", r.name, i, ready, st, err)
			}
		}
		if err := c.noDeadLetters(ctx); err != nil {
			return "", err
		}
	}
	return shown, nil
}

// sinkStatus returns what a sink says of itself.
func (c *cluster) sinkStatus(i int) (st sink.Status, ready bool, err error) {
	resp, err := http.Get(c.sinkURLs[i] + "/readyz")
	if err != nil {
		return st, false, err
	}
	defer resp.Body.Close()
	var answer struct {
		Ready  bool `json:"ready"`
		Checks []struct {
			Part  string          `json:"part"`
			State json.RawMessage `json:"state"`
		} `json:"checks"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return st, false, err
	}
	for _, check := range answer.Checks {
		if check.Part == "sink" {
			return st, answer.Ready, json.Unmarshal(check.State, &st)
		}
	}
	return st, answer.Ready, fmt.Errorf("sink %d has no check of the sink", i)
}

// sinksReady is an error as long as a sink is not ready.
func (c *cluster) sinksReady() error {
	for i := range c.sinks {
		if st, ready, err := c.sinkStatus(i); err != nil || !ready || !st.OK {
			return fmt.Errorf("sink %d is not ready: %+v, %w", i, st, err)
		}
	}
	return nil
}

// noDeadLetters is an error if a block was set aside: none that is sent here has a
// fault of its own.
func (c *cluster) noDeadLetters(ctx context.Context) error {
	return c.jetStream(ctx, func(js njs.JetStream) error {
		dead, err := js.Stream(ctx, jetstream.DeadName)
		if err != nil {
			return err
		}
		if n := dead.CachedInfo().State.Msgs; n > 0 {
			m, err := dead.GetLastMsgForSubject(ctx, jetstream.DeadSubject)
			if err != nil {
				return err
			}
			return fmt.Errorf("%d blocks were set aside, the last because of: %s", n, m.Header.Get(jetstream.HeaderReason))
		}
		return nil
	})
}
