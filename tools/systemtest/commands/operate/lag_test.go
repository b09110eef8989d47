package operate

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"tapedeck/internal/app/health"
	"tapedeck/internal/bounded"
	"tapedeck/internal/fulltest"
	"tapedeck/internal/local"
	"tapedeck/internal/loopback"
	"tapedeck/tools/systemtest/commands/commandtest"
)

// With JetStream full and no sink at all, every server that can know it says so,
// and so does the doctor; those that do their work stay ready nevertheless. Once a
// sink runs, all is well again.
func TestNoSink(t *testing.T) {
	fulltest.Long(t)
	t.Parallel()
	c := commandtest.NewCluster(t, local.Options{})
	settings := []string{"--max-bytes", "4194304", "--max-lag", "1s", "--min-disk-free", "1"}
	ingest := c.Serve(t, "ingest", settings...)
	api := c.Serve(t, "api", settings...)
	const frames, size = 100, 60_000
	ingest.Post(t, "/v1/ingest?session=waits", randomLines(frames, size))

	wrong := func(s *commandtest.Instance, part, says string) func() bool {
		return func() bool {
			status, answer := s.Readiness(t)
			return status == http.StatusOK && answer.Ready && slices.ContainsFunc(answer.Checks, func(c health.Check) bool {
				return c.Part == part && !c.OK && c.Advisory && strings.Contains(c.Detail, says) && c.Do != ""
			})
		}
	}
	for _, w := range []struct {
		s          *commandtest.Instance
		part, says string
	}{
		{ingest, "lag", "recording goes on: blocks are durable in JetStream"},
		{ingest, "jetstream", "recording goes on: blocks are durable in the spool"},
		{ingest, "spool", "recording goes on until the spool is full"},
		{api, "lag", "no sink is running, or it is behind"},
		{api, "jetstream", "not stored"},
	} {
		bounded.Until(t, w.s.URL+" to report "+w.part+" and "+w.says, wrong(w.s, w.part, w.says))
	}
	for _, s := range []*commandtest.Instance{ingest, api} {
		stdout, _, exit := s.Run(t, "doctor")
		if exit != commandtest.ExitFailed || !strings.Contains(stdout, "WRONG  lag ") || !strings.Contains(stdout, "WRONG  jetstream ") || !strings.Contains(stdout, `→ start a sink ("tapedeck serve --role sink"`) {
			t.Errorf("doctor of %s: exit %d\n%s", s.URL, exit, stdout)
		}
	}
	for _, name := range []string{"tapedeck_jetstream_unstored_messages", "tapedeck_jetstream_unstored_bytes", "tapedeck_jetstream_oldest_unstored_seconds"} {
		if v := api.Metric(t, name); v <= 0 {
			t.Errorf("%s is %v", name, v)
		}
	}
	if bytes, limit := api.Metric(t, "tapedeck_jetstream_bytes"), api.Metric(t, "tapedeck_jetstream_limit_bytes"); limit != 4<<20 || bytes < 0.9*limit {
		t.Errorf("JetStream holds %v of %v bytes", bytes, limit)
	}

	sink := c.Serve(t, "sink", settings...)
	for _, s := range []*commandtest.Instance{ingest, api, sink} {
		bounded.Until(t, s.URL+" to be well", func() bool {
			status, answer := s.Readiness(t)
			return status == http.StatusOK && !slices.ContainsFunc(answer.Checks, func(c health.Check) bool { return !c.OK })
		})
	}
	bounded.Until(t, "all frames", func() bool {
		_, body, _ := api.Get(t, "/v1/sessions/waits")
		var session struct{ Frames int }
		return json.Unmarshal(body, &session) == nil && session.Frames == frames
	})
}

// randomLines are lines of base64, which hardly compress.
func randomLines(n, size int) []byte {
	var b bytes.Buffer
	raw := make([]byte, size*3/4)
	for range n {
		for i := range raw {
			raw[i] = byte(rand.Uint32())
		}
		b.WriteString(`{"x":"` + base64.StdEncoding.EncodeToString(raw) + "\"}\n")
	}
	return b.Bytes()
}

// A server that only takes recordings does its work without NATS as long as its
// spool has room: it stays ready, and says so.
func TestTakingWithoutNATS(t *testing.T) {
	t.Parallel()
	s := commandtest.Serve(t, "nats://"+loopback.Free(t), "clickhouse://127.0.0.1:1/x", "ingest")
	s.Post(t, "/v1/ingest?session=kept", []byte("{\"n\":1}\n"))
	status, answer := s.Readiness(t)
	if status != http.StatusOK || !answer.Ready {
		t.Errorf("%d %+v", status, answer)
	}
	for _, part := range []string{"nats", "jetstream"} {
		if !slices.ContainsFunc(answer.Checks, func(c health.Check) bool {
			return c.Part == part && !c.OK && c.Advisory && strings.Contains(c.Detail, "recording goes on: blocks are durable in the spool")
		}) {
			t.Errorf("the check of %s does not say how it is: %+v", part, answer.Checks)
		}
	}
	if n := s.Metric(t, `tapedeck_spool_blocks{dir="`+s.Dir+`/spool"}`); n == 0 {
		t.Error("nothing is in the spool")
	}
}
